"""A page without a server, as a folder of static files.

It holds boards with all that the page shows of them: answers, cores and derivations. They are
computed here as the server computes them. `stored.js` stands in the place of `server.js` there; all
other scripts are those of the page, as plain scripts: a browser loads no module of a page that is
opened as a file.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import posixpath
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import puzzles
from compare.commands.page.answers import BoardQuestion, stream_answers
from compare.commands.page.application import STATIC, Page
from compare.commands.page.bounds import RefusedRequest
from compare.commands.page.catalogue import SCRIPTS, script_path
from compare.commands.page.hints import Additions, start_command
from compare.commands.page.questions import boards_in, replies, reply, the_one
from compare.commands.page.workers import in_judge, in_solver
from compare.engine.campaign.header import versions
from compare.engine.work.contenders import BackendContender
from compare.show.wording import progress_bar
from puzzles.grid import Board
from puzzles.instance import Instance
from puzzles.shell.interruption import Handled
from puzzles.shell.output_files import writing
from puzzles.text import UserError, count_noun, quote_beginning, read_source

MANIFEST = "files.txt"
"""Names the files that an export wrote, each with its digest: these alone a later one replaces."""

_LOADER = """\
"use strict";
const makers = {}, modules = {};
const define = (path, make) => { makers[path] = make; };
const need = (path) => (modules[path] ??= makers[path]());
"""
"""What stands before the scripts: `define` keeps what a module does, and `need` does it once, when
another module imports it.
"""

_NAMES = re.compile(r'^import \{([^}]*)\} from "([^"]+)";$', re.MULTILINE)
_MODULE = re.compile(r'^import \* as (\w+) from "([^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const|let) (\w+))", re.MULTILINE)
_LATE = re.compile(r"\bimport\(")
_LEFT = re.compile(r"^(?:import|export)\b.*|\bimport\.meta\b", re.MULTILINE)

_CELL = "ROW,COL"
"""How a request says that its value is a cell."""

_POLICY = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file: 'unsafe-inline'; "
    "img-src 'self' blob: data:; base-uri 'none'; form-action 'none'"
)
"""What the page may load: nothing but the files beside it."""

StoredEntry = dict[str, Any]
"""What the page says of a puzzle; see `catalogue.describe_puzzle`."""


def export(folder: Path, added: Additions, boards: Sequence[str]) -> int:
    """Write the page into a folder; returns the exit status.

    Args:
        boards: more boards than the bundled ones; see `given_boards`.

    Raises:
        UserError: the folder cannot be written or holds other files, or a board cannot be read.
    """
    runner, interrupts = asyncio.Runner(), list[int]()
    with Handled(lambda number, frame: interrupts.append(number)):
        runner.get_loop()  # Python cannot close a loop that is half made, and would say so
    with runner, replacing(folder.absolute()) as part:
        if interrupts:
            raise KeyboardInterrupt
        files = runner.run(_files(Page(added), added, given_boards(boards)))
        with writing(f"--export {folder}"):
            write_files(part, files)
    size = sum(len(text.encode()) for text in files.values()) / 1e6
    number = count_noun(len(files) + 1, "file")  # with the list of them
    print(f"{folder}: {number}, {size:.1f} MB; open index.html there")
    return 0


def given_boards(words: Sequence[str]) -> list[tuple[str, str, str]]:
    """The puzzle, the name and the text of each word, a link of the page or `PUZZLE=FILE`; raises
    `UserError`.
    """
    boards: list[tuple[str, str, str]] = []
    for word in words:
        values = parse_qs(urlsplit(word).fragment, keep_blank_values=True)
        if "puzzle" in values:
            if "board" not in values:
                raise UserError(f"--board {quote_beginning(word)}: this link holds no board")
            boards.append((values["puzzle"][0], "from a link", values["board"][0]))
            continue
        puzzle, _, path = word.partition("=")
        if not path:
            raise UserError(
                f"--board {quote_beginning(word)}: expected PUZZLE=FILE, or a link of the page "
                "such as http://127.0.0.1:4997/#puzzle=...&board=..."
            )
        data, name = read_source(path)
        boards.append((puzzle, Path(name).name, data.decode("utf-8", "replace")))
    return boards


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """A new folder beside `folder`, which takes its place if all goes well; else nothing stays.

    Raises:
        UserError: there is something in `folder` that no export wrote, or nothing can be written
            beside it.
    """
    _refuse_foreign(folder)
    folder = folder.resolve()
    part, old = (folder.with_name(f".{folder.name}.{os.getpid()}.{end}") for end in ("new", "old"))
    try:
        with writing(f"--export {folder}"):
            part.mkdir()
        yield part
        with writing(f"--export {folder}"):
            if folder.exists():
                folder.rename(old)
            part.rename(folder)
    finally:
        if old.exists() and not folder.exists():
            old.rename(folder)
        for each in (part, old):
            shutil.rmtree(each, ignore_errors=True)


def _refuse_foreign(folder: Path) -> None:
    if not folder.exists():
        if not folder.parent.is_dir():
            raise UserError(f"--export {folder}: there is no folder {folder.parent}")
        return
    if not folder.is_dir():
        raise UserError(f"--export {folder}: this is no folder")
    with writing(f"--export {folder}"):
        names = sorted(each.name for each in folder.iterdir())
        written: dict[str, str] = {}
        if MANIFEST in names:
            lines = (folder / MANIFEST).read_text("utf-8", "replace").splitlines()
            written = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
        for name in names:
            path = folder / name
            if name == MANIFEST and written:
                continue
            known = name in written and path.is_file()
            if not known or written[name] != _digest(path.read_bytes()):
                raise UserError(
                    f"--export {folder}: {quote_beginning(name)} is there, and no export wrote it "
                    "as it is. All is left as it was: name another folder, or move that file"
                )


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write files by their names, and the list of them."""
    lines = [f"{_digest(text.encode())}  {name}\n" for name, text in files.items()]
    for name, text in {**files, MANIFEST: "".join(lines)}.items():
        (folder / name).write_bytes(text.encode())


