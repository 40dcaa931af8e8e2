"""`compare diff` of two files of figures: a slower job is told from a slower machine and from noise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from compare.command_line import main
from compare.measure.speed.figure import GrowthLine, JobTimes
from compare.measure.speed.speed_changes import effect
from tests.compare.measure.figures import figure, speed_file
from tests.processes import compare


def test_a_slower_machine_is_no_slower_job() -> None:
    changed = effect(figure(2.0, noise=0.02, seed=1), figure(2.0, machine=3.0, noise=0.02, seed=2))
    assert changed.ratio == pytest.approx(1, abs=0.1)
    assert changed.old_s is not None
    assert changed.new_s == pytest.approx(3 * changed.old_s, rel=0.1)
    assert not changed.slower(1.25)


@pytest.mark.parametrize(
    ("seconds", "slower", "faster"), [(1.0, False, False), (1.1, False, False), (1.6, True, False), (0.5, False, True)]
)
def test_a_slower_job_is_slower_on_any_machine(seconds: float, slower: bool, faster: bool) -> None:
    changed = effect(figure(1.0, noise=0.05, seed=1), figure(seconds, machine=0.4, noise=0.05, seed=2))
    assert changed.ratio == pytest.approx(seconds, rel=0.15)
    assert (changed.slower(1.25), changed.faster(1 / 1.25)) == (slower, faster)


def test_noise_alone_is_no_regression() -> None:
    effects = [effect(figure(noise=0.15, seed=seed), figure(noise=0.15, seed=seed + 1000)) for seed in range(40)]
    assert sum(each.slower(1.25) for each in effects) <= 2


def test_only_inputs_of_both_sides_with_a_yardstick_that_ended_count() -> None:
    one, other = JobTimes("one", (1.0,), (1.0,)), JobTimes("other", (9.0,), (1.0,))
    stopped = JobTimes("third", (1.0,), (), stopped=5.0)
    old = replace(figure(), inputs=(one, stopped))
    changed = effect(old, replace(old, inputs=(replace(one, job=(2.0,)), other, replace(stopped, job=(7.0,)))))
    assert (changed.boards, changed.ratio, changed.interval) == (1, 2.0, None)
    assert effect(old, replace(old, inputs=(other,))).ratio is None


def test_the_command_names_what_is_slower_and_ends_with_4(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = speed_file(tmp_path / "old.jsonl", figure(name="one"), figure(name="two"), figure(name="gone"))
    new = speed_file(tmp_path / "new.jsonl", figure(name="one", machine=2.0), figure(2.0, name="two"))
    assert main(["diff", old, new]) == 4
    printed = capsys.readouterr().out
    assert "REGRESSION: fuzz two takes 2 times as long, more than 1.25\n" in printed
    assert "REGRESSION: fuzz one" not in printed
    assert f"without a partner, and left out: 1 of {old}\n" in printed
    assert main(["diff", old, new, "--fail-above", "2.5"]) == 0
    assert main(["diff", old, old]) == 0
    assert capsys.readouterr().out.endswith("NOTHING SLOWER\n")


def test_what_fails_now_is_a_regression(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = speed_file(tmp_path / "old.jsonl", figure())
    new = speed_file(tmp_path / "new.jsonl", figure(wrong=("exit status 1",)))
    assert main(["diff", old, new]) == 4
    assert "REGRESSION: fuzz a job fails now" in capsys.readouterr().out
    assert main(["diff", new, old]) == 0


def test_growth_is_steeper_only_if_the_intervals_lie_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {
        name: speed_file(tmp_path / name, figure(line=GrowthLine(exponent, exponent - 0.1, exponent + 0.1, 5)))
        for name, exponent in (("now", 1.0), ("alike", 1.15), ("steep", 1.5))
    }
    assert main(["diff", files["now"], files["alike"]]) == 0
    assert main(["diff", files["steep"], files["now"]]) == 0
    capsys.readouterr()
    assert main(["diff", files["now"], files["steep"]]) == 4
    assert "REGRESSION: a job grows as cells^1.50, and it was 1.00\n" in capsys.readouterr().out


def test_files_that_cannot_be_compared_are_refused(tmp_path: Path) -> None:
    speed = speed_file(tmp_path / "speed.jsonl", figure())
    other = speed_file(tmp_path / "other.jsonl", figure(name="another"))
    records = tmp_path / "records.jsonl"
    records.write_text('{"header": true, "command": "python -m compare"}\n')
    for words, message in (
        ([speed, str(records)], "the other file has figures of speed, and it is not a file that `speed --out` wrote"),
        ([speed, str(tmp_path / "none.jsonl")], "none.jsonl: No such file or directory"),
        ([speed, str(tmp_path)], "Is a directory"),
        ([speed, other], "have no figure in common"),
        ([speed, speed, "--by", "board"], "--by and --puzzle are about records"),
    ):
        ended = compare("diff", *words)
        assert (ended.returncode, ended.stdout) == (2, "")
        assert message in ended.stderr
