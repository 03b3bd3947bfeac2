"""The system-call filter of a sandboxed process, as a classic BPF program that the kernel runs before every call.

Written by hand rather than through libseccomp, on purpose: the list is an allow-list of some thirty numbers with three
argument tests, so a binding would add a native library that slim images lack and that must be found, loaded and kept in
every process, to save the sixty lines below. What a binding would give beyond that is checked here instead: a test
interprets the program for every number of both architectures and compares the outcome with the table in `syscalls.py`.

Layout: wrong architecture → kill; x32 numbers → kill; then per named call "is it this number? → answer"; else → kill.
"""

import ctypes
import errno
import struct
from collections.abc import Iterator
from typing import Final

from . import syscalls

KILL_PROCESS: Final = 0x80000000
ALLOW: Final = 0x7FFF0000
ERRNO: Final = 0x00050000

LOAD: Final = 0x20  # BPF_LD | BPF_W | BPF_ABS
JUMP_EQUAL: Final = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
JUMP_ANY_BIT: Final = 0x45  # BPF_JMP | BPF_JSET | BPF_K
RETURN: Final = 0x06  # BPF_RET | BPF_K

# Offsets into struct seccomp_data; both architectures are little endian, so the low half of an argument comes first.
NUMBER_AT: Final = 0
ARCHITECTURE_AT: Final = 4
FIRST_ARGUMENT_AT: Final = 16

X32_BIT: Final = 0x40000000
PROT_EXEC: Final = 0x4

ARCHITECTURES: Final[dict[str, tuple[int, int]]] = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, constant


def _answer(number: int, action: int) -> Iterator[Instruction]:
    yield (JUMP_EQUAL, 0, 1, number)
    yield (RETURN, 0, 0, action)


def _mapping(number: int) -> Iterator[Instruction]:
    """Memory may be mapped and protected, never made executable: `prot` is the third argument."""
    yield (JUMP_EQUAL, 0, 4, number)
    yield (LOAD, 0, 0, FIRST_ARGUMENT_AT + 2 * 8)
    yield (JUMP_ANY_BIT, 0, 1, PROT_EXEC)
    yield (RETURN, 0, 0, KILL_PROCESS)
    yield (RETURN, 0, 0, ALLOW)


def _signal_self(number: int, pid: int) -> Iterator[Instruction]:
    """`abort()` sends a signal to its own process; nobody else may be signalled."""
    yield (JUMP_EQUAL, 0, 4, number)
    yield (LOAD, 0, 0, FIRST_ARGUMENT_AT)
    yield (JUMP_EQUAL, 0, 1, pid)
    yield (RETURN, 0, 0, ALLOW)
    yield (RETURN, 0, 0, KILL_PROCESS)


def build(machine: str, pid: int) -> list[Instruction]:
    """The filter of process `pid` on `machine` (as `os.uname().machine` names it).

    Raises KeyError for an architecture that has no table: the sandbox then does not start.
    """
    audit_architecture, column = ARCHITECTURES[machine]
    answers = (
        (syscalls.ALLOWED, ALLOW),
        (syscalls.REFUSED_EACCES, ERRNO | errno.EACCES),
        (syscalls.REFUSED_EPERM, ERRNO | errno.EPERM),
        (syscalls.REFUSED_ENOTTY, ERRNO | errno.ENOTTY),
        (syscalls.REFUSED_ENOSYS, ERRNO | errno.ENOSYS),
    )
    program: list[Instruction] = [
        (LOAD, 0, 0, ARCHITECTURE_AT),
        (JUMP_EQUAL, 1, 0, audit_architecture),
        (RETURN, 0, 0, KILL_PROCESS),
        (LOAD, 0, 0, NUMBER_AT),
        (JUMP_ANY_BIT, 0, 1, X32_BIT),
        (RETURN, 0, 0, KILL_PROCESS),
    ]
    for table, action in answers:
        for numbers in table.values():
            if numbers[column] != syscalls.ABSENT:
                program.extend(_answer(numbers[column], action))
    for numbers in syscalls.MAPPING.values():
        program.extend(_mapping(numbers[column]))
    for numbers in syscalls.SIGNAL_SELF.values():
        program.extend(_signal_self(numbers[column], pid))
    program.append((RETURN, 0, 0, KILL_PROCESS))
    return program


def encode(program: list[Instruction]) -> bytes:
    """The program as an array of `struct sock_filter` (8 bytes each)."""
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


class Template:
    """The encoded filter with a blank for the process id, so that a fresh process only fills in four bytes."""

    _BLANK: Final = 0x7F0BAD1D

    def __init__(self, machine: str) -> None:
        program = build(machine, self._BLANK)
        self._encoded = encode(program)
        (index,) = [i for i, instruction in enumerate(program) if instruction[3] == self._BLANK]
        self._offset = index * 8 + 4

    def buffer(self) -> "ctypes.Array[ctypes.c_char]":
        """A copy of the encoded filter at a fixed address."""
        return ctypes.create_string_buffer(self._encoded, len(self._encoded))

    def fill(self, buffer: "ctypes.Array[ctypes.c_char]", pid: int) -> None:
        """Makes `buffer` the filter of process `pid`."""
        struct.pack_into("=I", buffer, self._offset, pid)
