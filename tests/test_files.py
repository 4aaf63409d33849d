"""Files are replaced whole or not at all."""

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

import mrflearn
from mrflearn import _files
from mrflearn._files import write_atomically
from mrflearn.errors import InputError

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")


@pytest.mark.parametrize(
    "content",
    ["", "plain\n", "no line end", "a\r\nb\rc\n", "Ünïcödé 模型 🎲\n", "x" * 1_000_000],
)
def test_text_reaches_the_file_byte_for_byte_as_utf8(tmp_path, content):
    path = write_atomically(tmp_path / "file", content)
    assert path == tmp_path / "file"
    assert path.read_bytes() == content.encode()


def test_bytes_reach_the_file_as_they_are(tmp_path):
    content = bytes(range(256)) * 10
    assert write_atomically(str(tmp_path / "file"), content).read_bytes() == content


def test_a_shorter_text_replaces_a_longer_one_whole(tmp_path):
    path = tmp_path / "file"
    path.write_text("much longer than the new one")
    write_atomically(path, "new")
    assert path.read_text() == "new"


def test_no_other_file_is_left_in_the_folder(tmp_path):
    write_atomically(tmp_path / "file", "one")
    write_atomically(tmp_path / "file", "two")
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("name", ["a b", "-rf", "模型" * 20, "%s{0}", "'\"", "x" * 255, ".hidden"])
def test_hostile_file_names_are_only_names(tmp_path, name):
    write_atomically(tmp_path / name, "content")
    assert os.listdir(tmp_path) == [name]
    assert (tmp_path / name).read_text() == "content"


def test_a_bare_name_is_written_in_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_atomically("file", "content")
    assert (tmp_path / "file").read_text() == "content"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("step", ["fsync", "chmod", "replace"])
@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), PermissionError(13, "Permission denied")]
)
def test_a_failing_disk_leaves_the_old_file_and_no_other(tmp_path, monkeypatch, step, error):
    path = tmp_path / "file"
    path.write_text("old")

    def fail(*_):
        raise error

    monkeypatch.setattr(_files.os, step, fail)
    with pytest.raises(InputError) as caught:
        write_atomically(path, "new")
    assert str(path) in str(caught.value)
    assert error.strerror in str(caught.value)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


# --- Full disks and killed programs ---------------------------------------------------------------


def program(text):
    """Return the command and the environment that run some Python with this library."""
    source = str(Path(mrflearn.__file__).parents[1])
    return [sys.executable, "-c", text], {**os.environ, "PYTHONPATH": source}


@posix
def test_a_disk_that_fills_up_in_the_middle_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    command, environment = program(
        "import resource\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "from mrflearn._files import write_atomically\n"
        "try:\n"
        f"    write_atomically({str(path)!r}, 'x' * 1_000_000)\n"
        "except ValueError as error:\n"
        "    print(error)\n"
    )
    finished = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    assert "File too large; make room there, or choose another folder" in finished.stdout
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


@posix
def test_a_full_file_system_leaves_the_old_file_and_no_other(small_disk):
    disk = small_disk.place
    (disk / "file").write_text("old")
    with pytest.raises(InputError, match=r"No space left on device; make room there"):
        write_atomically(disk / "file", "x" * 1_000_000)
    assert (disk / "file").read_text() == "old"
    assert os.listdir(disk) == ["file"]


