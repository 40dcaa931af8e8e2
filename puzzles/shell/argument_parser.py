"""The parser of a command's arguments: what is wrong in one line, and the command that lists what is right."""

from __future__ import annotations

import argparse
from typing import NoReturn

BAD_USAGE = 2
"""The exit status for arguments that a command does not have."""


class ArgumentParser(argparse.ArgumentParser):
    """As in the standard library, but a mistake is not met with the whole usage, which may be longer than a screen."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_USAGE, f"{self.prog}: {message}; `{self.prog} --help` lists what there is\n")
