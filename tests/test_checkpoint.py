"""Checkpoints: what was kept is there again, whatever happened; nothing else is taken for one."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn.checkpoint import Checkpoint, checkpointing, current, paused
from mrflearn.errors import InputError

OPTIONS = {"lam": 0.1, "dependence": "knn"}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.checkpoint"


def opened(path, data="abc", options=OPTIONS):
    return Checkpoint(path, data, options)


def answers_of(checkpoint, n_variables=10):
    return [
        (i, candidates, conditions, values.tolist())
        for i, candidates, conditions, values in checkpoint.answers(n_variables)
    ]


def test_what_was_kept_is_there_again_to_the_last_bit(path):
    checkpoint = opened(path)
    values = np.array([1 / 3, -1e-300])
    checkpoint.keep_answers([(1, (2, 5), (0, 3), values)])
    checkpoint.keep_answers([(0, (9,), (), np.array([0.1]))])
    checkpoint.keep_piece("stability", 7, np.eye(3, dtype=bool))
    checkpoint.keep_piece("heldout", 0, np.array([[0.1, -0.0]]))
    checkpoint.close()
    again = opened(path)
    assert answers_of(again) == [
        (1, (2, 5), (0, 3), values.tolist()),
        (0, (9,), (), [0.1]),
    ]
    ((number, found),) = again.pieces("stability").items()
    assert number == 7
    assert found.dtype == bool
    np.testing.assert_array_equal(found, np.eye(3))
    assert again.pieces("nothing") == {}
    assert again.n_resumed == 3 + 2
    again.close()
    assert {file.name for file in path.parent.iterdir()} == {path.name}


def test_a_checkpoint_of_other_data_or_options_is_refused_and_stays(path):
    opened(path).close()
    with pytest.raises(InputError, match="belongs to other data: name another file, or delete"):
        opened(path, data="abd")
    with pytest.raises(InputError, match=r"lam: 0\.1 there, 0\.2 here"):
        opened(path, options={**OPTIONS, "lam": 0.2})
    with pytest.raises(InputError, match="required: None there, 1 here"):
        opened(path, options={**OPTIONS, "required": 1})
    opened(path).close()


def test_a_checkpoint_in_use_is_refused(path):
    first = opened(path)
    with pytest.raises(InputError, match="in use by another run"):
        opened(path)
    first.close()


def test_a_folder_and_a_place_that_is_not_there_are_refused(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        opened(tmp_path)
    with pytest.raises(InputError, match=r"there is no folder '.*no'; make it first"):
        opened(tmp_path / "no" / "where")


def test_a_file_that_is_no_database_is_refused_and_stays(path):
    path.write_text("name,age\nAnn,3\n" * 100)
    before = path.read_bytes()
    with pytest.raises(InputError, match="cannot be read as a checkpoint"):
        opened(path)
    assert path.read_bytes() == before


def test_a_database_of_somebody_else_is_refused_and_stays(path):
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE papers (title TEXT)")
    other.execute("INSERT INTO papers VALUES ('mine')")
    other.commit()
    other.close()
    with pytest.raises(InputError, match="no checkpoint of ours"):
        opened(path)
    other = sqlite3.connect(path)
    assert other.execute("SELECT title FROM papers").fetchall() == [("mine",)]
    other.close()


HOSTILE = {
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON answers BEGIN DELETE FROM pieces; END",
    "a view": "CREATE VIEW v AS SELECT 1",
    "an index": "CREATE INDEX x ON answers (i)",
    "another table": "CREATE TABLE more (a)",
    "no owner": "DELETE FROM owner",
    "an owner that is none": "UPDATE owner SET what = '[]'",
    "an owner that is no JSON": "UPDATE owner SET what = '{'",
    "another format": "UPDATE owner SET what = replace(what, '\"format\": 1', '\"format\": 2')",
    "too many variables": "UPDATE answers SET i = 99",
    "a negative variable": "UPDATE answers SET candidates = x'ffffffff'",
    "half a number": "UPDATE answers SET numbers = x'00'",
    "text for numbers": "UPDATE answers SET numbers = 'text'",
    "NaN": "UPDATE answers SET numbers = x'000000000000f87f'",
    "infinity": "UPDATE answers SET numbers = x'000000000000f07f'",
    "more numbers than candidates": "UPDATE answers SET numbers = zeroblob(800)",
    "a piece that is none": "UPDATE pieces SET numbers = x'80049503'",
    "a pickle for a piece": "UPDATE pieces SET numbers = x'8004950a000000000000008c026f739493942e'",
    "a huge piece": "UPDATE pieces SET numbers = zeroblob(100)",
}


@pytest.mark.parametrize("statement", HOSTILE.values(), ids=HOSTILE)
def test_hostile_content_gives_an_error(path, statement):
    checkpoint = opened(path)
    checkpoint.keep_answers([(1, (2,), (), np.array([0.5]))])
    checkpoint.keep_piece("stability", 0, np.zeros(3))
    checkpoint.close()
    other = sqlite3.connect(path)
    other.execute(statement)
    other.commit()
    other.close()

    def read():
        checkpoint = opened(path)
        try:
            answers_of(checkpoint)
            checkpoint.pieces("stability")
        finally:
            checkpoint.close()

    with pytest.raises(InputError, match=r"checkpoint"):
        read()


def test_an_array_of_objects_is_not_loaded(path):
    """NumPy files may hold pickles; these are refused before they are read."""
    import io

    stream = io.BytesIO()
    np.save(stream, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    checkpoint = opened(path)
    checkpoint.close()
    other = sqlite3.connect(path)
    other.execute("INSERT INTO pieces VALUES ('stability', 0, ?)", (stream.getvalue(),))
    other.commit()
    other.close()
    again = opened(path)
    with pytest.raises(InputError, match="is none"):
        again.pieces("stability")
    again.close()


@settings(deadline=None)
@given(noise=st.lists(st.tuples(st.integers(0, 40_000), st.integers(0, 255)), max_size=30))
def test_a_damaged_file_is_read_or_refused(noise, tmp_path_factory):
    path = tmp_path_factory.mktemp("damaged") / "run"
    checkpoint = opened(path)
    for number in range(50):
        checkpoint.keep_answers([(1, (2, 3), (0, number % 9 + 4), np.array([0.5, number]))])
    checkpoint.keep_piece("stability", 0, np.zeros(300))
    checkpoint.close()
    content = bytearray(path.read_bytes())
    for position, value in noise:
        content[position % len(content)] = value
    path.write_bytes(content)
    try:
        checkpoint = opened(path)
        try:
            answers_of(checkpoint, 20)
            checkpoint.pieces("stability")
        finally:
            checkpoint.close()
    except InputError:
        pass


def test_what_was_committed_survives_a_kill(path):
    script = textwrap.dedent(
        f"""
        import os, time, numpy as np
        from mrflearn import checkpoint
        checkpoint.PERIOD = 0.0
        kept = checkpoint.Checkpoint({str(path)!r}, "abc", {OPTIONS!r})
        for number in range(100):
            kept.keep_answers([(0, (1,), (), np.array([float(number)]))])
        os.kill(os.getpid(), 9)
        """
    )
    run = subprocess.run([sys.executable, "-c", script], check=False)
    assert run.returncode == -9
    again = opened(path)
    assert [values for *_, values in answers_of(again)] == [[float(n)] for n in range(100)]
    again.close()


def test_a_finished_piece_survives_a_kill_though_nothing_follows(path):
    script = textwrap.dedent(
        f"""
        import os, numpy as np
        from mrflearn.checkpoint import Checkpoint
        kept = Checkpoint({str(path)!r}, "abc", {OPTIONS!r})
        kept.keep_piece("stability", 0, np.zeros(3))
        kept.keep_piece("stability", 1, np.ones(3))
        os.kill(os.getpid(), 9)
        """
    )
    subprocess.run([sys.executable, "-c", script], check=False)
    again = opened(path)
    assert set(again.pieces("stability")) == {0, 1}
    again.close()


def test_a_file_whose_making_was_cut_short_is_made_anew(path, monkeypatch):
    query, statements = Checkpoint._query, []

    def cut_short(self, statement, values=()):
        found = query(self, statement, values)
        statements.append(statement)
        if len(statements) == last:
            raise KeyboardInterrupt
        return found

    for last in range(1, 100):
        statements.clear()
        with monkeypatch.context() as patched, suppress(KeyboardInterrupt):
            patched.setattr(Checkpoint, "_query", cut_short)
            opened(path).close()
        opened(path).close()
        path.unlink()
        if len(statements) < last:
            break
    assert sum(statement.startswith("CREATE TABLE") for statement in statements) == 3


def test_a_full_disk_is_said_and_what_was_written_stays(small_disk, monkeypatch):
    monkeypatch.setattr("mrflearn.checkpoint.PERIOD", 0.0)
    small_disk.resize("256k")
    path = small_disk.place / "run"
    checkpoint, kept = opened(path), []

    def keep_all():
        for number in range(10_000):
            checkpoint.keep_answers([(0, (1,), (), np.array([float(number)]))])
            kept.append(number)

    with pytest.raises(InputError, match="make room there and run the same again"):
        keep_all()
    with suppress(InputError):
        checkpoint.close()
    assert len(kept) > 10
    room = os.statvfs(small_disk.place)
    assert room.f_bavail * room.f_bsize < 16_384
    small_disk.resize("4m")
    again = opened(path)
    found = [values[0] for *_, values in answers_of(again)]
    assert found == [float(number) for number in range(len(found))]
    assert len(found) >= len(kept)
    again.keep_answers([(0, (1,), (), np.array([1.0]))])
    again.close()


def test_work_knows_its_checkpoint_and_pieces_know_none(path):
    assert current() is None
    with checkpointing(path, "abc", OPTIONS):
        outer = current()
        assert outer is not None
        with checkpointing(path, "another", {}):
            assert current() is outer
        with paused():
            assert current() is None
        assert current() is outer
    assert current() is None
    with checkpointing(None, "abc", OPTIONS):
        assert current() is None
