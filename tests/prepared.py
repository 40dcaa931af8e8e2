"""A Python that has imported what our commands import, and forks one for each command that it is
asked for.

`tests.processes` starts this file as a program, in a new interpreter, and sends it requests over a
socket. This process never runs a command itself. A fork has the command's words, folder,
environment and standard streams, and becomes `python -m MODULE` of it: it leaves this file's loop,
runs the module as the main one, and ends as any Python ends, up to the point where nothing is left
to do but to take the modules apart.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import io
import json
import os
import runpy
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, cast
from warnings import catch_warnings, simplefilter

LARGEST = 2**20
"""Bytes of a request, at most."""

HEAVY = ("numba", "pysat.solvers", "jinja2", "starlette.applications", "uvicorn")
"""Packages that commands load late. Those that are not installed are left out.

Those of the twin are not among them: with them each fork takes a third longer.
"""

OF_TWIN = (
    "ortools.sat.python.cp_model",
    "matplotlib.figure",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg",
)
"""Packages that few commands use. A twin of this process has them for these."""

WITHOUT_WORKERS = {
    "--help",
    "--version",
    "diff",
    "doctor",
    "generate",
    "list",
    "new",
    "prove",
    "report",
    "rules",
}
"""Commands that start no workers."""


COLLAPSE = 25
"""Tells madvise(2) to make large pages of small ones at once: MADV_COLLAPSE, of Linux 6.1."""


class Request(NamedTuple):
    """A command: `python -m MODULE WORDS...` in a folder, with this environment.

    Attributes:
        goes_on: whether it may go on while others run. Then a socket comes behind its streams, and
            gets its process number and its wait status.
    """

    module: str
    words: list[str]
    folder: str
    variables: dict[str, str]
    goes_on: bool = False


def import_all() -> None:
    """Import what commands and their forkservers import.

    So a fork has imported all backends from the start, where a new interpreter imports those of the
    puzzles that it is asked for.
    """
    from compare import preload
    from compare.commands import commands, module

    usual = gc.get_threshold()
    preload.load_everything()
    gc.set_threshold(*usual)
    for name in commands():
        module(name)
    for name in HEAVY:
        with suppress(ImportError):
            import_module(name)
    load_kernels()


def load_kernels() -> None:
    """Load the compiled kernels of each puzzle for which Numba's cache has any: each solver would
    take some hundredths of a second for its own. What is solved for that is forgotten.
    """
    import puzzles
    from compare.engine.work import solving
    from compare.engine.work.contenders import backends, of_backend
    from direct import kernel

    for name in puzzles.names():
        modules = [sys.modules[each] for each in sys.modules if each.startswith(f"direct.{name}.")]
        values = [value for module in modules for value in vars(module).values()]
        kernels = [value for value in values if isinstance(value, kernel.Kernel)]
        if any(each.kept for each in kernels):
            for backend in backends(name):
                if backend.side == "direct":
                    solving.warm_up(of_backend(backend, {}))
        for each in kernels:
            each.cells_seen = 0
    solving._memory = solving._Memory()
    kernel._native.clear()


def serve(control: socket.socket, packages: Sequence[str] = ()) -> Request:
    """Fork for each request and send its process number, then its wait status. Returns in the forks
    alone, with the request. `packages`: what to import before the first of them.

    The process number is 0 where a new interpreter has to run the command. For a command that goes
    on it is that of a process in between, which waits for the command.
    """
    while True:
        data, streams, _, _ = socket.recv_fds(control, LARGEST, 4)
        if not data:
            os._exit(0)
        if packages:
            for package in packages:
                with suppress(ImportError):
                    import_module(package)
            packages = ()
            freeze()
        with suppress(ChildProcessError):  # those in between that have ended
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        request = Request(*json.loads(data))
        possible = not shadowed(request.folder)
        pid = fork() if possible else 0
        if possible and pid == 0:
            control.close()
            if request.goes_on:
                fork_and_wait(streams.pop())
            take_on(request, streams)
            return request
        for stream in streams:
            os.close(stream)
        control.send(str(pid).encode())
        if pid and not request.goes_on:
            control.send(str(os.waitpid(pid, 0)[1]).encode())


def freeze() -> None:
    """Spare the forks what is there now: to look through it for garbage copies every page."""
    gc.collect()
    gc.freeze()
    use_huge_pages()


def use_huge_pages() -> None:
    """Have Linux put the memory of this process into pages of 2 MB (madvise(2)).

    A fork copies the table of all pages. With small ones that takes longer than the rest of it.
    """
    with suppress(OSError, AttributeError):  # another system
        madvise = ctypes.CDLL(None).madvise
        for line in Path("/proc/self/maps").read_text().splitlines():
            addresses, rights, *_, name = [*line.split(), ""][:6]
            if "w" in rights and name in ("", "[heap]"):
                start, end = (int(address, 16) for address in addresses.split("-"))
                madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), COLLAPSE)


def fork() -> int:
    with catch_warnings():
        simplefilter("ignore")  # Python 3.12 counts NumPy's threads, which are prepared for a fork
        return os.fork()


def fork_and_wait(descriptor: int) -> None:
    """Return in a fork, which has a session of its own. This process sends its process number to a
    socket, then its wait status, and ends.
    """
    with socket.socket(fileno=descriptor) as ending:
        pid = fork()
        if pid:
            ending.send(str(pid).encode())
            ending.send(str(os.waitpid(pid, 0)[1]).encode())
            os._exit(0)
    os.setsid()


def shadowed(folder: str) -> bool:
    """Whether a new interpreter in this folder would find another module there than one that is
    imported here.
    """
    with suppress(OSError):
        here = {each.name.partition(".")[0] for each in Path(folder).iterdir()}
        return Path(folder).resolve() != ROOT and not here.isdisjoint(
            name.partition(".")[0] for name in sys.modules
        )
    return True


def take_on(request: Request, streams: list[int]) -> None:
    """Have this fork look like a new interpreter: its streams, folder, environment, words and path
    of modules.
    """
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for stream in streams:
        os.close(stream)
    os.chdir(request.folder)
    os.environ.clear()
    os.environ.update(request.variables)
    sys.argv = ["-m", *request.words]
    sys.orig_argv = [sys.executable, "-m", request.module, *request.words]
    sys.path[0] = request.folder
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = sys.__stdin__ = like(before[0], 0, "r")
    sys.stdout = sys.__stdout__ = like(before[1], 1, "w")
    sys.stderr = sys.__stderr__ = like(before[2], 2, "w")
    sys.stderr.reconfigure(line_buffering=True)


def like(stream: object, number: int, mode: str) -> io.TextIOWrapper:
    """A standard stream of this descriptor, as Python made that one."""
    model, newline = cast(io.TextIOWrapper, stream), "\n" if mode == "w" else None
    alike = os.fdopen(
        number, mode, encoding=model.encoding, errors=model.errors, newline=newline, closefd=False
    )
    return cast(io.TextIOWrapper, alike)


def run(module: str) -> None:
    """Run the module as the main one.

    What it returns or exits with is `Ending.status`, where that is a number.
    """
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        Ending.status = 0
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            Ending.status = ended.code or 0
        raise


class Ending:
    """How a fork ends: at once, when its threads have ended and all functions that wait for the end
    have run.

    To take the modules apart, as Python does then, takes three times as long as all else that a
    short command does. Streams that cannot be written, exceptions and exits with words are left to
    Python.
    """

    status: int | None = None

    @classmethod
    def at_once(cls) -> None:
        if cls.status is not None:
            with suppress(OSError, ValueError):
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(cls.status & 0xFF)


if __name__ == "__main__":
    atexit.register(Ending.at_once)  # the first to be registered runs last
    ROOT = Path(__file__).resolve().parent.parent
    sys.path[0] = str(ROOT)  # not the folder of this file, which has packages of the same names
    import_all()
    from tests.forked_servers import stand_by

    freeze()
    ours, of_twin = (socket.socket(fileno=int(number)) for number in sys.argv[1:3])
    if fork():
        of_twin.close()
        request = serve(ours)
    else:
        ours.close()
        request = serve(of_twin, OF_TWIN)
    if request.module == "compare" and WITHOUT_WORKERS.isdisjoint(request.words[:1]):
        stand_by()
    run(request.module)
