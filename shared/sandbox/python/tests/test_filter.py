import struct

import pytest

from spade_sandbox import filter as bpf
from spade_sandbox import syscalls

MACHINES = ("x86_64", "aarch64")
PID = 4321


def answer(program: list[bpf.Instruction], architecture: int, number: int, arguments: tuple[int, ...] = ()) -> int:
    """What the kernel would answer: an interpreter of the four instructions that the filter uses."""
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("=IIQ6Q", number, architecture, 0, *padded)
    accumulator, position = 0, 0
    while True:
        code, if_true, if_false, constant = program[position]
        position += 1
        if code == bpf.LOAD:
            (accumulator,) = struct.unpack_from("=I", data, constant)
        elif code == bpf.JUMP_EQUAL:
            position += if_true if accumulator == constant else if_false
        elif code == bpf.JUMP_ANY_BIT:
            position += if_true if accumulator & constant else if_false
        else:
            assert code == bpf.RETURN
            return constant


def named(machine: str) -> dict[int, int]:
    column = bpf.ARCHITECTURES[machine][1]
    tables = (
        (syscalls.ALLOWED, bpf.ALLOW),
        (syscalls.REFUSED_EACCES, bpf.ERRNO | 13),
        (syscalls.REFUSED_EPERM, bpf.ERRNO | 1),
        (syscalls.REFUSED_ENOTTY, bpf.ERRNO | 25),
        (syscalls.REFUSED_ENOSYS, bpf.ERRNO | 38),
    )
    return {numbers[column]: action for table, action in tables for numbers in table.values() if numbers[column] >= 0}


@pytest.mark.parametrize("machine", MACHINES)
def test_every_number_gets_the_answer_of_the_table_and_all_others_die(machine: str) -> None:
    program = bpf.build(machine, PID)
    architecture, column = bpf.ARCHITECTURES[machine]
    expected = named(machine)
    tested_by_argument = {n[column] for n in (*syscalls.MAPPING.values(), *syscalls.SIGNAL_SELF.values())}
    for number in set(range(600)) - tested_by_argument:
        assert answer(program, architecture, number) == expected.get(number, bpf.KILL_PROCESS), number


@pytest.mark.parametrize("machine", MACHINES)
def test_the_other_architecture_and_the_x32_numbers_die(machine: str) -> None:
    program = bpf.build(machine, PID)
    architecture, _ = bpf.ARCHITECTURES[machine]
    i386 = 0x40000003
    assert answer(program, i386, 0) == bpf.KILL_PROCESS
    assert answer(program, architecture, bpf.X32_BIT | 39) == bpf.KILL_PROCESS


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("call", ["mmap", "mprotect"])
def test_memory_is_never_made_executable(machine: str, call: str) -> None:
    program = bpf.build(machine, PID)
    architecture, column = bpf.ARCHITECTURES[machine]
    number = syscalls.MAPPING[call][column]
    assert answer(program, architecture, number, (0, 4096, 3)) == bpf.ALLOW
    for protection in (4, 5, 7):
        assert answer(program, architecture, number, (0, 4096, protection)) == bpf.KILL_PROCESS


@pytest.mark.parametrize("machine", MACHINES)
def test_a_process_signals_only_itself(machine: str) -> None:
    program = bpf.build(machine, PID)
    architecture, column = bpf.ARCHITECTURES[machine]
    number = syscalls.SIGNAL_SELF["tgkill"][column]
    assert answer(program, architecture, number, (PID, PID, 6)) == bpf.ALLOW
    assert answer(program, architecture, number, (PID + 1, PID, 6)) == bpf.KILL_PROCESS


def test_the_template_filled_for_a_process_is_the_filter_built_for_it() -> None:
    template = bpf.Template("x86_64")
    buffer = template.buffer()
    template.fill(buffer, PID)
    assert buffer.raw == bpf.encode(bpf.build("x86_64", PID))


def test_an_unknown_architecture_has_no_filter() -> None:
    with pytest.raises(KeyError):
        bpf.build("riscv64", PID)
