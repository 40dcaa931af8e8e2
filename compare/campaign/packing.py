"""Claims as JSON, without loss and in few bytes."""

from __future__ import annotations

import base64
import zlib
from typing import Literal

import msgspec
import numpy as np

from puzzles.answer import Claims

MOST_CLAIMS = 2**26
"""An answer with more claims than this is not read."""

_MOST_A_CELL, _MOST_BESIDE = 16, 1024
"""An answer has at most 16 claims for each cell of its instance, and 1024 others."""

_MOST_PLAIN = 64


class CompressedClaims(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Claims as zlib-compressed little-endian integers; in JSON the bytes are base64."""

    dtype: Literal["|i1", "<i8"]
    zlib: bytes


PackedClaims = list[int] | CompressedClaims


def pack(claims: Claims | None) -> object:
    """Claims for JSON, without loss: a plain list if short, else as `CompressedClaims`."""
    if claims is None:
        return None
    if claims.size <= _MOST_PLAIN:
        return claims.tolist()
    small = claims.astype("<i1" if np.abs(claims).max() < 128 else "<i8")
    return {"dtype": small.dtype.str, "zlib": base64.b64encode(zlib.compress(small.tobytes())).decode()}


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
    most = min(MOST_CLAIMS, _MOST_A_CELL * size + _MOST_BESIDE)
    try:
        claims = np.array(packed, np.int64) if isinstance(packed, list) else _decompressed(packed, most)
    except (OverflowError, zlib.error) as error:
        raise ValueError(f"the claims are damaged: {error}") from None
    if claims.size > most:
        raise ValueError(f"there are more than {most} claims, too many for an instance of size {size}")
    return claims


def _decompressed(packed: CompressedClaims, most: int) -> Claims:
    """The claims, or one more than `most` if there are more."""
    dtype = np.dtype(packed.dtype)
    stream = zlib.decompressobj()
    data = stream.decompress(packed.zlib, (most + 1) * dtype.itemsize)
    if len(data) <= most * dtype.itemsize and not (stream.eof and not stream.unused_data):
        raise ValueError("the claims are damaged: their compressed bytes do not end where they should")
    if len(data) % dtype.itemsize:
        raise ValueError(f"the claims are damaged: {len(data)} bytes are no whole number of integers of {dtype.itemsize} bytes")
    return np.frombuffer(data, dtype).astype(np.int64)
