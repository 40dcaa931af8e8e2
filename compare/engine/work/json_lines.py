"""What stands in a line of JSON of a file of results: claims in few bytes, and values that may have
been damaged.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Set
from typing import Any, Literal

import msgspec
import numpy as np

from puzzles.answer import Claims
from puzzles.text import escape

MAX_CLAIMS = 2**26
"""An answer with more claims than this is not read."""

_MAX_A_CELL, _MAX_BESIDE = 16, 1024
"""An answer has at most 16 claims for each cell of its instance, and 1024 others."""

_MAX_PLAIN = 64


class CompressedClaims(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Claims as zlib-compressed little-endian integers; in JSON the bytes are base64."""

    dtype: Literal["|i1", "<i8"]
    zlib: bytes


PackedClaims = list[int] | CompressedClaims


def pack(claims: Claims) -> object:
    """Claims for JSON, without loss: a plain list if short, else as `CompressedClaims`."""
    if claims.size <= _MAX_PLAIN:
        return claims.tolist()
    small = claims.astype("<i1" if np.abs(claims).max() < 128 else "<i8")
    return {
        "dtype": small.dtype.str,
        "zlib": base64.b64encode(zlib.compress(small.tobytes())).decode(),
    }


def unpack(packed: PackedClaims | None, size: int) -> Claims | None:
    """The claims that were packed.

    A short text can stand for gigabytes, so the size of the instance bounds what is decompressed.

    Args:
        size: of the instance, as one number.

    Raises:
        ValueError: the claims are damaged, or more than an instance of this size has.
    """
    if packed is None:
        return None
    most = min(MAX_CLAIMS, _MAX_A_CELL * size + _MAX_BESIDE)
    try:
        claims = (
            np.array(packed, np.int64) if isinstance(packed, list) else _decompress(packed, most)
        )
    except (OverflowError, zlib.error) as error:
        raise ValueError(f"the claims are damaged: {error}") from None
    if claims.size > most:
        raise ValueError(
            f"there are more than {most} claims, too many for an instance of size {size}"
        )
    return claims


def _decompress(packed: CompressedClaims, most: int) -> Claims:
    """The claims, or one more than `most` if there are more."""
    dtype = np.dtype(packed.dtype)
    stream = zlib.decompressobj()
    data = stream.decompress(packed.zlib, (most + 1) * dtype.itemsize)
    if len(data) <= most * dtype.itemsize and not (stream.eof and not stream.unused_data):
        raise ValueError(
            "the claims are damaged: their compressed bytes do not end where they should"
        )
    if len(data) % dtype.itemsize:
        raise ValueError(
            f"the claims are damaged: {len(data)} bytes are no whole number of integers of "
            f"{dtype.itemsize} bytes"
        )
    return np.frombuffer(data, dtype).astype(np.int64)


_DEEPEST = 50
"""Exact claims that are nested more deeply are not read."""


def decode(line: str | bytes, fields: Set[str] = frozenset()) -> dict[str, Any]:
    """The values of a line of JSON; raises `ValueError` if it is no object that has these
    fields.
    """
    try:
        try:
            values = msgspec.json.decode(line, type=dict)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:  # Python writes more: infinite numbers, bytes that are no UTF-8
            values = msgspec.convert(
                _escape_all(json.loads(line if isinstance(line, str) else line.decode())), dict
            )
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if missing := fields - values.keys():
        raise ValueError(f"the field {min(missing)} is missing")
    return values


def _escape_all(value: Any) -> Any:
    """The value with all of its texts escaped, see `escape`."""
    if isinstance(value, str):
        return escape(value)
    if isinstance(value, list):
        return [_escape_all(each) for each in value]
    return (
        {escape(name): _escape_all(each) for name, each in value.items()}
        if isinstance(value, dict)
        else value
    )


def check_depth(value: object, depth: int = 0) -> None:
    """Raise `ValueError` if lists and objects are nested so deeply that comparing them would
    fail.
    """
    if isinstance(value, dict | list):
        if depth == _DEEPEST:
            raise ValueError("its exact claims are nested too deeply")
        for each in value.values() if isinstance(value, dict) else value:
            check_depth(each, depth + 1)
