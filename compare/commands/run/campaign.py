"""The campaign of `run`: all of its asks are carried out, but for those whose results its file has
already. Asks are handed to an executor, and results come back as they end. A bar shows how many
runs have ended, how long the others may take, and which one is under way.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path
from time import monotonic

from msgspec.structs import replace as with_fields

from compare.engine.campaign.comparison import Comparison
from compare.engine.campaign.journal import Journal
from compare.engine.campaign.plan import (
    IN_TURN,
    Settings,
    answer_files,
    collect,
    compile_first,
    executor,
    plan,
    read_dataset,
    stem_of,
)
from compare.engine.isolate.outcome import Status
from compare.engine.work.asking import carry_out, join_texts, kept_child_difference
from compare.engine.work.contenders import (
    EXPECTED,
    Ask,
    BackendContender,
    Contender,
    GivenAnswers,
)
from compare.engine.work.pool import Executor
from compare.engine.work.result import Kind, Result, RunKey, contradict, same_claims
from compare.show.wording import pass_on, progress_bar, round_time, say_what_is_compiled, warn
from puzzles.puzzle import Puzzle
from puzzles.text import UserError, escape, label_lines

BEGIN_ANEW = "Name a new --out file, or begin this one anew with --overwrite"
"""What to do with a file of records whose instances are no longer the same."""

_MAX_AHEAD = 1_000_000
"""The size of all instances that are handed out ahead, and of those whose proved answers are kept,
unless they are as few as can be: an instance takes about 100 times as many bytes.
"""

_FIRST_S = 3.0
"""Seconds before which no estimate is worth showing."""

_FORMAT = "{n_fmt}/{total_fmt} runs |{bar}| [{elapsed}{postfix}]"


Names = tuple[str, str, str]
"""Of a run: the names of its puzzle, of its dataset (and of the file, if it is another one), and of
its contender.
"""


PlaceOfFile = tuple[str, str, str | None]
"""Where a file of records has an input file: its puzzle, its dataset, and its own name if that is
another one.
"""


@dataclass(kw_only=True, eq=False)
class LateDataset:
    """An input file with one instance that is read when its turn comes. Nothing of it is kept then
    but the digest, so a set of files may be larger than the memory.

    Attributes:
        folder: the dataset of the file, if that is a folder whose files share a row of the table.
        chosen: whether a run takes part.
        digests: of what was read.
    """

    puzzle: Puzzle
    path: str
    folder: str | None = None
    contenders: Sequence[Contender]
    settings: Settings
    chosen: Callable[[Names], bool] = lambda _: True
    digests: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name of the dataset."""
        return self.folder or stem_of(Path(self.path))

    @property
    def file(self) -> str | None:
        """As of a dataset."""
        stem = stem_of(Path(self.path))
        return None if stem == self.name else stem

    @property
    def place(self) -> PlaceOfFile:
        """Where its records are. Two files of one folder may share it, such as a.cnf and a.icnf."""
        return self.puzzle.name, escape(self.name), self.file and escape(self.file)

    @property
    def answers_from(self) -> Sequence[str]:
        """As of a dataset."""
        return answer_files(self.path)

    def taking_part(self) -> list[Contender]:
        """Who is asked; the expected answers take part as well."""
        expected = [GivenAnswers(puzzle=self.puzzle.name, name=EXPECTED)]
        every = [*self.contenders, *(expected if self.answers_from else [])]
        return [each for each in every if self.chosen(self._names(each))]

    def _names(self, contender: Contender) -> Names:
        names = dict.fromkeys((self.name, self.file or self.name))
        return self.puzzle.name, escape(" ".join(names)), contender.name

    @property
    def names(self) -> list[Names]:
        """Of all runs that take part."""
        return [self._names(each) for each in self.taking_part()]

    @property
    def runs(self) -> int:
        """How many runs there are at most."""
        kinds = [each.kind for each in self.taking_part()]
        return sum(1 if kind is Kind.GIVEN else self.settings.repeats for kind in kinds)

    def asks(self) -> list[Ask]:
        """What is asked of the instance.

        Raises:
            UserError: the file cannot be read; `InputError`: its text breaks the format.
        """
        dataset = read_dataset(self.puzzle, self.path, self.name, self.settings.format)
        self.digests = [each.digest for each in dataset.instances]
        every = plan([dataset], self.contenders, self.settings)
        return [each for each in every if self.chosen(self._names(each.contender))]


