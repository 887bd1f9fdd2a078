#!/usr/bin/python3
"""Writes the page of the ops that a model is made of, docs/ops.md, to standard output.

usage: write-ops-page.py LLVM_TBLGEN OPS.td INCLUDE_DIR...

An op is one for models if it has a derivative or is constant to it, or holds other ops; those that only the compiler
writes (gradients, training, kernels) are in the reference of the whole dialect.
"""

import json
import re
import subprocess
import sys
import textwrap

COMPILER_FAMILIES = {"MPKernelOps.td", "MPOptimizerOps.td", "MPScheduledOps.td", "MPTrainingOps.td"}

HEAD = """\
# Ops for models

Written by `make docs` from the ops' definitions. A model is a function of these ops; [tutorial.md](tutorial.md) writes one.

In a line of syntax `%name` is a value, `type(%name)` its type, an upper-case word an attribute's value, `a|b` one of two words, and
what is in `[ ]` may be left out. The rules that an op checks, its rounding and its precision under autocast are in the reference of the
whole dialect, `build/release/docs/dialect.md`, which `make docs` writes, too.
"""

TOKEN = re.compile(r"custom<\w+>\(attr-dict, ([^`]*)\)|(custom<Ranges>\([^`]*?\))|`([^`]*)`|type\(\$(\w+)\)\^?|\$(\w+)\^?|(\()|(\)\?)|(attr-dict(?:-with-keyword)?)|(\s+)")


class Op:
    def __init__(self, record, records):
        self.record = record
        self.records = records
        self.name = "mp." + record["opName"]
        self.family = record["!locs"][0].split(":")[0]
        self.kinds = {name: records[kind["def"]] for kind, name in record["arguments"]["args"]}
        self.results = [name for _, name in record["results"]["args"]]
        self.regions = [name for _, name in record["regions"]["args"]]

    def is_for_models(self):
        interface = self.record["extraClassDefinition"]
        derivative = re.search(r"Differentiability::(\w+);", interface)[1]
        role = re.search(r"KernelRole::(\w+);", interface)[1]
        return self.family not in COMPILER_FAMILIES and (derivative != "NotDifferentiable" or role == "None")

    def is_attribute(self, name):
        return name in self.kinds and "Attr" in self.kinds[name]["!superclasses"]

    def is_flag(self, name):
        return self.is_attribute(name) and self.kinds[name]["!name"] == "UnitAttr"

    def named(self, name):
        if name in self.regions:
            return "{ ... }"
        if self.is_flag(name):
            return ""
        if not self.is_attribute(name):
            return "%" + name
        kind = self.kinds[name]
        if kind.get("baseAttr"):  # one with a default
            kind = self.records[kind["baseAttr"]["def"]]
        choices = kind.get("enum")
        if not choices:
            return name.upper()
        return "|".join(self.records[case["def"]]["str"] for case in self.records[choices["def"]]["enumerants"])

    def dictionary(self):
        """The attributes that the format does not place."""
        placed = set(re.findall(r"\$(\w+)", self.record["assemblyFormat"]))
        left = [name for name in self.kinds if self.is_attribute(name) and name not in placed]
        text = ", ".join(name if self.is_flag(name) else f"{name} = {self.valued(name)}" for name in left)
        if not text:
            return ""
        return "[{" + text + "}]" if self.is_custom() or all(map(self.may_be_left_out, left)) else "{" + text + "}"

    def is_custom(self):
        """Whether code reads the attributes; it knows what each is where it is left out."""
        return "(attr-dict" in self.record["assemblyFormat"]

    def may_be_left_out(self, name):
        return self.is_flag(name) or bool(self.kinds[name].get("baseAttr"))

    def valued(self, name):
        return "[N, ...]" if self.kinds[name]["!name"] == "DenseI64ArrayAttr" else name.upper()

    def syntax(self):
        words, at, text = [], 0, self.record["assemblyFormat"].strip()
        while at < len(text):
            token = TOKEN.match(text, at)
            if not token:
                sys.exit(f"{self.name}: no rule for its format from '{text[at:]}'")
            at = token.end()
            types, ranges, literal, typed, value, opens, closes, dictionary, _ = token.groups()
            if types:  # the attributes and, since those depend on them, the types
                *operands, result = types.replace("$", "%").split(", ")
                words += [self.dictionary(), ":", ", ".join(operands), "->", result]
            elif ranges:
                words.append("[START:LIMIT:STRIDE, ...]")
            elif literal is not None:
                words.append(literal)
            elif typed or value:
                words.append(f"type(%{typed})" if typed else self.named(value))
            elif opens or closes:
                words.append("[" if opens else "]")
            elif dictionary:
                words.append(self.dictionary())
        line = " ".join(word for word in words if word)
        for found, wanted in (("[ ", "["), (" ]", "]"), (" ,", ","), ("( ", "("), (" )", ")")):
            line = line.replace(found, wanted)
        results = ", ".join("%" + name for name in self.results)
        return f"{results} = {self.name} {line}" if results else f"{self.name} {line}"

    def example(self):
        block = re.search(r"^ *```mlir\n(.*?)^ *```", self.record["description"], re.MULTILINE | re.DOTALL)
        return textwrap.dedent(block[1]).rstrip()

    def remark(self):
        """What the description says of the text."""
        block = re.search(r"^ *In the text (.*?)\n *\n", self.record["description"], re.MULTILINE | re.DOTALL)
        return "In the text " + " ".join(block[1].split()) + "\n\n" if block else ""

    def section(self):
        head = f"### {self.name}\n\n{self.record['summary']}\n\n    {self.syntax()}\n\n"
        return head + self.remark() + f"```mlir\n{self.example()}\n```\n"


def title_of(path):
    """What a family's file says of itself, in its first line: // TITLE."""
    with open(path, encoding="utf-8") as file:
        return file.readline().removeprefix("//").strip().rstrip(".")


def main():
    tblgen, definitions, *includes = sys.argv[1:]
    command = [tblgen, "--dump-json", *[f"-I{path}" for path in includes], definitions]
    records = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    ops = [Op(records[name], records) for name in records["!instanceof"]["Op"]
           if records[records[name]["opDialect"]["def"]]["name"] == "mp"]
    ops = [op for op in ops if op.is_for_models()]
    print(HEAD)
    for family in sorted({op.family for op in ops}):
        title = title_of(definitions.rsplit("/", 1)[0] + "/" + family)
        print(f"## {title[0].upper()}{title[1:]}\n")
        for op in sorted((op for op in ops if op.family == family), key=lambda op: int(op.record["!locs"][0].split(":")[1])):
            print(op.section())


if __name__ == "__main__":
    main()
