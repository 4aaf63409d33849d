"""Files as people have them: odd ones that must be read right, bad ones refused in one sentence."""

import gzip
import io
import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAN = float("nan")


@dataclass(frozen=True)
class Case:
    """A file, and what must come of it: `reads`, the columns; or `says`, words of the refusal."""

    name: str
    content: bytes | Callable[[Path], Any]
    """What the file holds, or a function that makes it at a path."""
    reads: dict[str, list[Any]] | None = None
    says: str | None = None
    warns: str | None = None
    suffix: str = ".csv"
    delimiter: str | None = None


AB = b"a,b\n1,2\n3,4\n5,7\n"
READS_AB = {"a": [1, 3, 5], "b": [2, 4, 7]}
UMLAUTS = "größe,b\n1,é\n2,ß\n3,é\n"
READS_UMLAUTS = {"größe": [1, 2, 3], "b": ["é", "ß", "é"]}


def arrow(columns: dict[str, Any], feather: bool = False, stream: bool = False) -> bytes:
    """Return a table as Parquet, Feather or an Arrow stream; columns may be pyarrow arrays."""
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table(columns)
    sink = io.BytesIO()
    if stream or feather:
        make = pa.ipc.new_stream if stream else pa.ipc.new_file
        with make(sink, table.schema) as writer:
            writer.write_table(table)
    else:
        parquet.write_table(table, sink)
    return sink.getvalue()


def bomb() -> bytes:
    """Return 80 MB of zeros in 80 kB."""
    packer = zlib.compressobj(9, wbits=31)
    zeros = b"0" * 2**20
    return b"".join([*(packer.compress(zeros) for _ in range(80)), packer.flush()])


def unreadable(path: Path) -> None:
    path.write_bytes(AB)
    path.chmod(0)


def loop(path: Path) -> None:
    path.symlink_to(path)


def dangling(path: Path) -> None:
    path.symlink_to(path.with_name("gone"))


ENCODINGS = [
    Case("utf-8 with a mark", b"\xef\xbb\xbf" + AB, READS_AB),
    Case("utf-8 beyond ascii", UMLAUTS.encode(), READS_UMLAUTS),
    Case("utf-16 with a mark", UMLAUTS.encode("utf-16"), READS_UMLAUTS),
    Case("utf-16 big-endian with a mark", b"\xfe\xff" + UMLAUTS.encode("utf-16-be"), READS_UMLAUTS),
    Case("utf-16 little-endian, no mark", UMLAUTS.encode("utf-16-le"), READS_UMLAUTS),
    Case("utf-16 big-endian, no mark", UMLAUTS.encode("utf-16-be"), READS_UMLAUTS),
    Case(
        "chinese utf-16, no mark",
        "名称;数值\n北京;1\n上海;2\n广州;3\n".encode("utf-16-le"),
        {"名称": ["北京", "上海", "广州"], "数值": [1, 2, 3]},
    ),
    Case("utf-32 with a mark", UMLAUTS.encode("utf-32"), READS_UMLAUTS),
    Case(
        "utf-32 big-endian with a mark",
        b"\0\0\xfe\xff" + UMLAUTS.encode("utf-32-be"),
        READS_UMLAUTS,
    ),
    Case("latin-1", UMLAUTS.encode("latin1"), READS_UMLAUTS, warns="byte 0xf6 in line 1"),
    Case(
        "latin-1 with old line ends",
        UMLAUTS.replace("größe", "a").replace("\n", "\r").encode("latin1"),
        {"a": [1, 2, 3], "b": ["é", "ß", "é"]},
        warns="byte 0xe9 in line 2",
    ),
    Case(
        "windows-1252 with its quotes and signs",
        "t °C;note\n1;it’s “5 €”\n2;– œuvre…\n".encode("cp1252"),
        {"t °C": [1, 2], "note": ["it’s “5 €”", "– œuvre…"]},
        warns="Windows-1252, where that is '°'",
    ),
    Case("cyrillic in windows-1251", "город,b\n1,2\n".encode("cp1251"), says="0xe3 in line 1"),
    Case("japanese in shift-jis", "a,b\n都市名前,2\n".encode("shift-jis"), says="in line 2"),
    Case("umlauts of DOS", "a,b\n1,Käse\n".encode("cp437"), says="byte 0x84 in line 2"),
    Case("accents of an old Macintosh", b"a,b\r1,caf\x8e\r", says="byte 0x8e in line 2"),
    Case("a damaged byte in utf-8", "a,ö\n1,ö\n2,\xff\n".encode() + b"3,\xf6\n", says="0xf6 in"),
    Case("a damaged digit", b"a,b\n1,2\n3,4.\xb77\n3,4\xe41\n", says="byte 0xb7 in line 3"),
    Case("utf-16 cut in a character", UMLAUTS.encode("utf-16")[:-1], says="UTF-16 text but is not"),
    Case("utf-32 with nonsense", b"\xff\xfe\0\0abcdefgh", says="UTF-32 text but is not"),
    Case("a nul byte", b"a,b\n1,2\n3,\0\n", says="line 3 holds a NUL byte"),
    Case("a nul in utf-16", "a,b\n1,\0\n".encode("utf-16"), says="line 2 holds a NUL byte"),
    Case("nothing but nul bytes", b"\0" * 1000, says="line 1 holds a NUL byte"),
]

