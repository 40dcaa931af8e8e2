"""What the tests of several folders of `compare` share."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import pytest

from compare.command_line import main
from compare.engine.work.pool import Pool
from tests.processes import CompareHere, Ended


@pytest.fixture
def pool() -> Iterator[Pool]:
    made = Pool()
    yield made
    made.close()


@pytest.fixture
def compare_here(capsys: pytest.CaptureFixture[str]) -> CompareHere:
    def run(line: str, *words: str, status: int = 0) -> Ended:
        try:
            ended = main([*shlex.split(line), *words])
        except SystemExit as refused:
            ended = refused.code
        out, err = capsys.readouterr()
        assert ended == status, out + err
        return Ended(line, status, out, err)

    return run
