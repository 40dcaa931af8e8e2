"""Children that are kept from call to call, threads that use them, and the turn of timing. All of
this is in main.

A **solver** serves contenders, a **judge** reads and checks answers, a **starter** starts programs.
Foreign code gets a new solver for each call, and so does whatever failed in one that is kept. In a
judge no solver has ever run.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from threading import Condition, Lock
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import puzzles
from compare.engine.isolate.child import LOST, Child, server
from compare.engine.isolate.outcome import Limits, Outcome
from compare.engine.work.contenders import BackendContender
from compare.engine.work.plugins import LOAD_S
from compare.engine.work.solving import load_plugins, warm_up

P = ParamSpec("P")
T = TypeVar("T")

_READY_S = 600.0
"""Seconds that a built-in solver may take to get ready; on a new machine it compiles kernels."""

TRIAL_S = 5.0
"""Seconds that foreign code may take for a few small boards; a slower one is not warmed up."""

MAX_IDLE = 16
"""Children that wait for a call."""


class Lost(Exception):
    """A call did not come to its end, for a reason that says nothing of what it called."""


class TimingTurn:
    """Who may have all of the memory's speed: one run that is timed, or several children that load
    packages and kernels.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._loading, self._timed = 0, False

    @contextmanager
    def timing(self) -> Iterator[None]:
        """Wait until nobody else is timed or loads, and let nobody do so meanwhile."""
        with self._changed:
            while self._timed or self._loading:
                self._changed.wait()
            self._timed = True
        try:
            yield
        finally:
            with self._changed:
                self._timed = False
                self._changed.notify_all()

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Wait until nobody is timed, and let nobody be timed meanwhile."""
        with self._changed:
            while self._timed:
                self._changed.wait()
            self._loading += 1
        try:
            yield
        finally:
            with self._changed:
                self._loading -= 1
                self._changed.notify_all()


class Stopped(BaseException):
    """Raised where a call asks a pool for a child after the pool was stopped.

    Like KeyboardInterrupt it is no error of the call. Nothing but the thread catches it: for
    whoever waits, the call was cancelled.
    """


class Pool:
    """Children by what they are for. Whoever needs one borrows one that is idle, or starts one.

    Attributes:
        turn: of runs that are timed.
        timed: the context of a timed run: `turn.timed`, or none if runs are timed side by side.
    """

    def __init__(
        self,
        plugins: Sequence[str] = (),
        *,
        one_timed: bool = False,
        forks_of_this: bool = False,
    ) -> None:
        """A pool without children; each that comes loads what it needs of the plugins, and the
        users' puzzles that this process has loaded.

        Args:
            one_timed: whether one run is timed at a time.
            forks_of_this: whether the children are forks of this process. They then know functions
                that are nowhere else, and are as warm as this process is.
        """
        if not forks_of_this:
            server.start()
            for file in puzzles.user_files().values():
                server.call(partial(puzzles.load, file, silent=True))
        self._forks_of_this = forks_of_this
        self._new_child = partial(Child, forked_here=forks_of_this)
        self.turn = TimingTurn()
        self.timed = self.turn.timing if one_timed else nullcontext
        self._plugins = tuple(plugins)
        self._idle: OrderedDict[Child, Hashable] = OrderedDict()
        self._lent: set[Child] = set()
        self._is_quick: dict[BackendContender, bool] = {}
        self._lock = Lock()
        self._stopped = False

    def solver(
        self, *contenders: BackendContender, new: bool = False
    ) -> AbstractContextManager[Child]:
        """A solver that has loaded all that these built-in contenders need, or the plugins of a
        single foreign one; without any, a bare one.

        Args:
            new: whether it has solved nothing but the examples before; that of foreign code of
                others never has.
        """
        if contenders and contenders[0].foreign:
            return self.foreign_solver(contenders[0], new=new or not contenders[0].may_be_kept)
        return self._child(contenders, partial(self._warm_child, contenders), new=new)

    def foreign_solver(
        self,
        contender: BackendContender,
        *,
        warm: bool = True,
        compiled: bool = True,
        new: bool = True,
    ) -> AbstractContextManager[Child]:
        """A solver for foreign code; `ready` says how loading its plugins ended.

        Args:
            warm: whether it solves small boards first, if that is quick.
            compiled: whether built-in kernels that a plugin calls run compiled.
            new: whether it is new, and ends with the call.
        """
        start = partial(self._foreign_child, contender, warm, compiled)
        return self._child(contender, start, new=new)

    def judge(self) -> AbstractContextManager[Child]:
        """A child in which no solver has ever run."""
        return self._child("judge", self._new)

    def starter(self) -> AbstractContextManager[Child]:
        """A child that starts programs."""
        return self._child("starter", partial(self._new, starts_programs=True))

    def stop(self) -> None:
        """Kill all children; calls that are under way end badly, and whoever asks for another child
        gets `Stopped`.

        Any thread may call this.
        """
        self._stopped = True
        with self._lock:
            doomed = [*self._lent, *self._idle]
        for child in doomed:
            child.kill()

    def stop_calls(self) -> None:
        """Kill the children that are at work; calls that come get new ones."""
        with self._lock:
            at_work = list(self._lent)
        for child in at_work:
            child.kill()

    def close(self) -> None:
        """Close the children that are idle; nobody may use the pool any more."""
        while self._idle:
            self._idle.popitem()[0].close()

    @contextmanager
    def _child(
        self, purpose: Hashable, start: Callable[[], Child], *, new: bool = False
    ) -> Iterator[Child]:
        with self._lock:
            idle = () if new else reversed(self._idle.items())
            child = next((each for each, its_purpose in idle if its_purpose == purpose), None)
            if child is not None:
                del self._idle[child]
        if child is not None and child.has_ended():
            child.close()
            child = None
        child = child or start()
        self._lend(child)
        try:
            yield child
        finally:
            with self._lock:
                self._lent.discard(child)
                if child.usable and not new:
                    self._idle[child] = purpose
                surplus = [child] if child not in self._idle else []
                surplus += [
                    self._idle.popitem(last=False)[0] for _ in range(len(self._idle) - MAX_IDLE)
                ]
            for each in surplus:
                each.close()

    def _new(self, **options: Any) -> Child:
        """A new child, which is lent already: `stop` kills it while it loads, too."""
        if self._stopped:
            raise Stopped
        child = self._new_child(**options)
        self._lend(child)
        return child

    def _lend(self, child: Child) -> None:
        with self._lock:
            self._lent.add(child)
        if self._stopped:
            child.kill()

    def _warm_child(self, contenders: Sequence[BackendContender]) -> Child:
        child = self._new()
        with self.turn.loading() if contenders else nullcontext():
            for contender in () if self._forks_of_this else contenders:
                if not contender.starts_solver:  # it may hang, and has nothing to load
                    child.ready = child.call(warm_up, contender, limits=Limits(_READY_S))
        child.note_first_size()
        return child

    def _foreign_child(self, contender: BackendContender, warm: bool, compiled: bool) -> Child:
        paths = () if contender.in_compare else self._plugins
        child, loaded = self._with_plugins(paths, compiled)
        if (
            not warm
            or self._forks_of_this
            or not loaded.ok
            or self._is_quick.get(contender) is False
        ):
            return child
        with self.turn.loading():
            limits = Limits(LOAD_S if contender in self._is_quick else TRIAL_S)
            warmed = child.call(warm_up, contender, limits=limits)
        self._is_quick.setdefault(contender, warmed.ok)
        if warmed.detail == LOST:  # it may have killed the forkserver, and would again
            child.ready = warmed
        elif not warmed.ok:
            with self._lock:
                self._lent.discard(child)
            child.close()
            child, _ = self._with_plugins(paths, compiled)
        child.note_first_size()
        return child

    def _with_plugins(self, paths: Sequence[str], compiled: bool) -> tuple[Child, Outcome]:
        child = self._new(foreign=True)
        child.ready = child.call(load_plugins, paths, compiled, limits=Limits(LOAD_S))
        return child, child.ready


class Executor(Protocol):
    """Carries calls out, about in the order in which they were submitted.

    Attributes:
        width: how many calls should be submitted before the first one has ended.
    """

    width: int

    def submit(
        self, function: Callable[Concatenate[Pool, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> Future[T]:
        """A future of `function(pool, *args)`. On a cluster all of it must be picklable."""
        ...

    def stop(self) -> None:
        """Give up the calls that have not ended."""


class Local:
    """Calls in threads of this process, which have a pool in common.

    Attributes:
        pool: their children.
    """

    def __init__(self, jobs: int, pool: Pool) -> None:
        self.width, self.pool = 8 * jobs, pool
        self._threads = ThreadPoolExecutor(jobs)

    def submit(
        self, function: Callable[Concatenate[Pool, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> Future[T]:
        return self._threads.submit(_unless_stopped, function, self.pool, *args, **kwargs)

    def stop(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        self.pool.stop()


class Inline:
    """Calls at once, in the thread that submits them."""

    def __init__(self, pool: Pool) -> None:
        self.width, self.pool = 1, pool

    def submit(
        self, function: Callable[Concatenate[Pool, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> Future[T]:
        done: Future[T] = Future()
        try:
            done.set_result(function(self.pool, *args, **kwargs))
        except Exception as error:  # raised where the result is asked for
            done.set_exception(error)
        return done

    def stop(self) -> None:
        """Nothing is under way."""


def _unless_stopped(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    try:
        return function(*args, **kwargs)
    except Stopped:
        raise CancelledError from None


@contextmanager
def local(
    jobs: int = 1,
    plugins: Sequence[str] = (),
    *,
    one_timed: bool = False,
) -> Iterator[Local]:
    """An executor on this machine for `jobs` calls at once, with a `Pool`.

    If the context is left by an exception, the calls that are under way are stopped.
    """
    workers = Local(jobs, Pool(plugins, one_timed=one_timed))
    try:
        yield workers
    except BaseException:
        try:
            workers.stop()
        finally:  # a second interruption may have come in the middle of it
            workers.stop()
        raise
    finally:
        workers._threads.shutdown()
        workers.pool.close()
