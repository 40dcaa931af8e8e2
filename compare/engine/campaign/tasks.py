"""Tasks: which contender runs on which instance, how often, and how; and the choice among them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import puzzles
from compare.engine.campaign.datasets import Dataset
from compare.engine.campaign.record import TaskIdentity, escaped
from compare.engine.elsewhere import Destination
from compare.engine.isolate.outcome import DEFAULT_LIMITS, Limits, Status
from compare.engine.work.contenders import BackendContender, Contender, GivenAnswers, Kind
from compare.engine.work.job import Job, Run
from puzzles.instance import Instance
from puzzles.text import UserError, shown

EXPECTED = "expected"
"""The name of the contender that a dataset's expected answers make."""


@dataclass(frozen=True)
class Settings:
    """How everything is run.

    Attributes:
        format: the answer format of programs and expected answers (default: each puzzle's first).
        jobs: how many runs may be under way at once. With more than one the timings are less
            reliable.
        plugins: Python files that workers load first.
        elsewhere: where everything is run; None for this machine.
    """

    limits: Limits = DEFAULT_LIMITS
    repeats: int = 1
    check: bool = True
    jobs: int = 1
    format: str | None = None
    plugins: tuple[str, ...] = ()
    elsewhere: Destination | None = None

    @property
    def parallel(self) -> bool:
        """Several runs may be under way at the same time."""
        return self.jobs > 1 or self.elsewhere is not None


@dataclass(frozen=True, slots=True)
class Task:
    """One contender on one instance of a dataset, for the `repeat`-th time.

    Attributes:
        together: how many instances of the dataset a program gets in the same start; 1 for a
            process of its own.
    """

    contender: Contender
    dataset: Dataset
    index: int
    repeat: int = 1
    together: int = 1

    @property
    def instance(self) -> Instance:
        return self.dataset.instances[self.index]

    @property
    def identity(self) -> TaskIdentity:
        """What its record says of it."""
        instance, dataset, contender = self.instance, self.dataset, self.contender
        return TaskIdentity(
            puzzle=instance.puzzle,
            contender=escaped(contender.name),
            kind=contender.kind,
            complete=contender.complete,
            solver=contender.solver,
            dataset=escaped(dataset.name),
            file=dataset.file and escaped(dataset.file),
            case=self.index + 1,
            family=dataset.family,
            seed=dataset.seeds[self.index] if dataset.seeds else None,
            digest=instance.digest,
            size=instance.size,
            shape=instance.shape,
            repeat=self.repeat,
            together=self.together,
        )

    @property
    def not_run(self) -> Run | None:
        """What stands in the place of its run if it is skipped or spared; None if it is run."""
        reason = self.contender.absent or self.contender.does_not_take(self.instance)
        if reason is None:
            return None
        spared = self.contender.kind is Kind.PROGRAM
        return Run(status=Status.SPARED if spared else Status.SKIPPED, detail=reason)

    def job(self, settings: Settings) -> Job:
        """What a worker is given. Of a built-in backend only the first repeat is checked; foreign
        code may answer by chance.
        """
        given = self.contender.kind is Kind.GIVEN
        built_in = isinstance(self.contender, BackendContender) and not self.contender.foreign
        counts = self.repeat == 1 or not built_in
        return Job(
            contender=self.contender,
            instance=self.instance,
            answer=self.dataset.answers[self.index] if given else None,
            format=settings.format,
            limits=settings.limits,
            check=settings.check and counts,
            only_time=not counts,
        )


def plan(
    datasets: Iterable[Dataset], contenders: Sequence[Contender], repeats: int = 1
) -> list[Task]:
    """Every contender on every instance. On each instance they take turns: all of them once, then
    all of them again.

    Answers that exist already, and what is skipped or spared, are not repeated. If a dataset has
    several instances, each program gets them all in one start, too, as from a judge.
    """
    return [task for dataset in datasets for task in _turns(dataset, contenders, repeats)]


def _turns(dataset: Dataset, contenders: Sequence[Contender], repeats: int) -> Iterator[Task]:
    taking_part = list(contenders)
    if dataset.answers:
        taking_part.append(GivenAnswers(puzzle=dataset.instances[0].puzzle, name=EXPECTED))
    for index in range(len(dataset.instances)):
        for repeat in range(1, repeats + 1):
            turn = (Task(contender, dataset, index, repeat) for contender in taking_part)
            yield from (
                t for t in turn if repeat == 1 or not (t.contender.kind is Kind.GIVEN or t.not_run)
            )
    for contender in contenders:
        if contender.kind is Kind.PROGRAM and puzzles.get(contender.puzzle).many_instances:
            yield from of_one_start(contender, dataset)


def of_one_start(contender: Contender, dataset: Dataset) -> list[Task]:
    """The tasks of the one start in which a program gets all the instances that it takes.

    There are none if it takes fewer than two.
    """
    alone = [Task(contender, dataset, index) for index in range(len(dataset.instances))]
    taken = [task for task in alone if task.not_run is None]
    return [replace(task, together=len(taken)) for task in taken] if len(taken) > 1 else []


_WORD = re.compile(r"\s*([()]|[^\s()]+)")


def select(tasks: Sequence[Task], text: str) -> list[Task]:
    """The tasks whose puzzle, dataset and contender satisfy an expression; raises `UserError` with
    all names if there are none.
    """
    holds = parse(text)
    selected = [
        task
        for task in tasks
        if holds((task.contender.puzzle, task.dataset.name, task.contender.name))
    ]
    if not selected:
        names = {
            "puzzles": [task.contender.puzzle for task in tasks],
            "datasets": [task.dataset.name for task in tasks],
            "contenders": [task.contender.name for task in tasks],
        }
        known = "\n".join(
            f"  {kind}: {', '.join(dict.fromkeys(each))}" for kind, each in names.items()
        )
        raise UserError(f"-k {shown(text)} leaves nothing to run; the names here are\n{known}")
    return selected


def parse(text: str) -> Callable[[Iterable[str]], bool]:
    """A function that says whether an expression holds for something with certain names.

    A word holds if one of the names contains it; upper and lower case are the same. `cnf` is in
    `models:cnf-traced`.

    Raises:
        UserError: the text is no such expression.
    """
    words: list[str] = []
    parts: list[str] = []
    for word in _WORD.findall(text):
        if word in ("and", "or", "not", "(", ")"):
            parts.append(word)
        else:
            parts.append(f"_{len(words)}")
            words.append(word.lower())
    try:
        tree = ast.parse(" ".join(parts), mode="eval")
        code = compile(tree, "-k", "eval")
    except (SyntaxError, RecursionError, MemoryError):
        raise _wrong(text) from None
    if any(isinstance(node, ast.Call | ast.Tuple) for node in ast.walk(tree)):
        raise _wrong(text)  # all else that can be made of these parts is such an expression

    def holds(names: Iterable[str]) -> bool:
        lowered = [name.lower() for name in names]
        values = {f"_{k}": any(word in name for name in lowered) for k, word in enumerate(words)}
        return eval(code, {"__builtins__": {}}, values)  # noqa: S307 - nothing but and, or, not and these names

    return holds


def _wrong(text: str) -> UserError:
    return UserError(f"-k takes names joined by and, or, not and parentheses, not {shown(text)}")
