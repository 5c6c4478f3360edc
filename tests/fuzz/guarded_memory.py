"""Memory between two pages that nothing may touch: who reads or writes one byte beyond its buffer ends the process."""

import ctypes
import mmap

import pyarrow as pa

_LIBC = ctypes.CDLL(None, use_errno=True)
_NOTHING = 0  # PROT_NONE


class GuardedMemory:
    """Room for one buffer of at most `size` bytes at a time, against the page after it or the one before it."""

    def __init__(self, size: int) -> None:
        self.size = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        self._map = mmap.mmap(-1, self.size + 2 * mmap.PAGESIZE)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self._map)) + mmap.PAGESIZE
        for page in (self.address - mmap.PAGESIZE, self.address + self.size):
            if _LIBC.mprotect(ctypes.c_void_p(page), mmap.PAGESIZE, _NOTHING):
                raise OSError(ctypes.get_errno(), "mprotect")

    def buffer(self, data: bytes, *, at_end: bool) -> pa.Buffer:
        """A view of the memory with `data` in it; the next call overwrites it."""
        place = self.size - len(data) if at_end else 0
        self._map[mmap.PAGESIZE + place : mmap.PAGESIZE + place + len(data)] = data
        return pa.foreign_buffer(self.address + place, len(data), self._map)
