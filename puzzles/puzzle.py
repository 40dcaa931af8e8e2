"""What a puzzle is (`Puzzle`: reading, printing, check, families, pictures), and where it lives
(`Origin`: its data, the modules of its backends, its name on a command line).
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from inspect import cleandoc
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from puzzles.answer import UNCLAIMED, UNDECIDED, Answer, BeyondCheck, Check, Claims, Verdict
from puzzles.instance import AnswerT, Instance
from puzzles.text import InputError, Reader, UserError, choose_by_name, misread
from puzzles.user.user_file import UserFile

if TYPE_CHECKING:
    from puzzles.space.instance_space import InstanceSpace


class Origin(NamedTuple):
    """Where a puzzle comes from.

    Attributes:
        argument: what a command line calls the puzzle: its name, or the path of its file.
        data: the folder of its files. Each folder in it is a dataset: `*.in` with optional expected
            answers.
        user_file: the file or folder that holds a user's puzzle; None for a puzzle of this
            project.
        text: what it says of itself, if it is somebody's own.
    """

    argument: str
    data: Path
    user_file: UserFile | None = None
    text: str = ""

    def side_module(self, side: str) -> str | None:
        """The module that holds the backends of one side; None if there is none, or if the puzzle's
        own file holds them.
        """
        module = f"{side}.{self.argument}"
        return None if self.user_file is not None or find_spec(module) is None else module

    def place_of_backend(self, side: str) -> str:
        """The file into which a backend of this side belongs."""
        if self.user_file is None:
            return f"{side}/{self.argument}/by_NAME.py"
        return str(self.data.parent / f"{side}.py") if self.user_file.is_folder else self.argument


InstanceT = TypeVar("InstanceT", bound=Instance)

_EXAMPLE_SIZE = 3
"""The size of the example of a puzzle that names none, if its first family has instances of that
size.
"""

SIZES_AND_SEEDS = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (8, 7))
"""The (size, seed) pairs that `compare` runs of a family that names no others."""


@dataclass(frozen=True)
class Family(Generic[InstanceT]):
    """A seeded generator of instances.

    Attributes:
        make: (size, seed) -> instance. A board has about size x size cells; `about` says what size
            means elsewhere. The same arguments give the same instance.
        about: one line on what the family is made to exercise.
        bundled: the (size, seed) pairs that `compare` runs by default. Without any, those of
            `SIZES_AND_SEEDS` whose sizes the family has; or as many of its first sizes.
        least: the smallest size that `make` takes.
        most: the largest size that `make` takes. The default stands for about half a gigabyte of
            memory.
        in_contest_format: whether its instances are in the contest's format; see
            `Instance.in_contest_format`.
        name: what its puzzle calls it; the puzzle fills it in.
    """

    make: Callable[[int, int], InstanceT]
    about: str
    bundled: tuple[tuple[int, int], ...] = SIZES_AND_SEEDS
    least: int = 1
    in_contest_format: bool = True
    most: int = 5000
    name: str = ""

    def __post_init__(self) -> None:
        if not callable(self.make):
            raise TypeError(f"make is {self.make!r:.60}: expected a function of a size and a seed")
        for bound, size in (("least", self.least), ("most", self.most)):
            if type(size) is not int:
                raise TypeError(f"{bound} is {size!r:.60}: expected a whole number")
        if self.bundled is SIZES_AND_SEEDS:
            first_sizes = range(self.least, min(self.least + len(SIZES_AND_SEEDS), self.most + 1))
            own = tuple(pair for pair in SIZES_AND_SEEDS if self.least <= pair[0] <= self.most)
            pairs = own or tuple((size, seed) for seed, size in enumerate(first_sizes, 1))
            object.__setattr__(self, "bundled", pairs)

    def board(self, size: int, seed: int) -> InstanceT:
        """The family's instance of this size and seed.

        Raises:
            UserError: the size is below `least` or above `most`.
        """
        family = f"the family {self.name}" if self.name else "this family"
        if size < self.least:
            raise UserError(f"{family} starts at size {self.least}, not {size}")
        if size > self.most:
            raise UserError(f"{family} ends at size {self.most}, not {size}")
        return self.make(size, seed)

    def nearest(self, size: int, seed: int) -> InstanceT:
        """The instance of this seed, and of the nearest size that the family has."""
        return self.make(self.nearest_size(size), seed)

    def nearest_size(self, size: int) -> int:
        """The size that the family has which is nearest to this one."""
        return min(max(self.least, size), self.most)


class RequestReply(ABC):
    """What an answer says to a request."""

    @abstractmethod
    def text(self) -> str:
        """What to print instead of the contest's text."""

    def fields(self) -> dict[str, object]:
        """More fields for JSON; by default none."""
        return {}

    def picture(self) -> str | None:
        """SVG, if `--svg` shall draw more than the answer; None by default."""
        return None


