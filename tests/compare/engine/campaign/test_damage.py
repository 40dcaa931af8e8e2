"""Files of records that were edited or damaged: every command reads them or names the file and the
line.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from compare.command_line import main
from compare.engine.campaign.header import Header
from compare.engine.campaign.plan import Settings
from puzzles.text import UserError
from tests.compare.engine.work.test_result import RECORDS
from tests.installed import slow
from tests.processes import CompareHere
from tests.records import read_file

Lines = list[bytes]


def _zeros(mebibytes: int) -> bytes:
    """So many MiB of zeros, compressed, without compressing more than one: after a full flush the
    next one gives the same bytes.
    """
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    block = packer.compress(bytes(2**20)) + packer.flush(zlib.Z_FULL_FLUSH)
    adler32 = (mebibytes * 2**20 % 65521) << 16 | 1
    return b"\x78\x9c" + mebibytes * block + packer.flush() + adler32.to_bytes(4, "big")


_BOMB = base64.b64encode(_zeros(256)).decode()
"""A short text that stands for 256 MiB."""

VALUES: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        -1,
        1.5,
        7,
        2**31,
        2**63,
        2**64,
        -(2**63),
        10**30,
        1e300,
        float("nan"),
        float("inf"),
        -float("inf"),
    ),
    *(
        "",
        "x",
        "beams",
        "geography",
        "\ud800",
        "\0",
        "OK",
        "TIMEOUT",
        "REFUTED",
        "given",
        "<script>",
        "1\n1 1\n.\n",
        "9" * 5000,
    ),
    *(
        [],
        [0],
        [None],
        [[]],
        ["a"],
        [1.5],
        [2**63],
        [2**70],
        [0, 0],
        [0, 1],
        [-1] * 4,
        [3, 4],
        [10**9, 10**9],
        [2**62, 2**62],
    ),
    *(
        {},
        {"a": 1},
        {"dtype": "|i1"},
        {"dtype": "<f8", "zlib": "eJxjYGBgAAAABAAB"},
        {"dtype": "O", "zlib": "eJwDAAAAAAE="},
    ),
    *(
        {"dtype": "|i1", "zlib": "?"},
        {"dtype": "<i8", "zlib": "eJxjBAAAAgAC"},
        {"dtype": "|i1", "zlib": _BOMB},
        {"dtype": 3},
    ),
    *(
        {"variables": -1, "clauses": "x"},
        {"seconds": -1},
        {"seconds": "x", "memory": []},
        {"numpy": 3},
    ),
]
"""What stands in a field after an edit."""


def _edit(data: Any, rng: Random) -> Any:
    """The value with one thing in it changed: a field, a name, a member."""
    if isinstance(data, dict) and data and rng.random() < 0.9:
        name, other = rng.choice(list(data)), rng.choice(list(data))
        how = rng.randrange(8)
        if how == 0:
            return {key: value for key, value in data.items() if key != name}
        if how == 1:
            return {(f"{key}_" if key == name else key): value for key, value in data.items()}
        if how == 2:
            return {**data, name: data[other]}
        if how == 3:
            return {**data, name: _edit(data[name], rng)}
        return {**data, name: rng.choice(VALUES)}
    if isinstance(data, list) and data and rng.random() < 0.5:
        at = rng.randrange(len(data))
        return [*data[:at], _edit(data[at], rng), *data[at + 1 :]]
    if isinstance(data, str) and data and rng.random() < 0.5:
        at = rng.randrange(len(data))
        return data[:at] + rng.choice(["", "\n", "é", "7", "X", data]) + data[at + 1 :]
    return rng.choice(VALUES)


def _edited(line: bytes, rng: Random) -> bytes:
    data = json.loads(line)
    for _ in range(rng.choice((1, 1, 1, 3))):
        data = _edit(data, rng)
    return json.dumps(data).encode() + b"\n"


def _nested(line: bytes, rng: Random) -> bytes:
    depth = rng.choice((10, 60, 300, 900, 990, 5000, 100_000))
    value = (
        b"[" * depth + b"]" * depth
        if rng.random() < 0.5
        else b'{"a":' * depth + b"0" + b"}" * depth
    )
    field = rng.choice((b'"exact"', b'"claims"', b'"text"', b'"new"'))
    where = line.rfind(field)
    if where < 0:
        return line.rstrip()[:-1] + b", " + field + b": " + value + b"}\n"
    return line.rstrip()[:-1] + b", " + field + b': {"a": ' + value + b"}}\n"


def _with_bytes(line: bytes, rng: Random) -> bytes:
    damaged = bytearray(line)
    for _ in range(rng.choice((1, 1, 5, 50))):
        damaged[rng.randrange(len(damaged))] = rng.choice(
            (rng.randrange(256), 0xFF, 0, 0x22, 0x7B, 0x0D)
        )
    return bytes(damaged)


def _cut(line: bytes, rng: Random) -> bytes:
    start, end = sorted(rng.randrange(len(line)) for _ in range(2))
    return line[:start] + line[end:]


def _huge_number(line: bytes, rng: Random) -> bytes:
    numbers = list(re.finditer(rb": [0-9.]+", line))
    place = rng.choice(numbers)
    return (
        line[: place.start()]
        + b": "
        + rng.choice((b"9" * 5000, b"1e999", b"-1", b"NaN", b"9" * 25))
        + line[place.end() :]
    )


HOW: list[Callable[[bytes, Random], bytes]] = [
    _edited,
    _edited,
    _edited,
    _nested,
    _with_bytes,
    _cut,
    _huge_number,
]


def damages(lines: Lines, rng: Random) -> Iterator[bytes]:
    """The file again and again, each time with one line damaged; the header is one line in six."""
    while True:
        at = 0 if rng.random() < 1 / 6 else rng.randrange(len(lines))
        yield b"".join((*lines[:at], rng.choice(HOW)(lines[at], rng), *lines[at + 1 :]))


def commands(damaged: Path, whole: Path, page: Path) -> list[list[str]]:
    return [
        ["diff", str(damaged), str(whole)],
        ["diff", str(whole), str(damaged)],
        f"report {damaged} -o {page}".split(),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("cases", [50, slow(5_000)])
def test_every_damage_is_read_or_named(
    cases: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Reading is tried each time, a whole command every few times: most damages that are read at
    all are seen by both.
    """
    rng = Random(cases)
    damaged, whole = tmp_path / "damaged.jsonl", tmp_path / "whole.jsonl"
    sources = [
        path.read_bytes().splitlines(keepends=True) for path in sorted(RECORDS.glob("*.jsonl"))
    ]
    files = [damages([*lines[:1], *lines[1:8]], rng) for lines in sources]
    wrongs = commanded = 0
    for case in range(cases):
        which = case % len(files)
        damaged.write_bytes(next(files[which]))
        try:
            read_file(str(damaged))
            readable = True
        except UserError as error:
            assert re.match(re.escape(str(damaged)) + r":\d+: ", str(error)), error
            wrongs, readable = wrongs + 1, False
        whole.write_bytes(b"".join(sources[which][:8]))
        number = 1 if not readable else 3 if case % 20 == which else 2
        for words in commands(damaged, whole, tmp_path / "page.html")[:number]:
            status = main(words)
            err = capsys.readouterr().err
            assert status in ((0, 1, 2) if readable else (2,)), err
            assert readable or re.match(re.escape(str(damaged)) + r":\d+: ", err), err
            commanded += 1
    assert wrongs > cases / 3
    assert cases - wrongs > cases / 20
    assert commanded >= cases


