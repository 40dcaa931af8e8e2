"""Where things are."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parent.parent
"""The checkout."""

PLANTED = ROOT / "tests" / "planted"
"""Wrong backends and wrong programs."""

SAMPLE = ROOT / "puzzles" / "beams" / "data" / "sample" / "official.in"
"""The official sample of beams."""
