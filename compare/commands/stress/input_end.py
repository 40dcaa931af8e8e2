"""Whether a text ends where the reference stops to read: a guard against texts that are too short
or too long to be inputs. It needs no grammar.

A text is **whole** if the answer stays the same whatever lines are appended. Small numbers and
large ones are tried, so that it is no chance if nothing changes.

- If the generator's inputs are whole, a text that is not is too short: the reference reads what is
  not there.
- If, beside that, the reference sees the last word of each of them, a text whose last word it does
  not see is too long. That the answer stays the same without a word would not do: a maximum mostly
  does. So the word is **unseen** if the answer stays the same without it and with any others in its
  place, on the same line or on the next. Still there are inputs that do not need their last word,
  such as the only number of a list that is sorted anyway; so a grammar has the say where it knows
  how many words there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from puzzles.space.text_changes import lines_of, text_of

MAX_INPUTS, MIN_INPUTS = 10, 5
"""Inputs of the generator that are tried, and how many there must be."""

_OTHERS = tuple(8 * (" ".join([word] * 8) + "\n") for word in ("1", "1000003"))
"""Lines that are put behind a text: small numbers, and large ones."""

Answers = Callable[[Sequence[str]], Sequence[bytes | None]]
"""What the reference prints for some texts; None where it fails."""


@dataclass(frozen=True)
class InputEnd:
    """What the end of an input is known by.

    Attributes:
        answers: asks the reference.
        same: whether two outputs are the same.
        shows_short, shows_long: whether a text that is too short, or too long, is seen.
    """

    answers: Answers
    same: Callable[[bytes, bytes], bool]
    shows_short: bool = False
    shows_long: bool = False

    def fits(self, text: str, answer: bytes) -> bool:
        """Whether a text with this answer is not seen to be too short or too long."""
        if self.shows_short and not self._is_whole(text, answer):
            return False
        return not (self.shows_long and self._is_last_unseen(text, answer))

    def _is_whole(self, text: str, answer: bytes) -> bool:
        return self._are_same(answer, [text + each for each in _OTHERS])

    def _is_last_unseen(self, text: str, answer: bytes) -> bool:
        lines = lines_of(text)
        while lines and not lines[-1]:
            lines.pop()
        if not lines:
            return False
        shorter = text_of([*lines[:-1], lines[-1][:-1]])
        longer = [between + each for between in (shorter, f"{shorter[:-1]} ") for each in _OTHERS]
        return self._are_same(answer, [shorter, *longer])

    def _are_same(self, answer: bytes, texts: Sequence[str]) -> bool:
        """Whether the answer to all these texts is this one."""
        return all(each is not None and self.same(answer, each) for each in self.answers(texts))

    @classmethod
    def of(
        cls,
        inputs: Sequence[str],
        answers: Answers,
        same: Callable[[bytes, bytes], bool],
        *,
        is_counted: bool,
    ) -> InputEnd:
        """What is known by some inputs of the generator.

        Args:
            is_counted: whether a grammar says how long a text is, so that none is too long.
        """
        end = cls(answers, same)
        texts = [text_of(lines_of(text)) for text in inputs[:MAX_INPUTS]]
        outputs = answers(texts)
        if len(texts) < MIN_INPUTS or None in outputs:
            return end
        known = [
            (text, each) for text, each in zip(texts, outputs, strict=True) if each is not None
        ]
        if not all(end._is_whole(text, each) for text, each in known):
            return end
        shows_long = not is_counted and not any(
            end._is_last_unseen(text, each) for text, each in known
        )
        return cls(answers, same, shows_short=True, shows_long=shows_long)
