import socket
from collections.abc import Iterator
from threading import Thread

import pytest

from spade_sandbox.frames import ConnectionClosed, FrameReader, write_frame


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    near, far = socket.socketpair()
    with near, far:
        yield near, far


def frame(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + body


@pytest.mark.parametrize("size", [1, 3, 5, 7, 1000])
def test_frames_are_the_same_however_they_arrive_in_pieces(
    ends: tuple[socket.socket, socket.socket], size: int
) -> None:
    near, far = ends
    bodies = [b"", b"a", "é".encode() * 10, b"x" * 100]
    stream = b"".join(map(frame, bodies))
    reader = FrameReader(far.fileno())
    sender = Thread(target=lambda: [near.sendall(stream[at : at + size]) for at in range(0, len(stream), size)])
    sender.start()
    assert [reader.read() for _ in bodies] == bodies
    sender.join()


def test_a_frame_larger_than_the_socket_s_buffer_goes_through_whole(ends: tuple[socket.socket, socket.socket]) -> None:
    near, far = ends
    body = bytes(range(256)) * 20_000
    sender = Thread(target=lambda: write_frame(near.fileno(), body))
    sender.start()
    assert FrameReader(far.fileno()).read() == body
    sender.join()


@pytest.mark.parametrize("sent", [b"", b"\0\0", b"\0\0\0\5ab"])
def test_a_stream_that_ends_within_a_frame_is_closed(ends: tuple[socket.socket, socket.socket], sent: bytes) -> None:
    near, far = ends
    near.sendall(sent)
    near.shutdown(socket.SHUT_WR)
    with pytest.raises(ConnectionClosed):
        FrameReader(far.fileno()).read()