def run_campaign(
    planned: list[Ask],
    settings: Settings,
    *,
    quiet: bool = False,
    file: Journal | None = None,
    keep: Callable[[Result], object] | None = None,
    late: Sequence[LateDataset] = (),
    cannot_read: Callable[[LateDataset, UserError], object] = lambda *_: None,
) -> tuple[Comparison, bool]:
    """Carry out everything that the file does not hold already.

    Returns the comparison of old and new results, and whether it was interrupted.

    Args:
        quiet: whether no bar is shown.
        file: where new results go.
        keep: called with each result, the old ones too.
        late: what is planned on files that are read in their turn.
        cannot_read: called with each such file that cannot be read, and the reason.
    """
    campaign = _Campaign(file, keep, late, cannot_read)
    to_do = campaign.begin(planned)
    interrupted = False
    try:
        if settings.elsewhere is None:
            wanted = [ask.contender for ask in to_do if ask.skipped_result is None]
            compile_first(wanted, say_what_is_compiled)
        bar = RunBar(quiet=quiet)
        asks = chain(to_do, campaign.asks_of_files(bar))
        with closing(results_of(asks, settings, partial(campaign.leaves_out, bar))) as new, bar:
            bar.expect(to_do, campaign.comparison.unread)
            for result in new:
                campaign.take_in(result)
                bar.note_end(result.run_key)
    except KeyboardInterrupt:
        interrupted = True
    campaign.comparison.close()
    return campaign.comparison, interrupted


class _Campaign:
    """What is planned, what the file of records holds of it, and what has come of it so far.

    Args: see `run_campaign`.
    """

    def __init__(
        self,
        file: Journal | None,
        keep: Callable[[Result], object] | None,
        late: Sequence[LateDataset],
        cannot_read: Callable[[LateDataset, UserError], object],
    ) -> None:
        self.comparison = Comparison()
        self._file = file
        self._keep = keep
        self._late = late
        self._cannot_read = cannot_read
        self._held = Counter[RunKey]()
        """Results that the file holds, of asks that are made again."""
        self._unplanned = Counter[RunKey]()
        """Results that the file holds, of asks that have not been seen."""
        self._files_of = Counter(each.place for each in late)
        self._contents = defaultdict[PlaceOfFile, set[str]](set)
        """The digests of what was read of each place."""

    def begin(self, planned: list[Ask]) -> list[Ask]:
        """Take in the results that the file holds; returns the asks that are left to be made.

        Raises:
            UserError: the file holds a result that is not planned.
        """
        for ask in planned:
            self.comparison.expect(ask.run_keys)
        self.comparison.unread = sum(each.runs for each in self._late)
        file = self._file
        if not (file and file.earlier and file.earlier.count):
            return planned
        self._unplanned.update(result.run_key for result in file.earlier)
        to_do, self._held = remaining(planned, self._unplanned)
        for run in self._unplanned:
            self._contents[run.instance[:3]].add(run.instance.digest)
        elsewhere = {
            run: count
            for run, count in self._unplanned.items()
            if run.instance[:3] not in self._files_of
        }
        refuse_unplanned(file.path, Counter(elsewhere))
        count = self.comparison.missing
        for result in file.earlier:
            self._count(result)
        warn(f"{file.path}: {file.earlier.count} of {count} runs are there already")
        return to_do

    def asks_of_files(self, bar: RunBar) -> Iterator[Ask]:
        """What is asked of each of the late files when its turn comes.

        Raises:
            UserError: a file has changed since its records were written.
        """
        for dataset in self._late:
            asks: list[Ask] = []
            try:
                asks = dataset.asks()
            except UserError as error:
                self._cannot_read(dataset, error)
            if self._file:
                contents = self._contents[dataset.place]
                contents.update(dataset.digests)
                if len(contents) > self._files_of[dataset.place]:
                    raise UserError(
                        f"{dataset.path} has changed since {self._file.path} was written. "
                        f"{BEGIN_ANEW}"
                    )
            runs = [run for ask in asks for run in ask.run_keys]
            self.comparison.unread -= dataset.runs
            self.comparison.expect(runs)
            self._drop_from_plan(dataset.runs - len(runs))
            asks, known = remaining(asks, self._unplanned)
            self._held.update(known)
            bar.expect(asks, self.comparison.unread)
            yield from asks
        if self._file and self._late:
            refuse_unplanned(self._file.path, self._unplanned)

    def leaves_out(self, bar: RunBar, ask: Ask) -> bool:
        """Whether a program fails on an instance alone: a start with all says nothing new then."""
        if not self.comparison.failed_alone(ask.start):
            return False
        for run in ask.run_keys:
            if not self._held[run]:
                self.comparison.leave_out(run)
                self._drop_from_plan(1)
            bar.note_end(run)
        return True

    def _drop_from_plan(self, runs: int) -> None:
        """Note that so many of the planned runs will not be made."""
        if self._file and self._file.planned is not None:
            self._file.planned -= runs

    def take_in(self, result: Result) -> None:
        """Compare and write a result, unless the file holds it already."""
        run = result.run_key
        if self._held[run]:
            self._held[run] -= 1
            return
        self._count(result)
        if self._file:
            self._file.write(result.line())
        if result.printed:
            pass_on(label_lines(result.contender, result.printed))

    def _count(self, result: Result) -> None:
        self.comparison.add(result)
        if self._keep:
            self._keep(result)