async def _files(
    page: Page, added: Additions, given: Sequence[tuple[str, str, str]]
) -> dict[str, str]:
    """All files of the folder, by their names."""
    async with page.working():
        catalogue = await page.catalogue()
        for each in catalogue["unusable"]:
            raise UserError(each["fault"])
        entries = {each["name"]: each for each in catalogue["puzzles"]}
        await _add_given(page, entries, given)
        stored = await _stored(page, added, list(entries.values()))
    about = {
        **catalogue,
        "version": versions()["twofold"] or "not installed",
        "preparing": "",
        "command": start_command(added),
        "fault": "",
    }
    scripts = {name: f"{name}-boards.js" for name in entries}
    files = {each: (STATIC / each).read_text("utf-8") for each in ("controls.css", "page.css")}
    modules = (plain_script(path, source) for path, source in _modules().items())
    files["page.js"] = _LOADER + "".join(modules)
    for name, entry in entries.items():
        for key, file in zip(("script", "game"), SCRIPTS, strict=True):
            path = script_path(puzzles.get(name), file)
            if path is not None:
                files[f"{name}-{file}"] = plain_script(entry[key], path.read_text("utf-8"))
        files[scripts[name]] = f"store({json.dumps(name)}, {json.dumps(stored[name])});\n"
    files["start.js"] = (
        f"globalThis.stored = {json.dumps({'about': about, 'scripts': scripts})};\n"
        'need("/static/main.js");\n'
    )
    before = [each for each in files if each.endswith(".js") and each not in scripts.values()]
    files["index.html"] = _index(before)
    return files


def _modules() -> dict[str, str]:
    """The page's modules by their paths."""
    sources = {path.name: path for path in sorted(STATIC.glob("*.js"))}
    sources["server.js"] = STATIC.parent / "stored.js"
    return {f"/static/{name}": path.read_text("utf-8") for name, path in sources.items()}


def _index(scripts: Sequence[str]) -> str:
    """The page, with plain scripts in place of its modules."""
    page = (STATIC / "index.html").read_text("utf-8")
    page = re.sub(r'<link rel="modulepreload".*\n|<meta name="twofold-token".*\n', "", page)
    plain = "\n".join(f'<script defer src="{each}"></script>' for each in scripts)
    page = page.replace('<script type="module" src="/static/main.js"></script>', plain)
    page = page.replace('href="/static/', 'href="').replace("<body>", '<body class="stored">')
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    return page.replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n{policy}')


async def _add_given(
    page: Page, entries: Mapping[str, StoredEntry], given: Sequence[tuple[str, str, str]]
) -> None:
    """Put the user's boards before the bundled ones."""
    more: dict[str, list[StoredEntry]] = {}
    for puzzle, name, text in given:
        if puzzle not in entries:
            raise UserError(
                f"--board {name}: unknown puzzle {quote_beginning(puzzle)}: choose from "
                f"{', '.join(entries)}"
            )
        try:
            boards = await page.workers.call(in_judge, boards_in, puzzle, text)
        except UserError as error:
            raise UserError(f"--board {name}: {error}") from None
        for number, board in enumerate(boards, 1):
            title = f"{name} {number}" if len(boards) > 1 else name
            entry = {"name": title, "dataset": "given", "text": board["text"]}
            more.setdefault(puzzle, []).append(entry)
    for puzzle, samples in more.items():
        entries[puzzle]["samples"][:0] = samples


