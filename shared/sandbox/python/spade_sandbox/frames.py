"""Length-prefixed JSON frames on one descriptor: four bytes of big-endian length, then UTF-8."""

import os


class ConnectionClosed(Exception):
    """The other side is gone: there is nobody left to play for."""


_CHUNK = 65_536


class FrameReader:
    """Cuts what arrives on a descriptor into frames; a small frame takes one system call."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._rest = b""

    def read(self) -> bytes:
        """The payload of the next frame. Raises ConnectionClosed at the end of the stream."""
        data = self._rest or self._more(_CHUNK)
        while len(data) < 4:
            data += self._more(_CHUNK)
        end = 4 + int.from_bytes(data[:4], "big")
        if len(data) < end:
            parts, missing = [data], end - len(data)
            while missing > 0:
                parts.append(self._more(missing))
                missing -= len(parts[-1])
            data = b"".join(parts)
        self._rest = data[end:]
        return data[4:end]

    def _more(self, count: int) -> bytes:
        chunk = os.read(self._fd, count)
        if not chunk:
            raise ConnectionClosed
        return chunk


def write_frame(fd: int, payload: bytes) -> None:
    """Sends one frame whole."""
    frame = len(payload).to_bytes(4, "big") + payload
    sent = os.write(fd, frame)
    while sent < len(frame):
        sent += os.write(fd, memoryview(frame)[sent:])