def remaining(planned: Iterable[Ask], there: Counter[RunKey]) -> tuple[list[Ask], Counter[RunKey]]:
    """The asks of which some result is missing yet, and which of their results are there already.

    Args:
        there: the results that are there. Those of these asks are taken out.
    """
    missing: list[Ask] = []
    held = Counter[RunKey]()
    for ask in planned:
        runs = ask.run_keys
        of_ask = [run for run in runs if there[run] > 0]
        there.subtract(of_ask)
        if len(of_ask) < len(runs):
            missing.append(ask)
            held.update(of_ask)
    return missing, held


def refuse_unplanned(path: str, there: Counter[RunKey]) -> None:
    """Raise `UserError` for a result that belongs to no ask, so instances or backends must have
    changed since.
    """
    for key, contender, *_ in +there:
        raise UserError(
            f"{path}: {contender} on {key.puzzle}, {key.place} is not in the plan: the instances "
            f"have changed. {BEGIN_ANEW}"
        )


def results_of(
    asks: Iterable[Ask], settings: Settings, left_out: Callable[[Ask], bool]
) -> Generator[Result, None, None]:
    """Carry the asks out; yields each result as soon as it is there.

    If only one run is timed at a time, the results come in the order of the asks.

    Args:
        left_out: asked of each start with several instances, when the results of the program's
            other asks on this dataset have been yielded. What is pointless is left out.
    """
    with executor(settings, many_runs=True) as chosen:
        contradictions = Contradictions(chosen)
        under_way: dict[Future[list[Result]], Ask] = {}
        coming, following = iter(asks), None
        fewest = chosen.width if settings.elsewhere else max(IN_TURN, settings.jobs)

        def has_room() -> bool:
            ahead = sum(ask.instance.size * len(ask.cases) for ask in under_way.values())
            return len(under_way) < (chosen.width if ahead < _MAX_AHEAD else fewest)

        while True:
            while has_room() and (ask := following or next(coming, None)) is not None:
                following = None
                if len(ask.cases) > 1:
                    if any(each.start == ask.start for each in under_way.values()):
                        following = ask
                        break
                    if left_out(ask):
                        continue
                under_way[_begin(ask, chosen)] = ask
            if not under_way:
                return
            for future, ask in list(under_way.items()):
                if future.done():
                    del under_way[future]
                    for result in collect(ask, future):
                        yield contradictions.settle(ask, result)
                elif not settings.parallel:
                    break
            futures = list(under_way)
            try:
                wait(futures if settings.parallel else futures[:1], return_when=FIRST_COMPLETED)
            except KeyboardInterrupt:
                for future in futures:  # what failed may have failed because of the interruption
                    ended = future.done() and not future.cancelled()
                    if ended and future.exception() is None:
                        for result in future.result():
                            if result.status is Status.OK:
                                yield result
                raise


def _begin(ask: Ask, chosen: Executor) -> Future[list[Result]]:
    """Hand an ask to the executor, unless its one case is skipped or spared."""
    not_run = ask.skipped_result if len(ask.cases) == 1 else None
    if not_run is None:
        return chosen.submit(carry_out, ask)
    done: Future[list[Result]] = Future()
    done.set_result([not_run])
    return done