def test_space_that_ends_in_the_middle_of_a_write_is_said_with_a_remedy(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_text("old")
    real = os.fdopen

    class Full:
        def __init__(self, handle, mode):
            self.stream = real(handle, mode)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.stream.close()

        def write(self, data):
            self.stream.write(data[: len(data) // 2])
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(_files.os, "fdopen", Full)
    with pytest.raises(InputError, match="No space left on device; make room there"):
        write_atomically(path, "new content")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


@posix
@pytest.mark.parametrize("step", ["fdopen", "fsync", "chmod", "replace"])
def test_a_program_killed_before_any_step_leaves_the_old_file(tmp_path, step):
    path = tmp_path / "file"
    path.write_text("old")
    command, environment = program(
        "import os, signal\n"
        "from mrflearn import _files\n"
        f"_files.os.{step} = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"_files.write_atomically({str(path)!r}, 'new')\n"
    )
    assert subprocess.run(command, env=environment).returncode == -signal.SIGKILL
    assert path.read_text() == "old"


@posix
@pytest.mark.parametrize("wait", [0.0, 0.03, 0.06, 0.1])
def test_a_program_killed_at_any_moment_leaves_a_whole_file(tmp_path, wait):
    path = tmp_path / "file"
    size = 3_000_000
    path.write_bytes(b"o" * size)
    command, environment = program(
        "from mrflearn._files import write_atomically\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "    for letter in (b'a', b'b'):\n"
        f"        write_atomically({str(path)!r}, letter * {size})\n"
    )
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as writer:
        assert writer.stdout.readline() == b"ready\n"
        time.sleep(wait)
        writer.kill()
    content = path.read_bytes()
    assert len(content) == size
    assert content in (b"o" * size, b"a" * size, b"b" * size)


def test_an_error_without_words_of_the_system_still_says_something(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError("the disk is on fire")

    monkeypatch.setattr(_files.os, "fsync", fail)
    with pytest.raises(InputError, match="the disk is on fire"):
        write_atomically(tmp_path / "file", "new")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("step", ["fsync", "chmod", "replace"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, MemoryError])
def test_an_interruption_passes_through_and_leaves_the_old_file(tmp_path, monkeypatch, step, error):
    path = tmp_path / "file"
    path.write_text("old")

    def interrupt(*_):
        raise error

    monkeypatch.setattr(_files.os, step, interrupt)
    with pytest.raises(error):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_an_interruption_right_after_the_replacement_is_not_hidden(tmp_path, monkeypatch):
    replace = os.replace

    def replace_and_interrupt(*names):
        replace(*names)
        raise KeyboardInterrupt

    monkeypatch.setattr(_files.os, "replace", replace_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "file", "new")
    assert (tmp_path / "file").read_text() == "new"
    assert os.listdir(tmp_path) == ["file"]


def test_the_content_is_on_the_disk_before_it_takes_the_name(tmp_path, monkeypatch):
    order = []
    for step in ("fsync", "replace"):
        real = getattr(os, step)
        monkeypatch.setattr(
            _files.os, step, lambda *a, step=step, real=real: (order.append(step), real(*a))[1]
        )
    write_atomically(tmp_path / "file", "new")
    assert order == ["fsync", "replace"]


@posix
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o755])
def test_permissions_of_the_old_file_are_kept(tmp_path, mode):
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(mode)
    write_atomically(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == mode


@posix
@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_gets_the_permissions_any_program_would_give_it(tmp_path, mask, mode):
    before = os.umask(mask)
    try:
        write_atomically(tmp_path / "file", "new")
        assert os.umask(mask) == mask, "the mask of the process is left as it was"
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == mode


@posix
def test_a_link_stays_a_link_and_its_file_changes(tmp_path):
    (tmp_path / "folder").mkdir()
    real, link = tmp_path / "folder" / "real", tmp_path / "link"
    real.write_text("old")
    link.symlink_to(real)
    assert write_atomically(link, "new") == link
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert os.listdir(tmp_path / "folder") == ["real"]


@posix
def test_a_pipe_or_device_is_written_to_and_never_replaced(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_atomically(path, "content")
        assert os.read(reader, 100) == b"content"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert os.listdir(tmp_path) == ["pipe"]


def test_a_folder_as_target_is_named_and_a_remedy_given(tmp_path):
    with pytest.raises(InputError, match="it is a folder; name a file in it") as caught:
        write_atomically(tmp_path, "content")
    assert str(tmp_path) in str(caught.value)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("path", ["", "."])
def test_an_empty_name_is_the_current_folder(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="cannot write"):
        write_atomically(path, "content")
    assert os.listdir(tmp_path) == []


def test_a_folder_that_does_not_exist_is_an_input_error_and_is_not_made(tmp_path):
    path = tmp_path / "nowhere" / "file"
    with pytest.raises(InputError, match="No such file or directory") as caught:
        write_atomically(path, "content")
    assert str(path) in str(caught.value)
    assert os.listdir(tmp_path) == []


def test_a_file_in_place_of_the_folder_is_an_input_error(tmp_path):
    (tmp_path / "file").write_text("old")
    with pytest.raises(InputError, match="cannot write"):
        write_atomically(tmp_path / "file" / "inside", "content")
    assert (tmp_path / "file").read_text() == "old"


@pytest.mark.parametrize("name", ["x" * 256, "null\0character"])
def test_a_name_no_file_can_have_is_an_input_error(tmp_path, name):
    with pytest.raises(InputError, match="cannot write"):
        write_atomically(tmp_path / name, "content")
    assert os.listdir(tmp_path) == []