SHAPES = [
    Case("nothing", b"", says="is empty"),
    Case("blank lines", b"\n \r\n\t\n", says="is empty"),
    Case("a mark and nothing else", b"\xef\xbb\xbf", says="is empty"),
    Case("header only", b"a,b,c\n", says="no rows"),
    Case("header only, no line end", b"a,b,c", says="no rows"),
    Case("one row", b"a,b\n1,2\n", {"a": [1], "b": [2]}),
    Case("one column", b"a\n1\n2\n", says="one column and a graph needs two"),
    Case("one number", b"5", says="one column"),
    Case("no line end at the end", AB[:-1], READS_AB),
    Case("line ends of Windows", AB.replace(b"\n", b"\r\n"), READS_AB),
    Case("line ends of an old Macintosh", AB.replace(b"\n", b"\r"), READS_AB),
    Case("mixed line ends", b"a,b\r1,2\n3,4\r\n5,7", READS_AB),
    Case("blank lines between rows", b"\n\na,b\n\n1,2\n \n3,4\n5,7\n\n\n", READS_AB),
    Case("a line of odd blanks", b"a,b\n1,2\n\x0b\n3,4\n", says="line 3 of 'file.csv' has 1 value"),
    Case("a short row", b"a,b,c\n1,2,3\n1,2\n", says="line 3 of 'file.csv' has 2 values"),
    Case("a long row", b"a,b\n1,2\n\n1,2,3\n", says="line 4 of 'file.csv' has 3 values"),
    Case("row names without a name", b"a,b\n1,2,3\n4,5,6\n", says="give every column a name"),
    Case("a delimiter at each line's end", b"a,b,\n1,2,\n", says="column 3 of 'file.csv' has no"),
    Case("a title above the header", b"My data\na,b\n1,2\n", says="before the column names"),
    Case("a web page", b"<!DOCTYPE html>\n<html><body>404</body></html>\n", says="one column"),
    Case("json", b'{"a": 1}\n', says="one column"),
    Case("100,000 columns", b",".join(b"c%d" % i for i in range(100_000)), says="no rows"),
]

QUOTES = [
    Case("an unclosed quote", b'a,b\n1,2\n"3,4\n5,6\n', says="opened in line 3"),
    Case("an unclosed quote in the header", b'a,"b\n1,2\n', says="opened in line 1"),
    Case("an unclosed quote, much after", b'a,b\n1,"' + b"x\n" * 100_000, says="opened in line 2"),
    Case("text after a quote", b'a,b\n1,"x"y\n', says="line 2 of 'file.csv' has text after"),
    Case(
        "line ends and quotes in quotes",
        b'a,b\n1,"x\n""y"""\n2,"z,"\n',
        {"a": [1, 2], "b": ['x\n"y"', "z,"]},
    ),
    Case("a quote within a value", b'a,b\n1,6" pipe\n2,x\n', {"a": [1, 2], "b": ['6" pipe', "x"]}),
    Case("a huge value", b"a,b\n1,2\n3," + b"x" * 10**6, says="line 3 of 'file.csv' holds a value"),
    Case("a huge name", b"x" * 10**6 + b",b\n1,2\n", says="'file.csv'"),
    Case(
        "a quote that only another delimiter opens",
        b'a,b\n1,;"x\n2,y\n' + b"3,zzzzzzzzzz\n" * 20_000,
        {"a": [1, 2] + [3] * 20_000, "b": [';"x', "y"] + ["zzzzzzzzzz"] * 20_000},
    ),
]

