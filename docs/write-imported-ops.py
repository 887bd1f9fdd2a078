#!/usr/bin/python3
"""Writes the page of the ops of ONNX and PyTorch that the importers know, docs/imported-ops.md, to standard output.

usage: PYTHONPATH=BUILD/python write-imported-ops.py

The names are those of the importers' tables. What each is made of is read from its rule: the functions of halfstep.ops that
it names, itself or in a helper of the importers.
"""

import dis
import inspect
import types

from halfstep import ops
from halfstep.importers.images import avg_pool, mean_of_images
from halfstep.importers.onnx import importer
from halfstep.importers.torch import aten

HEAD = """\
# Ops of ONNX and PyTorch

Written by `make docs` from the tables of the importers: the ops that [from-onnx.md](from-onnx.md) and [from-pytorch.md](from-pytorch.md) import, and the functions of `halfstep.ops`
that each is made of. Some take settings of a function that others do not. Where there is no function, it is an operator, an index, a constant or the value as it is.
"""

# What fits operands to each other, and is no part of what an op computes.
FITTING = {"broadcast", "cast", "constant", "reshape", "select", "transpose"}
# What rules call for their operands alone.
HELPERS = {"halfstep.importers.torch.call", "halfstep.importers.images", "halfstep.importers.onnx.node"}


def attributes_of(code):
    """Each global that a function's code names, with the attribute that it takes of it, or None."""
    instructions = list(dis.get_instructions(code))
    for one, after in zip(instructions, [*instructions[1:], None]):
        if one.opname == "LOAD_GLOBAL":
            takes = after is not None and after.opname in ("LOAD_ATTR", "LOAD_METHOD")
            yield one.argval, after.argval if takes else None
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from attributes_of(constant)


def is_ours(value):
    return isinstance(value, types.FunctionType) and value.__module__.startswith("halfstep.")


def is_of_ops(value):
    name = getattr(value, "__name__", None)
    return name in ops.__all__ and inspect.unwrap(getattr(ops, name)) is inspect.unwrap(value)


def called_by(rule):
    """What a rule calls, in its order: what it was made with, or else what its code names."""
    made_with = [cell.cell_contents for cell in rule.__closure__ or ()]
    made_with = [one for value in made_with for one in (value if isinstance(value, (list, tuple)) else [value]) if is_ours(one)]
    if made_with:
        yield from made_with
        return
    for name, attribute in attributes_of(rule.__code__):
        value = rule.__globals__.get(name)
        if isinstance(value, types.ModuleType) and value.__name__.startswith("halfstep."):
            value = getattr(value, attribute or "", None)
        if value is mean_of_images:
            yield ops.mean
        elif value is avg_pool:
            yield ops.avg_pool
        elif is_ours(value) and (value.__module__ not in HELPERS or value.__closure__):
            yield value


def made_of(rule, seen):
    """The functions of halfstep.ops that a rule calls, itself or in a helper."""
    if is_of_ops(rule):
        yield rule.__name__
    elif is_ours(rule) and rule not in seen:
        seen.add(rule)
        for one in called_by(rule):
            yield from made_of(one, seen)


def row(name, rule):
    functions = dict.fromkeys(made_of(rule, set()))
    own = [one for one in functions if one not in FITTING] or list(functions)
    return f"| {name} | {', '.join(f'`{one}`' for one in own)} |"


def table(title, handlers, named):
    return [f"## {title}", "", f"{len(handlers)} ops.", "", "| op | made of |", "|---|---|",
            *(row(f"`{named(name)}`", rule) for name, rule in sorted(handlers.items())), ""]


def main():
    print(HEAD)
    print("\n".join([*table("ONNX", importer.HANDLERS, str), *table("PyTorch", aten.HANDLERS, "aten.{}".format)][:-1]))


if __name__ == "__main__":
    main()
