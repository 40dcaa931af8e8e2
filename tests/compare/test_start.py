"""The beginning of `twofold` and `python -m compare`, in folders and on systems that are not fit
for them.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests.installed import slow
from tests.places import ROOT
from tests.processes import LONGEST_S, compare, environment, run_python, start_module

WORDS = [
    "run",
    "beams",
    "official.in",
    "-b",
    "direct",
    "-b",
    "cnf",
    "--jobs",
    "2",
    "--strict",
    "-q",
]
INSTALLED = Path(sys.executable).parent / "twofold"

SCRIPT = """#!{python}
import sys
from {module} import {function}
if __name__ == '__main__':
    sys.exit({function}())
"""
"""What an installer writes for an entry point."""


@pytest.fixture
def folder(sample: Path) -> Path:
    """The sample in a folder that has packages with the names of ours."""
    for name in ("puzzles", "direct", "models"):
        (sample / name).mkdir()
        (sample / name / "__init__.py").write_text(
            f"raise AssertionError('the {name} of the folder is imported')\n"
        )
    return sample


@pytest.fixture(params=["written", "installed"])
def twofold(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The console script: written as an installer does, beside a `models.py` as python-sat has it;
    or the one that is installed.
    """
    if request.param == "installed":
        if not INSTALLED.exists():
            pytest.skip(f"{INSTALLED} is not installed")
        return INSTALLED
    bin = tmp_path_factory.mktemp("bin")
    (bin / "models.py").write_text(
        "raise AssertionError('the models.py of python-sat is imported')\n"
    )
    entry = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]["twofold"]
    module, _, function = entry.partition(":")
    script = bin / "twofold"
    script.write_text(SCRIPT.format(python=sys.executable, module=module, function=function))
    script.chmod(0o755)
    return script


def run(program: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, *words],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST_S,
    )


@pytest.mark.slow
def test_twofold_works_in_a_folder_with_packages_of_these_names(
    twofold: Path, folder: Path
) -> None:
    ended = run(twofold, *WORDS, cwd=folder)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("ALL AGREE; 5 boards of 1 puzzle; ")


