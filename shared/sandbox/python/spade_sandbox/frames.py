"""Length-prefixed JSON frames on one descriptor: four bytes of big-endian length, then UTF-8."""

import os
import struct


class ConnectionClosed(Exception):
    """The other side is gone: there is nobody left to play for."""


def _read_exactly(fd: int, count: int) -> bytes:
    chunk = os.read(fd, count)
    if len(chunk) == count:
        return chunk
    parts = [chunk]
    missing = count - len(chunk)
    while missing > 0:
        if not parts[-1]:
            raise ConnectionClosed
        parts.append(os.read(fd, missing))
        missing -= len(parts[-1])
    return b"".join(parts)


def read_frame(fd: int) -> bytes:
    """The payload of the next frame. Raises ConnectionClosed at the end of the stream."""
    (length,) = struct.unpack(">I", _read_exactly(fd, 4))
    return _read_exactly(fd, length)


def write_frame(fd: int, payload: bytes) -> None:
    """Sends one frame whole."""
    view = memoryview(struct.pack(">I", len(payload)) + payload)
    while view:
        view = view[os.write(fd, view) :]