async def _stored(
    page: Page, added: Additions, entries: Sequence[StoredEntry]
) -> dict[str, dict[str, Any]]:
    """What the page stores of the boards of each puzzle, by their texts."""
    for entry in entries:
        entry["programs"] = [each for each in entry["programs"] if each["default"]]
        entry["samples"] = entry["samples"] or [
            {"name": "the example", "dataset": "example", "text": await _example(page, entry)}
        ]
    wanted = [
        (entry, text)
        for entry in entries
        for text in dict.fromkeys(each["text"] for each in entry["samples"])
    ]
    stored: dict[str, dict[str, Any]] = {each["name"]: {} for each in entries}
    with progress_bar(total=len(wanted), unit="board") as bar:

        async def store(entry: StoredEntry, text: str) -> None:
            stored[entry["name"]][text] = await _board(page, added, entry, text)
            bar.update()

        try:
            async with asyncio.TaskGroup() as group:
                for entry, text in wanted:
                    group.create_task(store(entry, text))
        except ExceptionGroup as errors:  # the first one has cancelled all others
            raise errors.exceptions[0] from None
    return stored


async def _example(page: Page, entry: StoredEntry) -> str:
    """The first board of a puzzle's example: a page without a server shows something."""
    boards = await page.workers.call(in_judge, boards_in, entry["name"], entry["example"])
    return boards[0]["text"]


async def _board(page: Page, added: Additions, entry: StoredEntry, text: str) -> StoredEntry:
    """All that the page shows of a board."""
    puzzle = puzzles.get(entry["name"])
    (seen,) = await page.workers.call(in_judge, boards_in, puzzle.name, text)
    instance = await page.workers.call(in_judge, the_one, puzzle.name, text)
    first = [each["contender"] for each in entry["backends"] if each["default"]]
    programs = [each["contender"] for each in entry["programs"]]
    names = list(dict.fromkeys([*programs, *first, *entry["chosen"]]))
    question = BoardQuestion(
        puzzle, instance, page.contenders(puzzle, names), None, "", added, tab=""
    )
    lines = [line async for line in stream_answers(page.workers, question)]
    order = {name: place for place, name in enumerate(names)}
    lines.sort(key=lambda line: order.get(line.get("contender", ""), len(order)))
    (asked, *_) = page.contenders(puzzle, first[:1])
    assert isinstance(asked, BackendContender)
    return {"read": seen, "lines": lines, "replies": await _replies(page, asked, instance)}


async def _replies(page: Page, asked: BackendContender, instance: Instance) -> StoredEntry:
    """What a backend says to the further questions of the puzzle, by question and value."""
    stored: StoredEntry = {}
    for request in puzzles.get(asked.puzzle).requests:
        try:
            if request.metavar is None:
                call = page.workers.call(
                    in_solver, reply, asked, instance, request.name, "", contender=asked
                )
                stored[f"{request.name} "] = await call
            elif request.metavar == _CELL and isinstance(instance, Board):
                for row in range(1, instance.rows + 1):
                    cells = [f"{row},{column}" for column in range(1, instance.columns + 1)]
                    call = page.workers.call(
                        in_solver, replies, asked, instance, request.name, cells, contender=asked
                    )
                    stored |= {
                        f"{request.name} {cell}": each for cell, each in (await call).items()
                    }
        except RefusedRequest:
            continue  # on the page this question has no answer either
    return stored


def plain_script(path: str, source: str) -> str:
    """A module as a call of `define`.

    It may begin lines with `import {names} from`, `import * as name from`, and `export` before a
    function, class, const or let.

    Raises:
        UserError: it imports or exports in another way.
    """

    def place(specifier: str) -> str:
        return posixpath.normpath(posixpath.join(posixpath.dirname(path), specifier))

    names = _EXPORT.findall(source)
    body = _EXPORT.sub("", source)
    body = _NAMES.sub(
        lambda match: f'const {{{re.sub(r" as ", ": ", match[1])}}} = need("{place(match[2])}");',
        body,
    )
    body = _MODULE.sub(lambda match: f'const {match[1]} = need("{place(match[2])}");', body)
    body = _LATE.sub("need(", body)
    left = _LEFT.search(body)
    if left is not None:
        raise UserError(
            f"{path} cannot be part of a page without a server: `{left[0][:60]}` is none of the "
            "ways to import or export that such a page takes"
        )
    return f'define("{path}", () => {{\n{body}\nreturn {{ {", ".join(names)} }};\n}});\n'
