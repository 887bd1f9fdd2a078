#!/usr/bin/python3
"""Writes the reference of the Python package to standard output; `make docs` puts it into build/PRESET/docs/python-api.md.

usage: PYTHONPATH=BUILD/python write-python-api.py

It is what a module's `__all__` names, with signatures as the sources have them and what their docstrings say.
"""

import ast
import functools
import importlib
import inspect
import textwrap

MODULES = ("halfstep", "halfstep_runtime", "halfstep.nn", "halfstep.ops", "halfstep.losses", "halfstep.callbacks")

HEAD = """\
# The Python package: reference

Written by `make docs` from the package's sources. `docs/python.md` tells how it is used, with code that runs. Of `halfstep.ops`, [ops.md](ops.md) has the syntax of the op behind a function.
"""


# What users are given and do not make; what that is derived from is not theirs, either.
NOT_MADE = ("Tensor",)


@functools.cache
def tree_of(path):
    with open(path, encoding="utf-8") as file:
        return ast.parse(file.read())


def node_of(value):
    """Where a class or a function is defined, in its source's tree."""
    value = inspect.unwrap(value)
    nodes = tree_of(inspect.getsourcefile(value)).body
    for name in value.__qualname__.split("."):
        found = next(node for node in nodes if getattr(node, "name", None) == name)
        nodes = found.body
    return found


def is_public(node):
    return isinstance(node, ast.FunctionDef) and not node.name.startswith("_")


def decorators(node):
    return {ast.unparse(one) for one in node.decorator_list}


def arguments(node, bound):
    """A signature without the object that the method is of, and without types, which help an editor and not a reader."""
    own = ast.parse(ast.unparse(node)).body[0].args
    if bound:
        (own.posonlyargs or own.args).pop(0)
    for one in [*own.posonlyargs, *own.args, *own.kwonlyargs, own.vararg, own.kwarg]:
        if one is not None:
            one.annotation = None
    return ast.unparse(own)


def said(node):
    """A docstring's text, its examples as code."""
    indent = " " * (node.body[0].col_offset if node.body else 0)
    text = (ast.get_docstring(node, clean=False) or "").strip()
    lines = [line.removeprefix(indent).rstrip() for line in text.splitlines()]
    paragraphs, code = [], []
    for paragraph in "\n".join(lines).split("\n\n"):
        if paragraph.startswith("    "):
            code.append(textwrap.dedent(paragraph))
            continue
        if code:
            paragraphs.append(fenced(code))
            code = []
        paragraphs.append(paragraph)
    return "\n\n".join(paragraphs + ([fenced(code)] if code else []))


def fenced(paragraphs):
    return "```py\n" + "\n\n".join(paragraphs) + "\n```"


def entry(head, text, indent=""):
    return textwrap.indent(f"`{head}`" + (f": {text}" if text else ""), indent)


def fields_of(node):
    return [ast.unparse(one.target) + (f"={ast.unparse(one.value)}" if one.value else "") for one in node.body
            if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and not one.target.id.startswith("_")]


def methods_of(value):
    """The public methods and properties of a class, without those that only do what a base says that they do."""
    known = {name for base in value.__mro__[1:] for name in vars(base)}
    return {node.name: node for node in node_of(value).body
            if is_public(node) and not any(one.endswith(".setter") for one in decorators(node))
            and (ast.get_docstring(node) or node.name not in known)}


def constructor_of(value):
    """The arguments of a class, its own or a base's; of a dataclass its fields."""
    for base in value.__mro__:
        if base.__module__.startswith("halfstep"):
            node = node_of(base)
            own = next((one for one in node.body if getattr(one, "name", None) == "__init__"), None)
            if own is not None:
                return arguments(own, bound=True)
            if any("dataclass" in one for one in decorators(node)):
                return ", ".join(fields_of(node))
    return ""


def class_section(name, value):
    node = node_of(value)
    base = next((one.__name__ for one in value.__bases__ if one.__module__.startswith("halfstep")), None)
    lines = [f"### {name}" + ("" if name in NOT_MADE else f"({constructor_of(value)})"), ""]
    lines += [said(node), ""] if said(node) else []
    lines += [f"Base class: `{base}`.", ""] if base and not base.startswith("_") and name not in NOT_MADE else []
    own = methods_of(value)
    for method, definition in own.items():
        kinds = decorators(definition)
        head = method if "property" in kinds else f"{method}({arguments(definition, bound='staticmethod' not in kinds)})"
        lines.append("- " + entry(head, said(definition)).replace("\n", "\n  "))
    return lines + ([""] if own else [])


def function_line(name, value):
    node = node_of(value)
    return "- " + entry(f"{name}({arguments(node, bound=False)})", said(node)).replace("\n", "\n  ")


def bases_of(value):
    return {base.__name__: base for base in value.__mro__[1:]
            if base.__module__.startswith("halfstep") and not base.__name__.startswith("_")}


def section(module_name):
    module = importlib.import_module(module_name)
    names = getattr(module, "__all__", None) or [
        name for name, value in vars(module).items() if inspect.isclass(value) and value.__module__ == module_name]
    members = {name: getattr(module, name) for name in sorted(names)}
    classes = {name: value for name, value in members.items() if inspect.isclass(value)}
    for value in [value for name, value in classes.items() if name not in NOT_MADE]:
        classes |= {name: base for name, base in bases_of(value).items() if base.__module__.startswith("halfstep.") and base.__module__ not in MODULES}
    functions = {name: value for name, value in members.items() if inspect.isfunction(value)}
    lines = [f"## {module_name}", "", said(tree_of(module.__file__)), ""]
    lines += [function_line(name, value) for name, value in functions.items()] + ([""] if functions else [])
    for name, value in sorted(classes.items()):
        lines += class_section(name, value)
    return lines


def main():
    print(HEAD)
    print("\n".join(line for name in MODULES for line in section(name)).rstrip())


if __name__ == "__main__":
    main()