class Contradictions:
    """What was PROVED of the last instances, or said and not checked; one answer to each is kept.

    Args:
        chosen: carries asks out again, in processes that have solved nothing before. As many
            instances are kept as it has calls under way, fewer of large ones.
    """

    def __init__(self, chosen: Executor) -> None:
        self._executor = chosen
        self._believed: OrderedDict[str, tuple[Ask, Result, int]] = OrderedDict()

    def settle(self, ask: Ask, result: Result) -> Result:
        """The result; if it contradicts an earlier one, what came of it in a new process.

        `printed` then says what differs.
        """
        if not _is_believed(ask, result):
            return result
        digest, size = ask.instance.digest, ask.instance.size
        other, before, _ = self._believed.setdefault(digest, (ask, result, size))
        sizes = [each for _, _, each in self._believed.values()]
        while len(sizes) > self._executor.width or (len(sizes) > 1 and sum(sizes) > _MAX_AHEAD):
            self._believed.popitem(last=False)
            del sizes[0]
        if same_claims(before.claims, result.claims) or not contradict(before, result):
            return result
        note = kept_child_difference(before, self._again(other, before))
        alone = self._again(ask, result)
        notes = (
            f"{other.contender.name}: {note}" if note else "",
            kept_child_difference(result, alone),
        )
        return with_fields(alone, printed=join_texts(*notes, alone.printed))

    def _again(self, ask: Ask, result: Result) -> Result:
        """What comes of a backend in a new process; the result itself of what had one already."""
        contender = ask.contender
        if not (isinstance(contender, BackendContender) and contender.may_be_kept):
            return result
        new = with_fields(ask, in_new_process=True)
        return collect(new, self._executor.submit(carry_out, new))[0]


def _is_believed(ask: Ask, result: Result) -> bool:
    """Whether it answers all of one instance, and the check of a backend's answer has proved it, or
    nobody checks it.
    """
    if result.status is not Status.OK or not ask.contender.complete or len(ask.cases) > 1:
        return False
    return not ask.check or (result.is_proved and isinstance(ask.contender, BackendContender))


class RunBar(AbstractContextManager["RunBar"]):
    """A bar on stderr, if that is a terminal.

    Answers that exist already, and what is skipped or spared, are no runs.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._bar = progress_bar(total=0, quiet=quiet, bar_format=_FORMAT)
        self._started = self._last_end = monotonic()
        self._waiting: dict[RunKey, None] = {}
        """The runs that have not ended, in their order."""
        self._time_left = TimeLeft(())

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def expect(self, asks: Sequence[Ask], unread: int) -> None:
        """Note more runs, and how many are left on files that have not been read."""
        if self._bar.disable:
            return
        runs = [
            run
            for ask in asks
            if ask.contender.kind is not Kind.GIVEN and ask.skipped_result is None
            for run in ask.run_keys
        ]
        self._waiting |= dict.fromkeys(runs)
        self._time_left.expect(map(_kind_of, runs), unread)
        self._bar.total = self._bar.n + len(self._waiting) + unread
        self._describe()

    def note_end(self, run: RunKey) -> None:
        """Note that this run has ended."""
        if run in self._waiting:
            del self._waiting[run]
            now = monotonic()
            self._time_left.note_end(_kind_of(run), now - self._last_end)
            self._last_end = now
            self._bar.update()
            self._describe()

    def _describe(self) -> None:
        """Say how much time is left, and name the run that has been under way for longest."""
        for oldest in islice(self._waiting, 1):
            left = f"{self._time_left}, " if self._last_end - self._started > _FIRST_S else ""
            key = oldest.instance
            self._bar.set_postfix_str(f"{left}{key.puzzle} {key.dataset} {oldest.contender}")


def _kind_of(run: RunKey) -> Hashable:
    return run.instance.dataset, run.contender


class TimeLeft:
    """How long the runs that are left may take: each one as long as the runs of its kind have taken
    so far, on average.

    A kind is one contender on one dataset. What of a kind has never run is left out, and then the
    estimate is a lower bound: one run may take a million times as long as another. Runs on files
    that have not been read yet are expected to take as long as all runs so far.
    """

    def __init__(self, kinds: Iterable[Hashable]) -> None:
        self._left = Counter(kinds)
        self.unread = 0
        self._ended: Counter[Hashable] = Counter()
        self._spent = defaultdict[Hashable, float](float)

    def expect(self, kinds: Iterable[Hashable], unread: int) -> None:
        """Note more runs, and how many are left on files that have not been read."""
        self._left.update(kinds)
        self.unread = unread

    def note_end(self, kind: Hashable, seconds: float) -> None:
        """Note that a run of this kind has ended, `seconds` after the one before it, whatever ran
        at the same time.
        """
        self._left[kind] -= 1
        self._ended[kind] += 1
        self._spent[kind] += seconds

    def __str__(self) -> str:
        waiting = +self._left
        known = [kind for kind in waiting if self._ended[kind]]
        seconds = sum(waiting[kind] * self._spent[kind] / self._ended[kind] for kind in known)
        if self.unread and self._ended:
            seconds += self.unread * sum(self._spent.values()) / self._ended.total()
        return f"{'about' if len(known) == len(waiting) else 'at least'} {round_time(seconds)} left"