NAMES = [
    Case("a name twice", b"a,b, a\n1,2,3\n", says="columns 1 and 3 of 'file.csv' have the same"),
    Case("an empty name", b"a,,b\n1,2,3\n", says="column 2 of 'file.csv' has no name"),
    Case("names of spaces", b"a,  ,b\n1,2,3\n", says="column 2 of 'file.csv' has no name"),
    Case("data as names", b"5,5\n3,4\n", says="is the line of names missing?"),
    Case(
        "numbers as names",
        b"1.5,2.5\n3,4\n5,7\n",
        {"1.5": [3, 5], "2.5": [4, 7]},
        warns="put a line of names before it",
    ),
    Case(
        "names that steer a terminal",
        b'"\x1b[31mred",b\n1,2\n3,5\n',
        {"\x1b[31mred": [1, 3], "b": [2, 5]},
    ),
    Case(
        "names of several lines",
        b'"a\nb","=cmd()"\n1,2\n3,5\n',
        {"a\nb": [1, 3], "=cmd()": [2, 5]},
    ),
]

VALUES = [
    Case("semicolons", AB.replace(b",", b";"), READS_AB),
    Case("tabs", AB.replace(b",", b"\t"), READS_AB, suffix=".txt"),
    Case("vertical bars", AB.replace(b",", b"|"), READS_AB),
    Case("spaces", AB.replace(b",", b" "), says="give ' ' as the delimiter"),
    Case("the wrong delimiter", AB, says="give ',' as the delimiter", delimiter=";"),
    Case(
        "decimal commas",
        b"a;b\n1,5;2\n-2;3\n2,25e1;4\n",
        {"a": [1.5, -2.0, 22.5], "b": [2, 3, 4]},
    ),
    Case(
        "holes of all kinds",
        b"a,b\n1,2\nNA,3\n,4\nnull,5\nNaN,6\n7,8\n",
        {"a": [1, NAN, NAN, NAN, NAN, 7], "b": [2, 3, 4, 5, 6, 8]},
    ),
    Case("a column of holes", b"a,b\n,1\n,2\n", {"a": [NAN, NAN], "b": [1, 2]}),
    Case("1e300", b"a,b\n1e300,1\n-1e300,2\n1,4\n", {"a": [1e300, -1e300, 1.0], "b": [1, 2, 4]}),
    Case("1e999", b"a,b\n1e999,1\n2,2\n3,4\n", {"a": [float("inf"), 2, 3], "b": [1, 2, 4]}),
    Case("tiny numbers", b"a,b\n1e-320,1\n5e-324,2\n1,9\n", {"a": [1e-320, 5e-324, 1.0]}),
    Case("huge integers", b"a,b\n99999999999999999999,1\n2,3\n", {"a": [99999999999999999999, 2]}),
    Case(
        "huge integers of both signs",
        b"a,b\n18446744073709551615,1\n-5,2\n7,4\n",
        {"a": [18446744073709551615.0, -5.0, 7.0], "b": [1, 2, 4]},
    ),
    Case(
        "an integer of 5,000 digits", b"a,b\n" + b"9" * 5000 + b",1\n2,3\n4,4\n", {"b": [1, 3, 4]}
    ),
    Case(
        "100,000 categories",
        b"a,b\n" + b"".join(b"k%d,%d\n" % (i, i % 97) for i in range(100_000)),
        {"a": [f"k{i}" for i in range(100_000)]},
    ),
    Case("all the same", b"a,b\n1,2\n1,2\n1,2\n", {"a": [1, 1, 1], "b": [2, 2, 2]}),
]

