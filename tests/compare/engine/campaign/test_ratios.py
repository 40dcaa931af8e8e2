"""How many times as long a contender takes as the reference, against times that are known."""

from __future__ import annotations

from math import exp, sqrt
from statistics import NormalDist

import numpy as np
import pytest

from compare.commands.run.comparison_tables import datasets_table, reference_of, time_ratio
from compare.engine.campaign.comparison import Comparison, PuzzleComparison
from compare.engine.campaign.ratios import (
    bootstrap,
    called,
    tail_share,
    the_called,
    told_apart,
)
from compare.engine.isolate.outcome import Status
from compare.engine.work.result import Result
from puzzles.answer import Verdict
from puzzles.text import UserError
from tests.records import record

DIRECT, CNF, PARTIAL = "direct:two-sat", "models:cnf", "models:partial"


def compared(*results: Result) -> PuzzleComparison:
    return Comparison.of(results).puzzles["beams"]


def two_contenders(ratios: list[float]) -> list[Result]:
    """`direct` takes 1 s, 2 s, ... on the boards, and the model `ratios` times as long."""
    return [
        run
        for case, ratio in enumerate(ratios, 1)
        for run in (
            record(case, wall_s=float(case)),
            record(
                case, contender=CNF, wall_s=case * ratio, build_s=case, solve_s=case * ratio / 4
            ),
        )
    ]


def test_the_ratio_is_the_geometric_mean_over_the_boards() -> None:
    part = compared(*two_contenders([2.0, 8.0, 4.0]))
    ratio = time_ratio(part.instances, CNF, DIRECT)
    assert ratio.ratio == pytest.approx(4)
    assert ratio.build == pytest.approx(1)
    assert ratio.solve == pytest.approx(1)
    assert (ratio.both, ratio.unsolved) == (3, 0)
    assert ratio.interval is not None
    low, high = ratio.interval
    assert 2 <= low < 4 < high <= 8


def test_the_interval_of_equal_ratios_is_a_point() -> None:
    ratio = time_ratio(compared(*two_contenders([3.0] * 5)).instances, CNF, DIRECT)
    assert ratio.interval == pytest.approx((3, 3))


def test_two_boards_have_no_interval() -> None:
    ratio = time_ratio(compared(*two_contenders([2.0, 8.0])).instances, CNF, DIRECT)
    assert ratio.ratio == pytest.approx(4)
    assert ratio.interval is None


def test_boards_that_one_did_not_solve_do_not_count() -> None:
    """Stopped, skipped and wrong answers are no times, on either side."""
    part = compared(
        *two_contenders([2.0, 8.0]),
        record(3, wall_s=1.0),
        record(3, contender=CNF, status=Status.TIMEOUT, wall_s=1000.0),
        record(4, wall_s=1.0),
        record(4, contender=CNF, status=Status.SKIPPED),
        record(5, wall_s=1.0),
        record(5, contender=CNF, wall_s=1000.0, check=Verdict.REFUTED),
        record(6, status=Status.TIMEOUT, wall_s=1.0),
        record(6, contender=CNF, wall_s=1000.0),
    )
    ratio = time_ratio(part.instances, CNF, DIRECT)
    assert ratio.ratio == pytest.approx(4)
    assert (ratio.both, ratio.unsolved) == (2, 3)


def test_nothing_that_both_solved_is_no_ratio() -> None:
    part = compared(record(wall_s=1.0), record(contender=CNF, status=Status.SKIPPED))
    ratio = time_ratio(part.instances, CNF, DIRECT)
    assert (ratio.ratio, ratio.interval, ratio.both, ratio.unsolved) == (None, None, 0, 1)