@dataclass(frozen=True)
class Request(Generic[InstanceT, AnswerT]):
    """A question that only this puzzle answers, as an option of `direct` and `models`: `--name`, or
    `--name VALUE`.

    Attributes:
        name: the option's name, without `--`.
        about: one line of help.
        solve: what to ask of the backend: `certify`, or options that the backend must take.
        reply: (instance, answer, value) -> what the answer says to it; raises `UserError`.
        metavar: how the help names the value; None if the option takes none.
        in_json: whether `--json` asks this too if the backend can answer it.
    """

    name: str
    about: str
    solve: Mapping[str, Any]
    reply: Callable[[InstanceT, AnswerT, str], RequestReply]
    metavar: str | None = None
    in_json: bool = False


class Puzzle(ABC, Generic[InstanceT, AnswerT]):
    """One puzzle: its texts, its independent check, its generators and its pictures.

    A puzzle is a subclass with one instance, `PUZZLE` in the puzzle's package. It sets the
    attributes without a default and writes the abstract methods; `puzzles.grid.GridPuzzle` does
    part of that for grids. Methods that need the modules `check`, `families` or `picture` import
    them when they are called, so that solving loads none of them.

    Attributes:
        name: the name of the puzzle and of its package.
        noun: what messages call an instance: `board` if it is a grid, else `case`.
        title: the name under which the contest published it; by default the name.
        source: where it was published; by default empty.
        formats: names of the answer formats, the default first.
        example: a small input file that every backend solves in a moment; by default a small
            instance of the first family.
        first_claim_is_consistency: Claim 0 says whether the instance is consistent. If either
            answer sets it to 0, no other claim is compared.
        many_instances: whether an input file of the contest holds any number of instances; else it
            holds exactly one.
        square: whether the contest's format holds square boards only.
        requests: the puzzle's own questions on the command line.
        exact_options: the options that make a backend give all the exact claims that it can; see
            `Answer.exact`.
        largest: rows and columns up to which fuzzing draws boards unasked: the contest's own limit,
            if it states one.
        last_of_answers: what errors say must not be followed by anything in an output file.
        suffixes: how the names of input files end.
        other_suffixes: how those of other puzzles end that people take for this one, each with the
            name of that puzzle.
        comment: how a line of an input file begins that is passed over; empty if there are no such
            lines.
        datasets_by_size: whether tables show its datasets in the order of their sizes, and not of
            the records.
        compares_solvers: whether SAT solvers are what is compared: then all of them take part
            unless some are named, each as a contender of its own, and fuzzing certifies and checks
            every answer.
        better: `less` or `greater` if the best value is asked for: which of two values is better.
            Empty, the default, if not; see `puzzles.case_solution`.
        large_boards: (family, size) of boards on which algorithms for large inputs run; fuzzing
            draws them now and then. The family is one of `families` or `fuzz_families`.
    """

    name: str
    noun: str = "case"
    title: str = ""
    source: str = ""
    formats: tuple[str, ...]
    example: str = ""
    first_claim_is_consistency: bool = False
    many_instances: bool = True
    square: bool = False
    requests: Sequence[Request[InstanceT, AnswerT]] = ()
    exact_options: Mapping[str, Any] = MappingProxyType({})
    largest: int = 50
    suffixes: tuple[str, ...] = (".in",)
    other_suffixes: Mapping[str, str] = MappingProxyType({})
    comment: str = ""
    datasets_by_size: bool = False
    compares_solvers: bool = False
    better: str = ""
    large_boards: Sequence[tuple[str, int]] = ()
    last_of_answers: str = "the last answer"

    def parse(self, text: str | bytes, name: str = "<text>") -> list[InstanceT]:
        """The instances of an input file; `name` is what errors call the file. Linear in the text.

        Raises:
            InputError: the text breaks the format.
        """
        reader = Reader(text, name)
        instances = self.read_instances(reader, self.read_count(reader))
        reader.end("the last case" if self.many_instances else f"the {self.noun}")
        return instances

    def read_count(self, reader: Reader) -> int:
        """How many instances the file holds: its first line, or 1 without a line if the contest has
        one instance a file.
        """
        return reader.numbers("the number of cases")[0] if self.many_instances else 1

    @abstractmethod
    def read_instances(self, reader: Reader, count: int) -> list[InstanceT]:
        """Read so many instances and leave the cursor behind them; raises `InputError`."""

    def print_instances(self, instances: Sequence[InstanceT], /) -> str:
        """The text of an input file with these instances. A text whose last line has no end is
        given one.

        Raises:
            UserError: an input file of the contest holds exactly one instance, and these are more
                or fewer.
        """
        if not self.many_instances and len(instances) != 1:
            raise UserError(f"a {self.name} file holds one {self.noun}, not {len(instances)}")
        texts = [instance.text() for instance in instances]
        for text in texts:
            if not isinstance(text, str):
                raise TypeError(f"text returned {text!r:.60}: expected a string")
        whole = "".join(text if text[-1:] in ("", "\n") else f"{text}\n" for text in texts)
        return f"{len(instances)}\n{whole}" if self.many_instances else whole

    def misread(
        self, text: str | bytes, instances: Sequence[InstanceT], /
    ) -> tuple[int, str] | None:
        """The first line of an input file that says something else than the instances which were
        read of it, and what was written and read there; None if there is none.

        Of a user's puzzle every text that is read is compared in this way, and an instance of
        a family is read back. If one instance can be written in several ways, this is the method to
        replace; then no family is read back.
        """
        written = text if isinstance(text, str) else text.decode("utf-8", "replace")
        return misread(written, self.print_instances(instances), self.comment)

    @abstractmethod
    def print_answers(self, answers: Sequence[AnswerT], format: str) -> str:
        """The text of an output file with these answers."""

    def parse_answers(
        self,
        text: str | bytes,
        instances: Sequence[InstanceT],
        /,
        format: str,
        name: str = "<text>",
    ) -> list[AnswerT]:
        """The answers in an output file for these instances. Whether they are right is for `check`
        to say.

        Raises:
            InputError: the text breaks the format, or holds more or fewer answers than there are
                instances.
        """
        reader = Reader(text, name)
        answers = [
            self.read_answer(reader, instance, case, format)
            for case, instance in enumerate(instances, 1)
        ]
        reader.end(self.last_of_answers)
        return answers

    def answers_in(
        self, text: str | bytes, instances: Sequence[InstanceT], /, format: str, name: str
    ) -> list[AnswerT]:
        """As `parse_answers`. If the text has another answer format of the puzzle, the error names
        that.
        """
        try:
            return self.parse_answers(text, instances, format, name)
        except InputError as error:
            wrong = error
        for other in self.formats:
            with suppress(InputError):
                self.parse_answers(text, instances, other, name)
                wrong.message += f". This is the format {other}: give --answer-format {other}"
                break
        raise wrong

    @abstractmethod
    def read_answer(
        self, reader: Reader, instance: InstanceT, /, case: int, format: str
    ) -> AnswerT:
        """Read the answer to one instance, the case of this number, and leave the cursor behind it;
        raises `InputError`.
        """

    def answer_from(self, instance: InstanceT, /, value: object) -> AnswerT:
        """The answer that a plain value stands for: an answer, or its text in the default format
        (also as a list of lines).

        A puzzle may take more kinds of values, those in which people think of its answers.

        Raises:
            InputError: the text breaks the format.
            TypeError: the value stands for no answer.
        """
        if isinstance(value, list | tuple) and all(isinstance(line, str) for line in value):
            value = "".join(f"{line}\n" for line in value)
        if isinstance(value, Answer):
            return value  # pyright: ignore[reportReturnType]
        if not isinstance(value, str):
            raise TypeError(
                f"{value!r:.60} is no answer to {self.name}: return an Answer, or its text as "
                "the contest prints it"
            )
        return self.parse_answers(value, [instance], self.format(None), "<answer>")[0]

    @abstractmethod
    def fields(self, answer: AnswerT) -> dict[str, object]:
        """The answer's fields for JSON."""

    @abstractmethod
    def check(self, instance: InstanceT, /, answer: AnswerT) -> Check:
        """Judge an answer by the statement of the puzzle alone."""

    @property
    @abstractmethod
    def families(self) -> Mapping[str, Family[InstanceT]]:
        """The generators of instances, by name."""

    def of_text(self, text: str) -> InstanceT:
        """The instance with this text, which stands alone in a file; raises what `parse` raises."""
        (instance,) = self.parse(f"1\n{text}" if self.many_instances else text)
        return instance

    def smaller(self, instance: InstanceT, /) -> Iterator[InstanceT] | None:
        """Valid instances one step smaller or simpler, the largest steps first; they shrink a
        failing instance.

        None, the default, leaves it to the puzzle's space; see `puzzles.space`.
        """
        return None

    def space(self) -> InstanceSpace[InstanceT] | None:
        """The puzzle's own way to walk among its instances, for fuzzing; None, the default, for a
        general one (`puzzles.space`).
        """
        return None

    def edge_cases(self) -> Sequence[InstanceT]:
        """Instances that fuzzing tries before all others; by default none."""
        return ()

    @abstractmethod
    def picture(self, instance: InstanceT, /, answer: AnswerT | None = None) -> str:
        """The instance as SVG, with the answer drawn into it."""

    def extra_pictures(self, instance: InstanceT, /, answer: AnswerT) -> Iterator[tuple[str, str]]:
        """More pictures of an answer that has all its exact claims: (caption, SVG)."""
        return iter(())

    @property
    def fuzz_families(self) -> Mapping[str, Family[InstanceT]]:
        """More generators, for fuzzing alone; none by default."""
        return {}

    def legal(self, instance: InstanceT, /, rng: Random, extended: bool) -> InstanceT:
        """An instance of the same shape that has a solution, for fuzzing; by default the instance
        itself.

        Puzzles need this if random changes mostly make an instance inconsistent. `extended` allows
        information that the contest's format cannot express.
        """
        return instance

    def broken_promise(self, instance: InstanceT, /, format: str) -> str:
        """What the instance has that the contest promises it never gives, in a few words, such as
        `no turret`; empty if the contest promises such instances.

        Programs written for a contest rely on what it promises, so they get promised instances
        alone, unless `--extended` is given. Backends get all. By default everything is promised
        that the contest's format can say.

        Args:
            format: the answer format; it says which contest is meant if several have the puzzle.
        """
        return "" if instance.in_contest_format else "more than the contest's format can say"

    def promised_near(
        self, instance: InstanceT, /, format: str, rng: Random
    ) -> Iterator[InstanceT]:
        """Promised instances that are much like one that breaks a promise, and no larger; a few at
        most, at random; by default none.

        Fuzzing takes them in its place where programs take part, and so does shrinking.
        """
        return iter(())

    def lacking(self, instance: InstanceT, /, answer: AnswerT, finds: str) -> str | None:
        """What the answer of a backend lacks, as a clause with the answer as its subject; None for
        nothing, or for large instances.

        A check says whether claims are right. This says whether all are there that the backend
        finds at least. It works on small instances, by plain means of its own.

        Args:
            finds: `Backend.finds` of the backend that gave the answer.
        """
        return None

    def extended(self, instance: InstanceT, /, rng: Random) -> InstanceT:
        """The instance with information that the contest's format cannot express, for fuzzing; by
        default unchanged.
        """
        return instance

    def in_part(self, answer: AnswerT, /) -> AnswerT:
        """The answer of somebody who may claim only a part of it."""
        return answer.as_incomplete()

    def refuse_incomplete(self, answer: AnswerT, /) -> None:
        """Raise `Malformed` if the answer of somebody who claims all of it lacks something that
        the puzzle asks for; by default nothing can be lacking.
        """

    def decided_count(self, instance: InstanceT, /, claims: Claims) -> int:
        """How many of the instance's open questions these claims decide.

        The recall of an incomplete answer is this number divided by that of a complete one.
        """
        return int(((claims != UNDECIDED) & (claims != UNCLAIMED)).sum())

    def place_of(self, instance: InstanceT, /, claim: int) -> str:
        """What the claim of this index is about, as people say it, such as `the cell at 3,2`; empty
        if it is about the whole.
        """
        return ""

    def outcome(self, claims: Claims) -> str:
        """The kind of an answer, in a word or two, to count how often each comes up; empty if there
        are no kinds.
        """
        return ""

    def with_irreducible_core(self, instance: InstanceT, /, answer: AnswerT) -> AnswerT:
        """The answer with a core to show of which nothing can be left out, as far as that is found
        within a second.

        It is for pictures. Solvers give any core, so that their timings need not pay for this. By
        default the answer as it is.
        """
        return answer

    def headline(self, answer: AnswerT, /) -> str:
        """The answer in a few words; empty if its first printed line says it."""
        return ""

    def in_words(self, line: str) -> str:
        """The first line of a printed answer, which is not empty, as a headline says it."""
        return line

    def format(self, name: str | None) -> str:
        """The format of this name (default: the first); raises `UnknownName`."""
        return (
            self.formats[0]
            if name is None
            else choose_by_name(f"{self.name} format", name, {each: each for each in self.formats})
        )

    def any_family(self, name: str) -> Family[InstanceT]:
        """The family of this name, one for fuzzing alone included; raises `UnknownName`."""
        return self._named(name, {**self.families, **self.fuzz_families})

    def family(self, name: str) -> Family[InstanceT]:
        """The family of this name; raises `UnknownName`, or what `first_family` raises."""
        self.first_family()
        return self._named(name, self.families)

    def _named(self, name: str, families: Mapping[str, Family[InstanceT]]) -> Family[InstanceT]:
        return replace(choose_by_name(f"{self.name} family", name, families), name=name)

    def first_family(self) -> str:
        """The name of the first family; raises `UserError` if there is none."""
        for name in self.families:
            return name
        raise UserError(
            f"{self.origin.argument} has no {self.noun}s to try: write `families`, or `example`, a "
            "small input file. Without them `run` takes files, and `fuzz` a --generator"
        )

    def complete(self) -> None:
        """Set a title and an example if the puzzle has none: its name, and a small instance of its
        first family.
        """
        self.title = self.title or self.name
        if not self.example and self.families:
            family = next(iter(self.families.values()))
            self.example = self.print_instances([family.nearest(_EXAMPLE_SIZE, seed=1)])

    @cached_property
    def origin(self) -> Origin:
        """Where the puzzle lives; in this project under its name, unless somebody sets another
        place.
        """
        return Origin(self.name, Path(__file__).parent / self.name / "data")

    @property
    def data(self) -> Path:
        """The folder of the bundled files. Each folder in it is a dataset:

        `*.in` with optional expected answers.
        """
        return self.origin.data

    @property
    def rules(self) -> str:
        """The rules and the formats, as Markdown for people: `rules.md` beside the data, or the
        docstring of its own file or folder.

        Raises:
            UserError: there are none, or they cannot be read.
        """
        origin, path = self.origin, self.data.parent / "rules.md"
        lacking = f"{origin.argument} has no written rules"
        if origin.user_file is not None and not (origin.user_file.is_folder and path.is_file()):
            if not origin.text.strip():
                raise UserError(f"{lacking}: write them into the docstring at its top")
            return cleandoc(origin.text) + "\n"
        try:
            return path.read_text(encoding="utf-8")
        except OSError as error:
            raise UserError(f"{lacking}: {path}: {error.strerror or error}") from None


