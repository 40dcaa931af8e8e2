"""The reducer: it ends at a value of which no smaller candidate fails, tries none twice, and heeds
whoever says stop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compare.engine.search.reducer import Reducer, from_place


def without_one(word: str) -> Iterator[str]:
    for k in range(len(word)):
        yield word[:k] + word[k + 1 :]


class Runs:
    """Words that hold an `a` before a `b` fail; every run is noted."""

    def __init__(self) -> None:
        self.runs: list[list[str]] = []

    def first_failing(self, words: Sequence[str]) -> tuple[int, str] | None:
        self.runs.append(list(words))
        return next(
            ((k, word) for k, word in enumerate(words) if "b" in word.partition("a")[2]), None
        )

    @property
    def tried(self) -> list[str]:
        return [word for run in self.runs for word in run]


def reducer(runs: Runs, start: str, at_once: int, most_runs: int = 1000) -> Reducer[str]:
    return Reducer(
        start,
        runs.first_failing,
        over=lambda: len(runs.runs) >= most_runs,
        key=lambda word: word,
        at_first=min(2, at_once),
        most_at_once=at_once,
    )


def test_the_smallest_is_reached_whatever_is_tried_at_once() -> None:
    for at_once in (1, 2, 16):
        runs, start = Runs(), "xxaxxaxbxxbxx"
        search = reducer(runs, start, at_once)
        search.descend(from_place(without_one))
        assert search.smallest == "ab"
        assert search.tries == len(runs.runs)
        assert max(map(len, runs.runs)) <= at_once
        assert start not in runs.tried


def test_no_candidate_is_tried_twice_until_the_search_begins_again() -> None:
    runs = Runs()
    search = reducer(runs, "xaaxbb", 1)
    search.descend(from_place(without_one))
    search.descend(from_place(without_one))
    assert len(set(runs.tried)) == len(runs.tried)
    before = len(runs.tried)
    search.restart("xaaxbb")
    search.descend(from_place(without_one))
    assert (search.smallest, runs.tried[before:]) == ("ab", runs.tried[:before])


def test_a_run_has_twice_as_many_candidates_after_one_in_which_all_pass() -> None:
    runs = Runs()
    search = reducer(runs, "ab", 16)
    assert not search.take(str(number) for number in range(40))
    assert [len(run) for run in runs.runs] == [2, 4, 8, 16, 10]


def test_the_smallest_so_far_is_kept_when_no_more_runs_are_wanted() -> None:
    runs, kept = Runs(), list[str]()
    search = Reducer(
        "xxab", runs.first_failing, over=lambda: len(runs.runs) == 1, key=str, keep=kept.append
    )
    search.descend(from_place(without_one))
    assert (search.smallest, kept, runs.runs) == ("xab", ["xab"], [["xab"]])
