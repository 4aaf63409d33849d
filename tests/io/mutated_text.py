"""Delimited text, mutated: each file is made from its number alone."""

import gzip
import random


def base(rng):
    """Return a table as text, with numbers, labels, quotes, holes and dates."""
    lines = ["height,weight,größe,label,when"]
    for row in range(rng.choice([3, 12, 40])):
        label = rng.choice(["x", "y", '"a,b"', '"6"" pipe"', "", "NA", "ö"])
        height = rng.gauss(0, 1)
        lines.append(
            f"{height:.3f},{height + rng.gauss(0, 1):.2f},{rng.randrange(5)},{label},"
            f"2020-01-{row % 28 + 1:02d}"
        )
    return "\n".join(lines).encode() + b"\n"


HOSTILE = [
    b"\0", b"\0\0\0\0", b'"', b'""', b"\r", b"\n", b"\x1a", b"\x1b[2J", b"\xff\xfe", b"\xc3",
    b"\xef\xbb\xbf", b"\xe9", b"\xf0\x9f", b"\xed\xa0\x80", b"\xff" * 9, b",", b";;", b"\t", b"|",
    b"=cmd|' /C calc'!A0", b"\xe2\x80\xa8", b"\xc2\x85", b"\x0b", b"\x0c", b"\x1c", b"\x7f", b"#",
    b"%s", b"'", b"\\",
]  # fmt: skip

VALUES = [
    b"1e999", b"-1e300", b"1e-320", b"nan", b"inf", b"-inf", b"0x10", b"1_000", b'"1,5"', b"9" * 30,
    b"9" * 5000, b"True", b"-0", b"1.2.3", b"", b" ", b"NULL", b"1e", b"+", b"\xd9\xa3",
    b"x" * 2000, b"18446744073709551615", b"-9223372036854775809", b"2020-13-45", b"1+2j", b"<NA>",
]  # fmt: skip


def flip(content, rng):
    changed = bytearray(content)
    for _ in range(rng.choice([1, 1, 3, 20])):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def cut(content, rng):
    return content[: rng.randrange(len(content) + 1)]


def cut_out(content, rng):
    first, last = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return content[:first] + content[last:]


def insert(content, rng):
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice(HOSTILE) * rng.choice([1, 1, 2]) + content[at:]


def put_first(content, rng):
    return rng.choice([*HOSTILE, b"\n", b"title\n", b"# note, one\n", b"sep=;\n"]) + content


def delimit(content, rng):
    return content.replace(b",", rng.choice([b";", b"\t", b"|", b" ", b":", b",,", b", ", b" ,"]))


def delimit_some(content, rng):
    delimiter = rng.choice([b";", b"\t", b"|"])
    return b"".join(delimiter if b == b"," and rng.random() < 0.1 else b for b in _bytes(content))


def quote(content, rng):
    return content.replace(b'"', rng.choice([b'""', b"", b"'", b'"""', b'\\"']))


def quote_one(content, rng):
    at = rng.randrange(len(content) + 1)
    return content[:at] + b'"' + content[at:]


def change_lines(content, rng):
    lines = content.splitlines(keepends=True)
    if not lines:
        return content
    at = rng.randrange(len(lines))
    what = rng.randrange(4)
    if what == 0:
        lines[at:at] = [lines[at]] * rng.choice([1, 2, 50])
    elif what == 1:
        del lines[at]
    elif what == 2:
        rng.shuffle(lines)
    else:
        lines = lines[: rng.choice([1, 2])]
    return b"".join(lines)


def change_value(content, rng):
    lines = content.split(b"\n")
    for _ in range(rng.choice([1, 1, 5])):
        at = rng.randrange(len(lines))
        fields = lines[at].split(b",")
        fields[rng.randrange(len(fields))] = rng.choice(VALUES)
        lines[at] = b",".join(fields)
    return b"\n".join(lines)


def change_column(content, rng):
    lines = content.split(b"\n")
    column, value = rng.randrange(5), rng.choice(VALUES)
    for at in range(1, len(lines)):
        fields = lines[at].split(b",")
        if column < len(fields):
            fields[column] = value
            lines[at] = b",".join(fields)
    return b"\n".join(lines)


def enlarge(content, rng):
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice([b"x", b"9", b" ", b",", b"\n"]) * 140_000 + content[at:]


def encode(content, rng):
    text = content.decode("utf-8", errors="replace")
    encoding = rng.choice(
        ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "latin1", "cp1252", "cp1251",
         "cp437", "mac-roman", "utf-7", "cp037", "utf-8-sig", "shift-jis"]
    )  # fmt: skip
    return text.encode(encoding, errors="replace")


def rename(content, rng):
    header, _, rest = content.partition(b"\n")
    names = header.split(b",")
    new = [names[0], b"", b" ", b"'", b'"', b"\x1b[31m", b"=1+1", b"x" * 5000, b"1", b"1.5", b"a:b"]
    names[rng.randrange(len(names))] = rng.choice(new)
    return b",".join(names) + b"\n" + rest


def end_lines(content, rng):
    ends = rng.choice([[b"\r"], [b"\r\n"], [b"\n\r"], [b"\r", b"\n", b"\r\n"], [b"\n\n"]])
    return b"".join(rng.choice(ends) if b == b"\n" else b for b in _bytes(content))


def pack(content, rng):
    return gzip.compress(content, mtime=0)


def _bytes(content):
    return (content[at : at + 1] for at in range(len(content)))


TEXT_CHANGES = [
    flip, flip, cut, cut_out, insert, insert, put_first, delimit, delimit_some, quote, quote_one,
    change_lines, change_value, change_value, change_column, enlarge, encode, rename, end_lines,
    pack,
]  # fmt: skip


def text_file(number):
    """Return the content and the suffix of a mutated text file."""
    rng = random.Random(f"text {number}")
    content = base(rng)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        content = rng.choice(TEXT_CHANGES)(content, rng)
    return content, rng.choice([".csv", ".csv", ".tsv", ".txt", "", ".csv.gz"])