def test_the_reference_is_the_first_complete_one_or_the_one_that_is_named() -> None:
    part = compared(
        record(contender=PARTIAL, complete=False, wall_s=1.0),
        record(contender="models:slow", status=Status.TIMEOUT, wall_s=1.0),
        record(contender=CNF, wall_s=2.0),
        record(contender="mine", wall_s=3.0),
    )
    assert reference_of(part) == CNF
    assert reference_of(part, "mine") == "mine"
    assert reference_of(part, "partial") == PARTIAL
    assert reference_of(part, PARTIAL) == PARTIAL
    assert reference_of(part, "models") == PARTIAL
    assert reference_of(part, "slow") == CNF, "it has no time"


def test_the_last_row_of_the_table_says_who_is_faster() -> None:
    table = datasets_table(compared(*two_contenders([2.0, 8.0, 4.0])))
    row = dict(zip([each.name for each in table.columns], table.rows[-1], strict=True))
    assert row["dataset"].text == "times as long"
    assert row[DIRECT].text.splitlines()[0] == "1"
    first, apart = row[CNF].text.splitlines()
    assert first.startswith("4 (")
    assert apart == "1 + 1"
    assert row[CNF].fields["ratio"] == pytest.approx(4)
    other = datasets_table(compared(*two_contenders([2.0, 8.0, 4.0])), "cnf").rows[-1]
    assert [cell.text.splitlines()[0][:4] for cell in other[3:5]] == ["0.25", "1"]


def test_the_mean_is_of_ratios_not_of_seconds() -> None:
    """A board that takes a thousand times as long counts as much as any other."""
    part = compared(
        record(1, wall_s=1.0),
        record(1, contender=CNF, wall_s=2.0),
        record(2, wall_s=1000.0),
        record(2, contender=CNF, wall_s=1000.0),
    )
    assert time_ratio(part.instances, CNF, DIRECT).ratio == pytest.approx(sqrt(2))


def test_the_interval_is_the_same_in_any_order_of_the_boards() -> None:
    rng = np.random.default_rng(5)
    pairs = [([float(old)], [float(new)]) for old, new in rng.lognormal(0, 1, (16, 2))]
    turned = [pairs[k] for k in rng.permutation(len(pairs))]
    assert bootstrap(pairs) == bootstrap(turned)


@pytest.mark.parametrize(
    ("boards", "trials", "most"), [(5, 800, 0.09), (10, 300, 0.075), (30, 150, 0.075)]
)
def test_equal_contenders_are_seldom_told_apart(boards: int, trials: int, most: float) -> None:
    """In the long run 7.5% of five boards, and 5% of ten; without the expansion 15% and 10%."""
    rng = np.random.default_rng(boards)
    named = 0
    for _ in range(trials):
        pairs = [([exp(old)], [exp(new)]) for old, new in rng.normal(0, 1, (boards, 2))]
        low, high = bootstrap(pairs)
        named += low > 1 or high < 1
    assert 0.01 * trials < named < most * trials
    scores = (rng.normal(3, 1, (2, boards)) for _ in range(trials))
    assert 0.01 * trials < sum(told_apart(each)[0, 1] for each in scores) < most * trials


@pytest.mark.parametrize(("boards", "t"), [(5, 2.776), (10, 2.262), (30, 2.045), (200, 1.972)])
def test_the_interval_is_about_as_wide_as_that_of_students_t(boards: int, t: float) -> None:
    """The values of t are those that the tables of every textbook have."""
    reach = -NormalDist().inv_cdf(tail_share(boards))
    assert reach * sqrt((boards - 1) / boards) == pytest.approx(t, rel=0.003)
    logs = np.array([NormalDist().inv_cdf((k + 0.5) / boards) for k in range(boards)])
    interval = bootstrap([([1.0], [exp(2 + each)]) for each in logs])
    half = t * logs.std(ddof=1) / sqrt(boards)
    assert np.log(interval) == pytest.approx((2 - half, 2 + half), abs=0.15 * half)


def test_repeats_of_a_single_board_keep_the_middle_95_percent() -> None:
    assert tail_share(1) == pytest.approx(0.025)


