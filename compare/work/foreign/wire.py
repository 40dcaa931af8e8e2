"""How the outcome of a call of foreign code crosses from its fork: as JSON text, rebuilt from values of exact types."""

from __future__ import annotations

import json
import math

from compare.isolate.outcome import Outcome, Status, Usage
from compare.isolate.sandbox import Wire
from compare.work.foreign.plain import Malformed

_MOST_DETAIL = 2000
"""Characters that are kept of a detail."""


def _write(outcome: Outcome) -> bytes:
    usage = outcome.usage
    used = [usage.wall_s, usage.cpu_s, usage.peak_bytes]
    return json.dumps([str(outcome.status), outcome.value, outcome.detail[:_MOST_DETAIL], used]).encode()


def _read(text: bytes | bytearray) -> Outcome:
    """The outcome; its value is a text in the plain format, or None."""
    status, value, detail, used = json.loads(text)
    numbers = all(type(each) in (int, float) and math.isfinite(each) and each >= 0 for each in used)
    if type(value) not in (str, type(None)) or type(detail) is not str or len(used) != 3 or not numbers:
        raise Malformed("its fork wrote what is no outcome")
    wall_s, cpu_s, peak_bytes = used
    readable = detail[:_MOST_DETAIL].encode(errors="replace").decode()
    return Outcome(Status(status), value, readable, Usage(float(wall_s), float(cpu_s), int(peak_bytes)))


PLAIN = Wire(_write, _read)