class WitnessPuzzle(Puzzle[InstanceT, AnswerT]):
    """A puzzle whose answers are solutions: `possible` answers show one, others have a core as
    their certificate.

    The rules are `broken_rule`, and `core_fault` if there are cores; either may raise `BeyondCheck`
    on an instance that is too large for it. Or `check` does it all.

    Attributes:
        answer_type: the class of the answers, whose first field is `possible`.
    """

    formats = ("plain",)
    answer_type: type[Any]

    def answer_from(self, instance: InstanceT, /, value: object) -> AnswerT:
        """As `Puzzle.answer_from`; also True or False, and None for IMPOSSIBLE."""
        if value is None or isinstance(value, bool | np.bool_):
            return self.answer_type(bool(value))
        return super().answer_from(instance, value)

    def broken_rule(self, instance: InstanceT, solution: Any, /) -> str:
        """The first rule that a solution of the right form breaks, as a clause for people; empty if
        it breaks none.
        """
        raise NotImplementedError

    def core_fault(self, instance: InstanceT, core: Any, /) -> str:
        """Why a core does not prove that there is no solution, as a clause for people; empty if it
        does prove it.

        By default no core proves anything. A core comes from a backend, so it may be any value.
        """
        return f"{self.name} has no check of cores"

    def check(self, instance: InstanceT, /, answer: AnswerT) -> Check:
        """Judge an answer: a solution by the rules, IMPOSSIBLE by its core."""
        try:
            if getattr(answer, "possible", True):
                return self.check_solution(instance, answer)
            return self.check_impossible(instance, answer)
        except BeyondCheck as reason:
            return Check(Verdict.UNPROVED, str(reason), limited=True)

    def check_impossible(self, instance: InstanceT, answer: AnswerT, /) -> Check:
        """Judge an answer that says there is no solution, by its core; may raise `BeyondCheck`."""
        core: Any = answer.certificate
        fault = "IMPOSSIBLE without a core" if core is None else self.core_fault(instance, core)
        if fault:
            return Check(Verdict.UNPROVED, fault)
        return Check(Verdict.PROVED, "its core cannot be satisfied")

    @abstractmethod
    def check_solution(self, instance: InstanceT, answer: AnswerT, /) -> Check:
        """Judge an answer that says there is a solution; may raise `BeyondCheck`."""


def from_submodule(module: str, name: str) -> Callable[..., Any]:
    """A method that the function of this name in a module of the puzzle's package carries out,
    without `self`.

    The module is imported when it is first needed, so that solving loads none of them.
    """

    def method(self: FromSubmodules, *args: Any, **named: Any) -> Any:
        return getattr(self.submodule(module), name)(*args, **named)

    return method


class FromSubmodules:
    """A puzzle's package has the modules `check`, `families` and `picture`.

    Name this class before the other bases.
    """

    check = from_submodule("check", "check")
    picture = from_submodule("picture", "picture")
    cell_words = from_submodule("picture", "cell_words")

    @property
    def families(self) -> Any:
        """`FAMILIES` of the module `families`."""
        return self.submodule("families").FAMILIES

    def submodule(self, name: str) -> Any:
        """A module of the package that defines the puzzle's class; a subclass elsewhere has the
        same modules.
        """
        owner = next(each for each in type(self).__mro__ if FromSubmodules in each.__bases__)
        path = f"{owner.__module__}.{name}"
        return sys.modules.get(path) or import_module(path)  # each check asks for one