@pytest.mark.parametrize("cases", [48, slow(500)])
def test_a_damaged_file_is_gone_on_with_or_named(
    cases: int, sample: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`run --resume` refuses it with a sentence and leaves it as it is, or makes it complete: every
    run once.
    """
    monkeypatch.chdir(sample)
    words = ["run", "beams", "official.in", "-b", "direct", "--out", "runs.jsonl"]
    path = Path("runs.jsonl")
    assert main(words) == 0
    lines = path.read_bytes().splitlines(keepends=True)
    whole = runs(path)
    assert set(whole.values()) == {1}
    capsys.readouterr()
    refused = continued = 0
    for damaged in islice(damages(lines, Random(cases)), cases):
        path.write_bytes(damaged)
        status = main([*words, "--resume"])
        err = capsys.readouterr().err
        if status == 2:
            assert re.match(r"runs\.jsonl(:\d+)?: \S", err), err
            assert path.read_bytes() == damaged
            refused += 1
        else:
            assert status in (0, 1), err
            assert runs(path) == whole
            continued += 1
    assert refused > cases / 2
    assert continued > cases / 20


def runs(path: Path) -> Counter[tuple[str, int, str, int]]:
    """How often each run stands in a file."""
    results = read_file(str(path)).records
    return Counter((each.digest, each.case, each.contender, each.repeat) for each in results)


def test_a_bomb_is_refused_before_it_is_decompressed(tmp_path: Path) -> None:
    header, line, *_ = (RECORDS / "geography.jsonl").read_bytes().splitlines(keepends=True)
    path = tmp_path / "bomb.jsonl"
    data = {**json.loads(line), "claims": {"dtype": "|i1", "zlib": _BOMB}}
    path.write_bytes(header + line + json.dumps(data).encode() + b"\n")
    with pytest.raises(
        UserError,
        match=r"bomb\.jsonl:3: not a record: there are more than 1168 claims, too many for an "
        r"instance "
        r"of size 9",
    ):
        read_file(str(path))


def test_a_damaged_header_is_no_other_command(tmp_path: Path, compare_here: CompareHere) -> None:
    path = tmp_path / "runs.jsonl"
    header = Header.of(["run"], Settings()).line()
    path.write_text(header.replace("compare run", "compare run 'open") + "\n")
    assert (
        "--resume goes on with the same command line only"
        in compare_here(f"run beams -k sample --out {path} --resume", status=2).stderr
    )
