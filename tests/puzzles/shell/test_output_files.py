"""A file that a command writes is whole, or all is as it was."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from puzzles.shell.output_files import try_to_write, whole_file, write_file
from puzzles.text import UserError


def fail_in(path: Path, *, new: bool = False) -> None:
    """Write the beginning of a file; then the disk is full."""

    def begin() -> None:
        with whole_file(path, new=new) as file:
            file.write(b"the beginning")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OSError, match="No space left"):
        begin()


@pytest.mark.parametrize("new", [False, True])
def test_a_failure_leaves_no_new_file(new: bool, tmp_path: Path) -> None:
    fail_in(tmp_path / "page.html", new=new)
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_an_older_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("a good page")
    fail_in(path)
    assert (path.read_text(), list(tmp_path.iterdir())) == ("a good page", [path])
    with pytest.raises(FileExistsError), whole_file(path, new=True):
        pass
    assert path.read_text() == "a good page"


def test_a_file_takes_the_place_of_an_older_one_and_keeps_its_mode_and_its_links(
    tmp_path: Path,
) -> None:
    path, link = tmp_path / "page.html", tmp_path / "link.html"
    write_file(path, ["one ", "page"])
    assert path.read_text() == "one page"
    path.chmod(0o640)
    link.symlink_to(path.name)
    write_file(link, "another page")
    assert (path.read_text(), link.is_symlink()) == ("another page", True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sorted(tmp_path.iterdir()) == [link, path]


def test_a_new_file_has_the_mode_that_any_program_gives_it(tmp_path: Path) -> None:
    write_file(tmp_path / "ours", "text")
    (tmp_path / "usual").write_text("text")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_pipe_and_a_standard_stream_are_written_in_place(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        try_to_write(pipe)
        write_file(pipe, "through the pipe")
        assert reader.communicate()[0] == b"through the pipe"
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    code = (
        "from pathlib import Path; from puzzles.shell.output_files import write_file\n"
        "write_file(Path('/dev/stdout'), 'to the stream')"
    )
    with (tmp_path / "printed").open("wb") as printed:
        before = os.fstat(printed.fileno()).st_ino
        subprocess.run([sys.executable, "-c", code], stdout=printed, check=True)
    printed_to = tmp_path / "printed"
    assert (printed_to.read_text(), printed_to.stat().st_ino) == ("to the stream", before)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("missing/x", "No such file or directory"),
        ("folder", "Is a directory"),
        ("loop", "Too many levels of symbolic links"),
        ("x" * 256, "File name too long"),
    ],
)
def test_what_cannot_be_written_is_said_with_its_name(name: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match=why):
        try_to_write(tmp_path / name)
    with pytest.raises(UserError, match=f"{name}: {why}"):
        write_file(tmp_path / name, "text")


def test_to_try_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    try_to_write(path)
    assert list(tmp_path.iterdir()) == []
    path.write_text("a good page")
    try_to_write(path)
    assert path.read_text() == "a good page"