OTHER_FORMATS = [
    Case("gzip", gzip.compress(AB), READS_AB, suffix=".csv.gz"),
    Case("gzip under a plain name", gzip.compress(AB), READS_AB),
    Case("gzip in two members", gzip.compress(AB[:6]) + gzip.compress(AB[6:]), READS_AB),
    Case("gzip with zeros after it", gzip.compress(AB) + b"\0" * 100, READS_AB),
    Case("gzip cut short", gzip.compress(AB)[:-10], says="gzip and damaged (it ends early)"),
    Case("gzip with a wrong sum", gzip.compress(AB)[:-8] + b"\1" * 8, says="gzip and damaged"),
    Case("gzip with rubbish after it", gzip.compress(AB) + b"rubbish", says="gzip and damaged"),
    Case("gzip of gzip", gzip.compress(gzip.compress(AB)), says="gzip twice: unpack it"),
    Case("gzip of nothing", gzip.compress(b""), says="is empty"),
    Case("a gzip bomb", lambda path: path.write_bytes(bomb()), says="which no table does"),
    Case("an Excel workbook", b"PK\x03\x04rest", says="an Excel workbook", suffix=".xlsx"),
    Case("an old Excel workbook", b"\xd0\xcf\x11\xe0rest", says="an old Excel workbook"),
    Case("bzip2", b"BZh91AY&SY", says="compressed with bzip2"),
    Case("a picture", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", says="NUL byte"),
    Case("a PDF document", b"%PDF-1.7\n", says="a PDF document"),
    Case("an SPSS file", b"$FL2@(#) SPSS DATA FILE\0\1", says="an SPSS file: save it as CSV"),
    Case("a Stata file", b"<stata_dta><header><release>118", says="a Stata file: save it as CSV"),
    Case("an R data file", gzip.compress(b"RDX3\nX\n\0\0"), says="an R data file: save the table"),
    Case("a database", b"SQLite format 3\0\x10\0", says="a database: save the table as CSV"),
]

PLACES = [
    Case("a folder", lambda path: path.mkdir(), says="it is a folder"),
    Case("no file", lambda path: None, says="there is no such file"),
    Case("a dangling link", dangling, says="there is no such file"),
    Case("a link to itself", loop, says="symbolic links"),
    Case("a pipe without a writer", lambda path: os.mkfifo(path), says="no program wrote to it"),
    Case("an endless device", lambda path: path.symlink_to("/dev/zero"), says="it is a device"),
    Case("the null device", lambda path: path.symlink_to("/dev/null"), says="it is a device"),
    Case("no permission", unreadable, says="permission denied"),
    Case(
        "a file beyond all memory", lambda path: os.truncate(_touched(path), 2**43), says="memory"
    ),
]


def _touched(path: Path) -> Path:
    path.touch()
    return path


def arrow_cases() -> list[Case]:
    """Return files of Arrow's kinds; made on demand, since pyarrow may not be here."""
    import datetime as dt
    import decimal

    import pyarrow as pa

    def parquet(name: str, columns: dict[str, Any], **expected: Any) -> Case:
        return Case(name, arrow(columns), suffix=".parquet", **expected)

    plain = {"a": [1, 3, 5], "b": [2, 4, 7]}
    whole = arrow(plain)
    b = {"b": [1, 2, 4]}
    return [
        parquet("parquet", plain, reads=READS_AB),
        Case("parquet in gzip", gzip.compress(whole), READS_AB, suffix=".parquet.gz"),
        Case("parquet called csv", whole, READS_AB),
        Case("feather", arrow(plain, feather=True), READS_AB, suffix=".feather"),
        Case("an arrow stream", arrow(plain, stream=True), READS_AB, suffix=".arrow"),
        Case("csv called parquet", AB, says="neither a Parquet nor", suffix=".parquet"),
        Case("parquet cut short", whole[:-20], says="is damaged", suffix=".parquet"),
        Case("parquet without an end", whole[:50], says="is damaged", suffix=".parquet"),
        Case(
            "parquet with a wild footer",
            whole[:-8] + b"\xff\xff\xff\x7fPAR1",
            says="is damaged",
            suffix=".parquet",
        ),
        parquet("parquet without rows", {"a": pa.array([], "int8"), "b": []}, says="no rows"),
        parquet("parquet of one column", {"a": [1, 2]}, says="a graph needs two"),
        parquet("parquet with an empty name", {"": [1, 2], "b": [1, 2]}, says="has no name"),
        parquet("lists", {"a": [[1], [2, 3], []], **b}, says="column 'a' holds"),
        parquet("structures", {"a": [{"x": 1}, {"x": 2}, {"x": 3}], **b}, says="column 'a' holds"),
        parquet("nothing but holes", {"a": pa.nulls(3), **b}, says="column 'a' holds no value"),
        parquet("decimals", {"a": [decimal.Decimal(f"1.{i}") for i in range(3)], **b}, reads=b),
        parquet("dates", {"a": [dt.date(2020, 1, i + 1) for i in range(3)], **b}, reads=b),
        parquet("dates of no calendar", {"a": pa.array([2**30] * 3, pa.date32()), **b}, says="'a'"),
        parquet("durations", {"a": [dt.timedelta(i) for i in range(3)], **b}, reads=b),
        parquet("binary", {"a": [b"\xff", b"\0", b"x"], **b}, reads=b),
        parquet("integers with holes", {"a": pa.array([1, None, 2**62], "int64"), **b}, reads=b),
    ]


CASES = [*ENCODINGS, *SHAPES, *QUOTES, *NAMES, *VALUES, *OTHER_FORMATS, *PLACES]
