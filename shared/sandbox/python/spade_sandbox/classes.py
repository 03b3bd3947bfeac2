"""Finding and building the one environment class of a program.

Rule: a class counts when its name ends in `Env`, it was defined by the program (not injected) and it has `reset` and
`step`. A class that another such class derives from is a base, not the environment. What remains must be exactly one.
"""

import inspect
import types
from typing import Any

from .faults import Fault


def name_of(cls: type) -> str:
    """The name of a class, past any metaclass of the program."""
    return str(type.__dict__["__name__"].__get__(cls))


def find_environment_class(namespace: dict[str, object], injected: frozenset[type]) -> type:
    """The environment class of an executed program. Faults: class.missing, class.ambiguous."""
    candidates: list[type] = []
    for value in list(namespace.values()):
        if issubclass(type(value), type) and value not in injected and value not in candidates:
            cls: type = value  # type: ignore[assignment]
            if name_of(cls).endswith("Env") and _has_contract(cls):
                candidates.append(cls)
    bases = {base for cls in candidates for base in type.__dict__["__mro__"].__get__(cls)[1:]}
    leaves = [cls for cls in candidates if cls not in bases]
    if not leaves:
        raise Fault("class.missing", "no class whose name ends in Env has reset and step")
    if len(leaves) > 1:
        names = ", ".join(sorted(name_of(cls) for cls in leaves)[:5])
        raise Fault("class.ambiguous", f"several environment classes: {names}")
    return leaves[0]


def _has_contract(cls: type) -> bool:
    mro = type.__dict__["__mro__"].__get__(cls)
    return all(any(method in type.__dict__["__dict__"].__get__(c) for c in mro) for method in ("reset", "step"))


def _method(cls: type, name: str) -> types.FunctionType:
    attribute = inspect.getattr_static(cls, name)
    if type(attribute) is not types.FunctionType:
        raise Fault("contract.signature", f"{name} is not a plain method")
    if attribute.__code__.co_flags & (inspect.CO_COROUTINE | inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR):
        raise Fault("contract.signature", f"{name} is a generator or coroutine")
    return attribute


def _parameters(function: types.FunctionType) -> tuple[list[str], int, bool, bool]:
    """Names after `self`, how many of them are required, and whether it takes *args and **kwargs."""
    code = function.__code__
    positional = list(code.co_varnames[: code.co_argcount])[1:]
    keyword_only = list(code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount])
    required = len(positional) - len(function.__defaults__ or ())
    required += len(keyword_only) - len(function.__kwdefaults__ or {})
    takes_rest = bool(code.co_flags & inspect.CO_VARARGS)
    takes_keywords = bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return positional + keyword_only, required, takes_rest, takes_keywords


def check_signatures(cls: type) -> None:
    """`reset` must take `seed` by name, `step` one action. Fault: contract.signature."""
    names, required, _, keywords = _parameters(_method(cls, "reset"))
    if "seed" not in names and not keywords:
        raise Fault("contract.signature", "reset takes no seed")
    if required > (1 if "seed" in names else 0):
        raise Fault("contract.signature", "reset needs more than a seed")
    names, required, rest, _ = _parameters(_method(cls, "step"))
    if required > 1 or (not names and not rest):
        raise Fault("contract.signature", "step does not take exactly one action")


def construct(cls: type, max_turns: int | None, *, own_turns: bool = False) -> Any:
    """A new instance. Fault: class.construct.

    `max_turns` is the number of turns there will be; it is passed when the constructor takes it. With `own_turns` a
    program that has a number of turns of its own keeps it, up to `max_turns`.
    """
    arguments = {}
    initialiser = inspect.getattr_static(cls, "__init__")
    if type(initialiser) is types.FunctionType:
        names, required, _, _ = _parameters(initialiser)
        takes_turns = "max_turns" in names
        if required > (1 if takes_turns else 0):
            raise Fault("class.construct", "the constructor needs arguments other than max_turns")
        if takes_turns and max_turns is not None and (required > 0 or not own_turns):
            arguments = {"max_turns": max_turns}
    instance = cls(**arguments)
    if type(instance) is not cls:
        raise Fault("class.construct", "the constructor returned another type")
    if own_turns and max_turns is not None:
        _limit_turns(instance, max_turns)
    return instance


def _limit_turns(instance: Any, max_turns: int) -> None:
    own = getattr(instance, "max_turns", None)
    if own is not None:
        instance.max_turns = min(own, max_turns) if type(own) is int and own > 0 else max_turns