def test_twofold_says_its_name(twofold: Path, tmp_path: Path) -> None:
    assert run(twofold, "--help", cwd=tmp_path).stdout.startswith("usage: twofold [COMMAND] ...\n")
    ended = run(twofold, "check", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("twofold check: the following arguments are required: ")
    assert ended.stderr.endswith("; `twofold check --help` lists what there is\n")


@pytest.mark.parametrize("name", ["puzzles", "direct", "models"])
@pytest.mark.parametrize("kind", ["package", "module"])
def test_python_m_compare_names_what_stands_in_its_way(
    tmp_path: Path, name: str, kind: str
) -> None:
    path = tmp_path / name if kind == "package" else tmp_path / f"{name}.py"
    if kind == "package":
        path.mkdir()
    (path / "__init__.py" if kind == "package" else path).write_text("")
    ended = compare("list", cwd=tmp_path, status=2)
    assert ended.stdout == ""
    assert ended.stderr == (
        f"Python finds {path.resolve()} in place of Twofold's package {name}: "
        "use the command twofold in place of python -m compare, or go to another folder\n"
    )


@pytest.mark.slow
def test_a_folder_without_code_stands_in_nobodys_way(sample: Path) -> None:
    (sample / "models").mkdir()
    compare(*WORDS, cwd=sample, status=0)


def test_what_stands_on_the_path_of_modules_is_named(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    ended = run_python(
        "-m", "compare", "list", cwd=tmp_path_factory.mktemp("else"), env=environment(folder)
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.endswith(f"package puzzles: take {folder.resolve()} off PYTHONPATH\n")


def test_a_system_without_fork_is_told_what_is_supported() -> None:
    code = (
        "import os, runpy, sys\ndel os.fork\nsys.modules['fcntl'] = sys.modules['resource'] = "
        "None\n"
        "sys.argv = ['compare', 'list']\nrunpy.run_module('compare', run_name='__main__')"
    )
    ended = run_python("-c", code)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert (
        "this system has no fork: use Linux or macOS, or on Windows the Windows Subsystem for "
        "Linux (WSL)" in ended.stderr
    )


def test_the_packages_are_typed() -> None:
    assert all(
        (ROOT / name / "py.typed").exists() for name in ("compare", "direct", "models", "puzzles")
    )


BEFORE_OURS = {
    "compare/__init__.py",
    "compare/__main__.py",
    "compare/start.py",
    "direct/__init__.py",
    "models/__init__.py",
} | {
    "puzzles/__init__.py",
    "puzzles/backend.py",
    "puzzles/shell/__init__.py",
    "puzzles/shell/interruption.py",
}
"""The files that run until Ctrl-C is in order. They import nothing of others until then."""

WHEN_IN_ORDER = """
import os, signal, sys

def say_what_is_loaded(number, handler):
    loaded = {getattr(module, "__file__", None) or "" for module in sys.modules.values()}
    print(*loaded - loaded_before, sep="\\n")
    sys.stdout.flush()
    os._exit(0)

loaded_before = {getattr(module, "__file__", None) or "" for module in sys.modules.values()}
signal.signal = say_what_is_loaded
"""
"""A `sitecustomize.py`: a process ends when it first sets a handler, and says which files it has
loaded by then.
"""

PATIENCE_S = 15.0
"""Seconds after which a signal counts as lost."""


@cache
def import_hooks() -> frozenset[Path]:
    """The files of installed packages that this environment has asked about every import, even of
    Python's own modules.
    """
    code = (
        "import sys\nprint(*{getattr(sys.modules[hook.__module__], '__file__', None) for hook in "
        "sys.meta_path}, sep='\\n')"
    )
    return frozenset(Path(line) for line in run_python("-c", code).stdout.splitlines())


@pytest.mark.parametrize("module", ["compare", "direct", "models"])
def test_nothing_of_others_is_loaded_until_interruptions_are_in_order(
    tmp_path: Path, module: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(WHEN_IN_ORDER)
    loaded = run_python("-m", module, env=environment(tmp_path), text="").stdout.split("\n")
    files = {Path(name) for name in loaded if name}
    ours = {
        file.relative_to(ROOT).as_posix()
        for file in files
        if file.is_relative_to(ROOT) and "site-packages" not in file.parts
    }
    assert f"{module}/__init__.py" in ours
    assert ours <= BEFORE_OURS
    assert not [file for file in files if "site-packages" in file.parts]


def lost_when_interrupted(module: str, number: int, delay: float, words: list[str]) -> bool:
    """Send a signal after a delay: one word and status 130, or what Python itself does before the
    first line of ours.

    In rare cases Python loses a signal at the very start, while it imports its own modules, and
    perhaps says so. Then a second signal must end the process, and this returns True.
    """
    read_end, write_end = os.pipe()
    os.write(write_end, b"1\n1 3\n.-.\n")
    with start_module(module, *words, stdin=read_end) as process:
        time.sleep(delay)
        process.send_signal(number)
        lost = False
        try:
            _, complaint = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            lost = True
            process.send_signal(number)
            _, complaint = process.communicate()
    os.close(read_end)
    os.close(write_end)
    if lost:
        assert process.returncode == 130
        assert complaint.splitlines()[-1].startswith("interrupted"), complaint
        return True
    if process.returncode == 130:
        assert complaint == "interrupted\n"
        return False
    frames = {Path(name) for name in re.findall(r'File "(/[^"]*)"', complaint)}
    installed = {
        frame for frame in frames if "site-packages" in frame.parts
    }  # the environment may lie in the checkout
    ours = {
        frame.relative_to(ROOT).as_posix()
        for frame in frames - installed
        if frame.is_relative_to(ROOT)
    }
    assert process.returncode in (-number, 1), complaint
    if ours:
        assert ours <= BEFORE_OURS, complaint
        assert installed <= import_hooks(), complaint
    return False


ENTRIES = {
    "compare": ["run", "beams", "-q", "--repeat", "100"],
    "direct": ["beams"],
    "models": ["beams"],
}
"""Commands that do not end by themselves within the delays: the two sides wait for the rest of
their input.
"""


@pytest.mark.parametrize(
    ("module", "number", "count"),
    [
        *((module, signal.SIGINT, 2) for module in ENTRIES),
        ("compare", signal.SIGTERM, 2),
        slow("compare", signal.SIGINT, 30),
        slow("compare", signal.SIGTERM, 30),
        slow("direct", signal.SIGINT, 30),
        slow("models", signal.SIGINT, 30),
    ],
)
def test_an_early_interruption_is_one_line(module: str, number: int, count: int) -> None:
    rng = random.Random(f"{module} {number} {count}")
    lost = [
        lost_when_interrupted(module, number, rng.uniform(0, 0.5), ENTRIES[module])
        for _ in range(count)
    ]
    assert sum(lost) <= 1


@pytest.mark.slow
def test_a_background_command_ignores_an_interruption(sample: Path) -> None:
    """A shell starts it with SIGINT ignored, and it stays so."""
    code = (
        "import os, runpy, signal, sys\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nsys.argv = "
        "['compare', *sys.argv[1:]]\n"
        "import atexit; atexit.register(os.kill, os.getpid(), "
        "signal.SIGINT)\nrunpy.run_module('compare', run_name='__main__')"
    )
    ended = run_python("-c", code, *WORDS, cwd=sample)
    assert (ended.returncode, ended.stderr) == (0, "")
