"""All figures of the pages, measured anew by one command, which also writes them into the pages.

`python -m benchmarks.all [NAME ...] --peers DIR`, in the root of a checkout without changed code.
What is measured is kept in `measured.jsonl` beside this file. The same command goes on where it was
interrupted; a later commit that changes none of its modules leaves a figure as it is. `--stale`
lists the figures in pages whose modules have changed since their commit.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from time import perf_counter

import msgspec

from benchmarks import peers
from benchmarks.blocks import (
    ROOT,
    Written,
    blocks,
    changed_since,
    git,
    has_commit,
    stale,
    write,
)
from benchmarks.groups import GROUPS
from compare.engine.campaign.header import environment
from puzzles.shell.exit_status import returns_exit_status
from puzzles.text import UserError, count_noun

KEPT = Path(__file__).with_name("measured.jsonl")


class Measured(msgspec.Struct, frozen=True):
    """The figures of a group, and when and where they were measured: a line of the file.

    Attributes:
        started: date and time with the zone.
        machine: its cores and its processor.
        load: of the minute before, in which the group before may have run.
        minutes: how long it took.
    """

    name: str
    commit: str
    started: str
    machine: str
    load: float
    minutes: float
    text: str
    pictures: dict[str, str]

    @property
    def written(self) -> Written:
        """What stands in the block: the figures, and one line on their age."""
        day = self.started[:10]
        where = f"on {self.machine}; load {self.load:.1f} in the minute before"
        line = f"Measured on {day} at commit {self.commit[:8]}, {where}."
        return Written(self.commit[:12], day, f"{self.text.strip()}\n\n*{line}*")


def kept(path: Path) -> list[Measured]:
    """The lines of the file.

    Raises:
        UserError: one of them is none of ours.
    """
    lines = path.read_bytes().splitlines() if path.exists() else []
    try:
        return [msgspec.json.decode(line, type=Measured) for line in lines]
    except msgspec.DecodeError as error:
        raise UserError(f"{path}: no file of figures: {error}") from None


def kept_of(commit: str, path: Path) -> dict[str, Measured]:
    """The figures of the file that hold at a commit: they were measured there, or where none of
    their modules was another. The last of a name counts.
    """

    def holds(each: Measured) -> bool:
        if each.commit == commit or each.name not in GROUPS:
            return each.commit == commit
        modules = GROUPS[each.name].modules
        return bool(has_commit(each.commit)) and not changed_since(each.commit, modules)

    return {
        each.name: msgspec.structs.replace(each, commit=commit)
        for each in kept(path)
        if holds(each)
    }


def commit_of_checkout() -> str:
    """The commit to which the figures belong.

    Raises:
        UserError: there is none, for there is no git, or code has changed since.
    """
    commit = git("rev-parse", "HEAD")
    if commit is None:
        raise UserError("figures belong to a commit: there is no git, or this is no checkout")
    changed = git("status", "--porcelain", "--", "*.py")
    if changed:
        raise UserError(f"figures belong to a commit: commit these first\n{changed.rstrip()}")
    return commit.strip()


def measure(name: str, commit: str, folder: Path | None) -> Measured:
    """Measure a group now."""
    here, started = environment(), perf_counter()
    figures = GROUPS[name].measure(folder)
    return Measured(
        name,
        commit,
        here.started,
        f"{count_noun(here.cores or 1, 'core')} of {here.processor}",
        here.load[0] if here.load else 0.0,
        (perf_counter() - started) / 60,
        figures.text,
        dict(figures.pictures),
    )


def measure_all(
    names: Iterable[str], commit: str, folder: Path | None, path: Path
) -> tuple[dict[str, Measured], list[str]]:
    """Measure the groups of which the file has no figures that hold, and add each to it.

    Returns:
        the figures of this commit, and a sentence for each group that cannot be measured.
    """
    before = kept(path)
    minutes = {name: group.minutes for name, group in GROUPS.items()}
    minutes |= {each.name: each.minutes for each in before}
    now = kept_of(commit, path)
    absent, left = peers.missing(folder), []
    waiting: list[str] = []
    for name in names:
        lacking = sorted({*GROUPS[name].peers} & {*absent})
        if lacking:
            left.append(f"{name} is left out: {peers.how_to_install(lacking)}, then --peers DIR")
        elif name not in now:
            waiting.append(name)
    say(f"{count_noun(len(now), 'group')} measured, {len(waiting)} to measure", minutes, waiting)
    began = perf_counter()
    for number, name in enumerate(waiting):
        say(f"{number + 1} of {len(waiting)}: {name}", minutes, waiting[number:])
        try:
            now[name] = measure(name, commit, folder)
        except UserError as error:
            left.append(f"{name} failed: {error}")
            continue
        with path.open("ab") as file:
            file.write(msgspec.json.encode(now[name]) + b"\n")
    print(f"measured in {(perf_counter() - began) / 60:.1f} minutes", file=sys.stderr)
    return now, left


def say(what: str, minutes: Mapping[str, float], names: Sequence[str]) -> None:
    """Say what is done, and how long these groups take."""
    rest = sum(minutes[name] for name in names)
    print(f"{what}; about {rest:.0f} minutes from now", file=sys.stderr)


@returns_exit_status
def main(words: Sequence[str] | None = None) -> int:
    """Measure and write, or list what is stale; 3 if something was left out."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.all", description=__doc__)
    parser.add_argument(
        "name", nargs="*", metavar="NAME", help=f"of {', '.join(GROUPS)} (default: all)"
    )
    peers.add_argument(parser)
    parser.add_argument(
        "--keep",
        type=Path,
        default=KEPT,
        metavar="FILE",
        help="where figures are kept (default: benchmarks/measured.jsonl)",
    )
    parser.add_argument(
        "--write", action="store_true", help="measure nothing; write what is kept and still holds"
    )
    parser.add_argument(
        "--stale",
        action="store_true",
        help="list the figures in pages that are older than the code that they speak of",
    )
    options = parser.parse_args(words)
    for name in options.name:
        if name not in GROUPS:
            parser.error(f"unknown figures {name!r}: choose from {', '.join(GROUPS)}")
    if options.stale:
        lines = stale({name: group.modules for name, group in GROUPS.items()})
        print("\n".join(lines or ["no figure is older than its code"]))
        return 0
    peers.use(options.peers)
    commit = commit_of_checkout()
    left: list[str] = []
    if options.write:
        now = kept_of(commit, options.keep)
    else:
        now, left = measure_all(options.name or GROUPS, commit, options.peers, options.keep)
    chosen = {name: each for name, each in now.items() if name in (options.name or GROUPS)}
    changed = write({name: each.written for name, each in chosen.items()})
    for each in chosen.values():
        for path, svg in each.pictures.items():
            (ROOT / path).write_text(svg)
    print(f"written: {', '.join(map(str, changed)) or 'no page has changed'}")
    nowhere = sorted({*chosen} - {block.name for block in blocks()})
    left += [f"{name} stands on no page" for name in nowhere]
    for line in left:
        print(line, file=sys.stderr)
    return 3 if left else 0


if __name__ == "__main__":
    sys.exit(main())
