#!/usr/bin/python3
"""Writes halfstep/graph/generated.py, a Python function for each op that a model is made of, to standard output.

usage: write-ops.py LLVM_TBLGEN OPS.td INCLUDE_DIR...
"""

import importlib
import json
import pathlib
import subprocess
import sys

# What has a form of its own in halfstep/ops.py, or none: regions, and values of Python.
LEFT_OUT = {"mp.autocast", "mp.yield", "mp.constant"}

# What halfstep/ops.py has under the same name, in a form for people.
OWN_FORM = {"abs", "argmax", "argmin", "atan2", "bitwise_and", "bitwise_or", "bitwise_xor", "broadcast", "cast", "clamp", "concat", "conv_transpose", "cosine_similarity", "cumsum", "dropout",
            "flip", "floor", "floor_divide", "gather", "gather_elements",
            "group_norm", "iota", "l2_norm", "log_softmax", "matmul", "max", "min", "neg", "one_hot", "pad", "pow", "prelu", "random_uniform", "reduce_max", "reduce_mean",
            "reduce_min", "reduce_prod", "reduce_sum", "relu", "reshape", "resize", "round", "scatter_add", "scatter_add_elements", "scatter_elements", "softmax", "split", "tile", "top_k", "transpose", "tril", "triu"}

HEAD = '''\
"""A function for each op of models. Written by write-ops.py from the ops' definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halfstep.graph.graph import apply, apply_all, element_type

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal

    from halfstep.hints.types import DType, Operand, Padding, ResultType, Sizes, Tensor
'''

# What attributes are in Python, by their constraints.
TYPES = {"BoolAttr": "bool", "DenseI64ArrayAttr": "Sizes", "ElementsAttr": "object", "F64Attr": "float", "I64Attr": "int", "MP_ElementAttr": "float", "MP_WideAttr": "float",
         "MP_Dimension": "int", "MP_Dimensions": "Sizes", "MP_EachDimension": "Sizes", "TypeAttr": "DType", "UnitAttr": "bool"}


def base_of(op, name):
    kind = op.kinds[name]
    return op.records[kind["baseAttr"]["def"]] if kind.get("baseAttr") else kind


def is_optional(op, name):
    if not op.is_attribute(name):
        return "Optional" in op.kinds[name]["!superclasses"]
    # What the text of an op may leave out, buildOp fills in.
    return op.may_be_left_out(name) or name == "acc" or (op.is_custom() and name != "window")


def is_variadic(op, name):
    return not op.is_attribute(name) and "Variadic" in op.kinds[name]["!superclasses"]


def says_its_result(op):
    traits = {trait["def"] for trait in op.record["traits"]}
    return bool(traits & {"MP_InferredTypes", "SameOperandsAndResultType"})


def kinds_of(op, operands):
    """A number for each operand, in the order of the constraints: operands of one constraint are of one type."""
    constraints = [op.kinds[name].get("baseType", {"def": op.kinds[name]["!name"]})["def"] for name in operands]
    return [list(dict.fromkeys(constraints)).index(one) for one in constraints]


def type_of(op, name):
    if not op.is_attribute(name):
        return "Iterable[Operand]" if is_variadic(op, name) else "Operand"
    base = base_of(op, name)
    if base.get("enum"):
        return "Literal[" + ", ".join(f'"{word}"' for word in op.named(name).split("|")) + "]"
    return "Padding" if name == "padding" else TYPES[base["!name"]]


def function_of(op):
    names = list(op.kinds)
    required = [name for name in names if not is_optional(op, name)]
    operands = [name for name in names if not op.is_attribute(name)]
    optional = [name for name in names if name not in required]
    # Operands may be given by their place, attributes that may be left out by name alone.
    said = {name: f"{name}: {type_of(op, name)}" + " | None = None" * (name in optional) for name in names}
    words = [said[name] for name in required] + [said[name] for name in optional if name in operands]
    keywords = [said[name] for name in optional if name not in operands]
    if not says_its_result(op):
        keywords.append("result: ResultType | None = None")
    signature = ", ".join(words + (["*"] + keywords if keywords else []))
    attributes = ", ".join(f'"{name}": element_type({name})' if base_of(op, name)["!name"] == "TypeAttr" else f'"{name}": {name}'
                           for name in names if op.is_attribute(name))
    arguments = [f'"{op.name}"', "[" + ", ".join("*" * is_variadic(op, name) + name for name in operands) + "]"]
    arguments += ["{" + attributes + "}"] if attributes else []
    if not says_its_result(op):
        arguments.append("result" if attributes else "result=result")
    if any(name in optional for name in operands):
        assert [name in optional for name in operands] == sorted(name in optional for name in operands), op.name
        arguments.append(f"required={sum(name in required for name in operands)}")
    if any(kinds := kinds_of(op, operands)):
        arguments.append(f"kinds={tuple(kinds)}")
    summary = op.record["summary"]
    (first, _), *others = op.record["results"]["args"]
    gives, call = ("tuple[Tensor, ...]", "apply_all") if others or "Variadic" in op.records[first["def"]]["!superclasses"] else ("Tensor", "apply")
    return (
        f"\n\ndef {op.name.removeprefix('mp.')}({signature}) -> {gives}:\n"
        f'    """{summary[0].upper()}{summary[1:]}."""\n'
        f"    return {call}({', '.join(arguments)})\n"
    )


def main():
    sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "docs"))
    page = importlib.import_module("write-ops-page")  # which reads ops' definitions for docs/ops.md
    tblgen, definitions, *includes = sys.argv[1:]
    command = [tblgen, "--dump-json", *[f"-I{path}" for path in includes], definitions]
    records = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    ops = [page.Op(records[name], records) for name in records["!instanceof"]["Op"]
           if records[records[name]["opDialect"]["def"]]["name"] == "mp"]
    ops = sorted((op for op in ops if op.is_for_models() and op.name not in LEFT_OUT), key=lambda op: op.name)
    names = [name for op in ops if (name := op.name.removeprefix("mp.")) not in OWN_FORM]
    exported = "\n\n__all__ = [\n" + "".join(f'    "{name}",\n' for name in names) + "]\n"
    sys.stdout.write(HEAD + "".join(map(function_of, ops)) + exported)


if __name__ == "__main__":
    main()
