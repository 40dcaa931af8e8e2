"""Results as lines of JSON: nothing is lost, texts can be read back, and files that are kept
can.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

import direct
import puzzles
from compare.engine.campaign.comparison import Comparison
from compare.engine.campaign.header import Header
from compare.engine.campaign.plan import Settings, bundled_datasets
from compare.engine.campaign.summaries import summaries_of
from compare.engine.isolate.outcome import Status
from compare.engine.work.asking import carry_out
from compare.engine.work.contenders import choose
from compare.engine.work.json_lines import PackedClaims, pack, unpack
from compare.engine.work.result import MAX_KEPT_TEXT, Kind, Result
from puzzles.answer import Verdict
from tests.installed import slow
from tests.pools import in_pool
from tests.records import read_file, record

RECORDS = Path(__file__).parent / "records"
"""Files that `compare run --out` wrote."""


@pytest.mark.parametrize(
    "claims",
    [[], [1], [-1, 0, 2], list(range(64)), [0, 1, 2, -1] * 500, list(range(1000)), [2**40] * 100],
)
def test_claims_are_packed_without_loss(claims: list[int]) -> None:
    array = np.array(claims, np.int64)
    again = unpack(msgspec.convert(pack(array), PackedClaims), array.size)
    assert again is not None
    assert np.array_equal(again, array)
    assert unpack(None, 1) is None


def test_a_record_survives_its_line() -> None:
    before = record(
        2,
        contender="models:cnf",
        solver="glucose4",
        dataset="a",
        file="b",
        shape=(3, 4),
        check=Verdict.PROVED,
        wall_s=0.25,
        variables=3,
        clauses=4,
        decided=1,
        exact={"layouts": "12"},
        text="1\n1 1\n.\n",
        answer="Case #1: IMPOSSIBLE\n",
    )
    after = Result.from_line(before.line())
    assert after.line() == before.line()
    assert (after.run_key, after.text, after.format) == (
        before.run_key,
        before.text,
        before.format,
    )
    assert (after.status, after.check, after.usage, after.effort) == (
        Status.OK,
        before.check,
        before.usage,
        before.effort,
    )
    data = json.loads(before.line())
    assert (data["size"], data["shape"]) == (12, [3, 4])
    assert (data["usage"]["wall_s"], data["effort"]["variables"]) == (0.25, 3)


@pytest.mark.parametrize(
    "puzzle", ["nogo", *(slow(each) for each in puzzles.names() if each != "nogo")]
)
def test_the_texts_of_a_record_are_an_input_file_and_an_answer(puzzle: str) -> None:
    known = puzzles.get(puzzle)
    for dataset in bundled_datasets(known):
        for case in dataset.cases():
            instance = case.instance
            answer = direct.solve(instance)
            ask = Settings(check=False).ask(choose(known, ["direct"], {})[0], (case,))
            (result,) = in_pool(carry_out, ask)
            restored = Result.from_line(result.line())
            if restored.text is None or restored.answer is None:
                assert (
                    max(
                        len(known.print_instances([instance])),
                        len(known.print_answers([answer], restored.format)),
                    )
                    > MAX_KEPT_TEXT
                )
                continue
            assert known.parse(restored.text, "record") == [instance]
            assert restored.instance() == instance
            read_back = restored.read_answer(instance)
            assert read_back is not None
            assert read_back.claims is not None
            assert answer.claims is not None
            assert np.array_equal(read_back.claims, answer.claims)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{",
        "[]",
        "3",
        "{}",
        '{"header": true}',
        '{"puzzle": "beams", "size": 3}',
        '{"backend": "x"}',
    ],
)
def test_what_is_no_record_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="not a record"):
        Result.from_line(line)


def test_another_format_is_refused() -> None:
    line = Header.of([], Settings()).line()
    with pytest.raises(ValueError, match="its file format is 1, and this program reads 3"):
        Header.from_line(line.replace('"file_format": 3', '"file_format": 1'))


@pytest.mark.parametrize(
    ("name", "records", "headline", "proved"),
    [
        ("beams", 35, "FAILED", 17),
        ("minesweeper", 10, "ALL AGREE", 10),
        ("geography", 7, "ALL AGREE", 7),
    ],
)
def test_a_file_that_is_kept_is_read(name: str, records: int, headline: str, proved: int) -> None:
    content = read_file(str(RECORDS / f"{name}.jsonl"))
    assert len(content.records) == records
    comparison = Comparison.of(content.records)
    assert (comparison.headline, comparison.tally.proved) == (headline, proved)
    for each in content.records:
        instance = each.instance()
        assert instance is not None
        assert (instance.digest, instance.size, instance.shape) == (
            each.digest,
            each.size,
            each.shape,
        )
        assert each.read_answer(instance) is not None
        assert (each.kind is Kind.BACKEND) == (":" in each.contender)
        assert (each.effort.variables is not None) == each.contender.startswith("models:")
    kinds = {each.contender: each.kind for each in content.records}
    assert kinds.get("mine", Kind.PROGRAM) is Kind.PROGRAM
    assert kinds.get("expected", Kind.GIVEN) is Kind.GIVEN
    if name == "minesweeper":
        recalls = [
            result.rare.recall for result in summaries_of(comparison.instances, "direct:two-sat")
        ]
        assert recalls == [1.0, None, None]
