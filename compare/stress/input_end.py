"""Whether a text ends where the reference stops to read: a guard against texts that are too short
or too long to be inputs. It needs no grammar.

A text is **whole** if the answer stays the same whatever is appended. Two kinds of words are tried,
small numbers and large ones, so that it is no chance if nothing changes.

- If the generator's inputs are whole, a text that is not is too short: the reference reads what is
  not there.
- If, beside that, none of them is whole without its last word (with the same answer), a text that
  is so is too long: its last word is read by nobody. That the answer stays the same without a word
  would not do: a maximum mostly does. So words are put in its place, which the reference sees if
  it reads on. Still some inputs do not need their last word, such as the only number of a list
  that is sorted anyway; so a grammar has the say where it knows how many words there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from puzzles.space.text_changes import lines_of, text_of

MAX_INPUTS, MIN_INPUTS = 10, 5
"""Inputs of the generator that are tried, and how many there must be."""

_APPENDED = tuple(8 * (" ".join([word] * 8) + "\n") for word in ("1", "1000003"))

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
        return not (self.shows_long and self._is_whole(_without_last(text), answer))

    def _is_whole(self, text: str, answer: bytes) -> bool:
        """Whether the answer is this one, and stays so whatever is appended."""
        texts = [text, *(text + more for more in _APPENDED)]
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
            end._is_whole(_without_last(text), each) for text, each in known
        )
        return cls(answers, same, shows_short=True, shows_long=shows_long)


def _without_last(text: str) -> str:
    lines = lines_of(text)
    while lines and not lines[-1]:
        lines.pop()
    return text_of([*lines[:-1], lines[-1][:-1]]) if lines else ""
