"""The folder that `page --export` writes: whole or not at all, and in place of no other files."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from compare.commands.page.application import STATIC
from compare.commands.page.export import (
    MANIFEST,
    given_boards,
    plain_script,
    replacing,
    write_files,
)
from puzzles.text import UserError
from tests.processes import LONGEST_S, command, environment, run_module, run_python, wait_until

FILES = {"index.html": "<!doctype html>", "page.js": "start();"}


def exported(folder: Path, files: dict[str, str] = FILES) -> None:
    with replacing(folder) as part:
        write_files(part, files)


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir() if path.name != MANIFEST}


def test_an_export_replaces_an_empty_folder_and_what_an_export_wrote(tmp_path: Path) -> None:
    folder = tmp_path / "lesson"
    folder.mkdir()
    exported(folder)
    assert contents(folder) == FILES
    exported(folder, {"index.html": "another"})
    assert contents(folder) == {"index.html": "another"}
    assert [path.name for path in tmp_path.iterdir()] == ["lesson"]


@pytest.mark.parametrize("name", ["notes.txt", "page.js"])
def test_a_folder_with_anything_else_is_left_as_it_was(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "lesson"
    exported(folder)
    (folder / name).write_text("mine")
    before = contents(folder)
    with pytest.raises(UserError, match=f"'{name}' is there, and no export wrote it as it is"):
        exported(folder, {"index.html": "another"})
    assert contents(folder) == before
    assert [path.name for path in tmp_path.iterdir()] == ["lesson"]


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("a/b", "there is no folder .*/a$"),
        ("file", "this is no folder$"),
        ("file/inside", "there is no folder .*/file$"),
    ],
)
def test_a_place_that_is_none_is_a_sentence(tmp_path: Path, place: str, sentence: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=sentence):
        exported(tmp_path / place)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "no space")])
def test_nothing_stays_of_an_export_that_breaks_off(tmp_path: Path, error: BaseException) -> None:
    folder = tmp_path / "lesson"
    exported(folder)

    def break_off() -> None:
        with replacing(folder) as part:
            write_files(part, {"index.html": "half"})
            raise error

    with pytest.raises(type(error)):
        break_off()
    assert contents(folder) == FILES
    assert [path.name for path in tmp_path.iterdir()] == ["lesson"]


def test_a_disk_that_is_full_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command itself; only what the page holds is made up."""
    from compare.commands.page import export

    def full(path: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    async def files(*_: object) -> dict[str, str]:
        return FILES

    monkeypatch.setattr(export, "_files", files)
    monkeypatch.setattr(export, "Page", lambda added: None)
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(UserError, match="^--export .*/lesson: No space left on device$"):
        export.export(tmp_path / "lesson", export.Additions(), [])
    assert list(tmp_path.iterdir()) == []


def run(*words: str, cwd: Path) -> tuple[int, list[str]]:
    """The exit status of `compare page` with these words, and what it says on standard error."""
    ended = run_module("compare", "page", *words, cwd=cwd)
    return ended.returncode, ended.stderr.splitlines()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--export", "/proc/lesson"), "--export /proc/lesson: No such file or directory"),
        (("--board", "beams=x.in"), "--board is for --export DIR: "),
        (("--export", "x", "--board", "beams"), "--board 'beams': expected PUZZLE=FILE, or a link"),
        (("--export", "x", "--board", "beams=no.in"), "no.in: No such file or directory"),
        (("--export", "x", "--board", "chess=b.in"), "--board b.in: unknown puzzle 'chess'"),
        (("--export", "x", "--board", "beams=b.in"), "--board b.in: row 1, column 1: "),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path: Path, words: tuple[str, ...], sentence: str) -> None:
    (tmp_path / "b.in").write_text("1\n1 1\n?\n")
    status, lines = run(*words, cwd=tmp_path)
    assert (status, len(lines)) == (2, 1), lines
    assert lines[0].startswith(sentence)
    assert [path.name for path in tmp_path.iterdir()] == ["b.in"]


def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    process = subprocess.Popen(
        command("compare", "page", "--export", "lesson"),
        cwd=tmp_path,
        env=environment(),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_until(lambda: process.poll() is not None or list(tmp_path.iterdir()))
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=LONGEST_S)
    assert (process.returncode, errors) == (130, "interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_while_the_loop_is_made_is_one_word(tmp_path: Path) -> None:
    """A loop that is half made cannot be closed, and Python would say so."""
    code = """
import os, runpy, signal, sys
from asyncio.selector_events import BaseSelectorEventLoop

make_pipe = BaseSelectorEventLoop._make_self_pipe

def interrupt(loop):
    os.kill(os.getpid(), signal.SIGINT)
    make_pipe(loop)

BaseSelectorEventLoop._make_self_pipe = interrupt
sys.argv = ["compare", "page", "--export", "lesson"]
runpy.run_module("compare", run_name="__main__", alter_sys=True)
"""
    ended = run_python("-c", code, cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (130, "interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_a_link_names_a_board(tmp_path: Path) -> None:
    path = tmp_path / "two.in"
    path.write_text("2\n")
    link = "http://127.0.0.1:4997/#puzzle=beams&board=1%0A1%202%0A.-%0A"
    assert given_boards([link, f"nogo={path}"]) == [
        ("beams", "from a link", "1\n1 2\n.-\n"),
        ("nogo", "two.in", "2\n"),
    ]
    with pytest.raises(UserError, match="this link holds no board"):
        given_boards(["http://127.0.0.1:4997/#puzzle=beams"])


def test_a_module_becomes_a_plain_script() -> None:
    source = (
        'import { a as b, c } from "./x.js";\n'
        'import * as all from "/static/y.js";\n'
        "export const d = 1;\n"
        "export async function* e() {}\n"
        "export class F {}\n"
        "const late = () => import(d);\n"
    )
    assert plain_script("/puzzles/p/page.js", source) == (
        'define("/puzzles/p/page.js", () => {\n'
        'const { a: b, c } = need("/puzzles/p/x.js");\n'
        'const all = need("/static/y.js");\n'
        "const d = 1;\n"
        "async function* e() {}\n"
        "class F {}\n"
        "const late = () => need(d);\n"
        "\nreturn { d, e, F };\n});\n"
    )


@pytest.mark.parametrize(
    "line", ["export default 1;", 'import x from "./x.js";', "export { x };", "import.meta.url;"]
)
def test_a_module_of_another_kind_is_refused(line: str) -> None:
    with pytest.raises(UserError, match="/p.js cannot be part of a page without a server"):
        plain_script("/p.js", f"{line}\n")


def test_the_page_without_a_server_exports_what_the_others_import() -> None:
    """`stored.js` stands in the place of `server.js`."""
    imports = {
        name
        for path in STATIC.glob("*.js")
        for names in re.findall(r"import \{(.*)\} from \"./server.js\"", path.read_text())
        for name in names.replace(" ", "").split(",")
    }
    exports = set(
        re.findall(r"^export (?:async )?(?:const|function\*?|class) (\w+)", stored(), re.M)
    )
    assert imports <= exports


def stored() -> str:
    return (STATIC.parent / "stored.js").read_text()
