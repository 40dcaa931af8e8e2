"""Numba's cache of a compiled kernel, which a damaged file does not stop.

Numba ends with an exception if one of its files is empty or cut off, and runs whatever machine code the file holds. Here each file
carries a hash of its content. A file that cannot be read is deleted with a word on stderr, and the kernel is compiled again.
"""

from __future__ import annotations

import pickle
import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.runtime.nrt import rtsys

_HASH_BYTES = sha256().digest_size

_announced: list[bool] = []
"""Not empty once a word on damage has been said in this process; after an update all kernels may be of an earlier format."""


class _Damaged(Exception):
    """A file whose content does not have the hash that it carries."""


class _HashedFile(IndexDataCacheFile):
    """Numba's index and data files, with a hash before the data."""

    def _save_data(self, name: str, data: Any) -> None:
        content = self._dump(data)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(sha256(content).digest() + content)

    def _load_data(self, name: str) -> Any:
        content = Path(self._data_path(name)).read_bytes()
        if sha256(content[_HASH_BYTES:]).digest() != content[:_HASH_BYTES]:
            raise _Damaged
        return pickle.loads(content[_HASH_BYTES:])  # noqa: S301, for Numba reads its own files in this way too

    def remove(self) -> None:
        """Delete the index and every data file of this kernel; raises OSError."""
        index = Path(self._index_path)
        for path in (index, *index.parent.glob(f"{index.stem}.*.nbc")):
            path.unlink(missing_ok=True)


class KernelCache(FunctionCache):
    """The cache of one kernel: what it cannot load is compiled again, what it cannot save is compiled for this process alone."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        plain = self._cache_file
        self._file = self._cache_file = _HashedFile(self._cache_path, self._impl.filename_base, plain._source_stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel for these types of arguments, or None; a damaged file is deleted."""
        try:
            # Numba's own method first gets ready to compile, which takes longer than to load dozens of kernels.
            rtsys.initialize(target_context)
            result = self._load_overload(sig, target_context)
            # Two processes that compile at once for different types may leave an index of one and a data file of the other.
            if result is None or tuple(result.signature.args) == tuple(sig):
                return result
        except Exception:  # the bytes decide what unpickling raises
            result = None
        self._forget()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save a compiled kernel; where that is impossible, the next process compiles it again."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            print(f"the compiled kernel {self._where} cannot be saved: {error.strerror or error}", file=sys.stderr)
        except Exception:  # an index that was damaged since it was loaded
            self._forget()
            with suppress(Exception):
                super().save_overload(sig, data)

    @property
    def _where(self) -> Path:
        return Path(self._file._index_path).with_suffix("")

    def _forget(self) -> None:
        try:
            self._file.remove()
        except OSError as error:
            self.disable()
            print(f"the compiled kernel {self._where} is damaged and cannot be deleted: {error.strerror or error}", file=sys.stderr)
        else:
            if not _announced:
                print(f"the compiled kernel {self._where} is damaged: compiling it again", file=sys.stderr)
            _announced.append(True)