def test_scores_are_told_apart_as_theory_says() -> None:
    """The difference of two means has a known standard error; both ways to an interval find it."""
    rng = np.random.default_rng(3)
    for boards in (200, 2000):
        noise = rng.normal(0, 1, boards)
        noise = (noise - noise.mean()) / noise.std()
        error = 1 / sqrt(boards)
        scores = np.array([noise + 5, np.full(boards, 5 + 1.7 * error), noise + 5 + 1e-9])
        wide = np.array([noise + 5, np.full(boards, 5 + 2.3 * error)])
        assert told_apart(scores).tolist() == [
            [False, False, True],
            [False, False, False],
            [True, False, False],
        ]
        assert told_apart(wide).tolist() == [[False, True], [True, False]]


def test_four_boards_tell_nobody_apart() -> None:
    scores = np.array([[1.0] * 5, [2.0] * 5])
    assert told_apart(scores)[0, 1]
    assert not told_apart(scores[:, :4]).any()


def test_contenders_are_called_by_their_options_unless_one_is_called_exactly_so() -> None:
    grid = [f"models:x:card={card},solver={solver}" for card in "ab" for solver in "st"]
    assert called(grid, "x") == called(grid, "models:x") == grid
    assert called(grid, "x:card=a") == grid[:2]
    assert called(grid, "x:solver=t") == grid[1::2]
    assert called(grid, "models:x:solver=t,card=b") == grid[3:]
    assert called(grid, "x:card=c") == called(grid, "y") == called(grid, "card=s") == []
    assert called([*grid, "models:x"], "x") == ["models:x"]
    assert called([*grid, "direct:y"], "direct") == ["direct:y"]


def test_contenders_are_called_by_pieces_of_their_names() -> None:
    grid = [f"models:x:card={card},solver={solver}" for card in "ab" for solver in "st"]
    assert called(grid, "a") == called(grid, "card=a") == called(grid, "x,a") == grid[:2]
    assert called(grid, "b,s") == called(grid, "s,b") == called(grid, "b,solver=s") == grid[2:3]
    assert called(grid, "card") == grid
    assert called(grid, "a,b") == called(grid, "a,z") == called(grid, ",") == []
    assert the_called([*grid, "models:y@u"], "y@u", "--x") == "models:y@u"
    with pytest.raises(UserError, match="^--x a: several .*: models:x:card=a,solver=s, models:x:c"):
        the_called(grid, "a", "--x")


def test_many_contenders_have_a_line_each_in_a_message() -> None:
    names = [f"models:x@{k}" for k in range(6)]
    with pytest.raises(UserError) as refused:
        the_called(names, "y", "--x")
    assert str(refused.value).splitlines()[1:] == [f"  {each}" for each in names]
    with pytest.raises(UserError) as refused:
        the_called([f"models:z:x={k}" for k in range(6)], "x", "--x")
    assert len(str(refused.value).splitlines()) == 7


def test_contenders_are_called_by_the_end_of_their_names() -> None:
    solvers = ["models:sat@cadical153", "models:sat@glucose4", "models:other@glucose4", "153"]
    assert called(solvers, "cadical153") == called(solvers, "@cadical153") == solvers[:1]
    assert called(solvers, "sat@glucose4") == solvers[1:2]
    assert called(solvers, "glucose4") == solvers[1:3]
    assert called(solvers, "153") == ["153"], "an end is a whole word"
    assert called(solvers, "4") == called(solvers, "at@glucose4") == called(solvers, "") == []
    assert the_called(solvers, "@cadical153", "--x") == solvers[0]
    with pytest.raises(UserError, match="^--x glucose4: several .*: models:sat@glucose4, models:o"):
        the_called(solvers, "glucose4", "--x")
    with pytest.raises(UserError, match="^--x y: no .* there are models:sat@cadical153, models:s"):
        the_called(solvers, "y", "--x")
