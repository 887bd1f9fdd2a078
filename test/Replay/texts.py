"""Texts of compiled code and launch plans in a form that does not depend on how symbols and values are called: each is
numbered in the order in which it appears."""

import collections
import json
import pathlib
import re
import struct
import subprocess
import tempfile

SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "lib" / "Executable" / "Executable.fbs"


class Numbers(collections.defaultdict):
    """A number for each name, counted for each kind of name apart."""

    def __init__(self):
        super().__init__()
        self.counts = collections.Counter()

    def of(self, kind, name):
        key = (kind, name)
        if key not in self:
            self[key] = f"{kind}{self.counts[kind]}"
            self.counts[kind] += 1
        return self[key]


LLVM_SYMBOL = re.compile(r'^(?:define\b[^@]*|)@("[^"]*"|[-\w.$]+)(?= =|\()', re.M)
LLVM_NAME = re.compile(r'([@%!#])("[^"]*"|[-\w.$]+)')
LLVM_LABEL = re.compile(r'^("[^"]*"|[-\w.$]+):')


def llvm(text):
    """LLVM IR of one module after another: values of each function, and symbols that a module defines."""
    lines, symbols, values, defined = [], Numbers(), Numbers(), set()

    def named(match):
        sigil, name = match.groups()
        if sigil == "@":
            return "@" + symbols.of("s", name) if name in defined else match[0]
        if sigil == "%":
            return "%" + values.of("v", name)
        return sigil + symbols.of("n" if sigil == "!" else "a", name) if name.isdigit() else match[0]

    for module in re.split(r"^(?=; ModuleID)", text, flags=re.M):
        symbols, values = Numbers(), Numbers()
        defined = {match[1] for match in LLVM_SYMBOL.finditer(module) if not match[1].startswith("llvm.")}
        for line in module.splitlines():
            if line.startswith((";", "source_filename")):
                continue
            line = line.split(" ; preds = ")[0].rstrip()
            if line.startswith("define"):
                values = Numbers()
            label = LLVM_LABEL.match(line)
            line = LLVM_NAME.sub(named, line)
            lines.append(values.of("v", label[1]) + ":" if label else line)
    return "\n".join(lines) + "\n"


PTX_SYMBOL = re.compile(r"(?:\.(?:entry|func)(?:\s*\([^)]*\))?|\.[bfsu](?:8|16|32|64))\s+([\w$]+)\s*(?=[\[(;=]|$)", re.M)
PTX_NAME = re.compile(r"%(p|rs|r|rd|f|fd|rq|h|hh)(\d+)\b|[A-Za-z_$][\w$]*")
PTX_REGISTERS = re.compile(r"(\.reg\s+\.\w+\s+%\w+)<\d+>")


def ptx(text):
    """PTX of one module after another: registers and labels of each function, and symbols that a module defines."""
    lines = []
    for module in re.split(r"^(?=\.version)", text, flags=re.M):
        module = re.sub(r"//.*", "", module)
        defined = set(PTX_SYMBOL.findall(module))
        symbols, values = Numbers(), Numbers()

        def named(match):
            name = match[0]
            if match[1]:
                return "%" + values.of(match[1], match[2])
            if name.startswith("$L"):
                return values.of("$L", name)
            if name in defined:
                return symbols.of("s", name)
            owner, found, number = name.rpartition("_param_")
            return symbols.of("s", owner) + found + number if found and owner in defined else name

        for line in module.splitlines():
            line = PTX_REGISTERS.sub(r"\1", line).rstrip()
            if ".entry" in line or ".func" in line:
                values = Numbers()
            if line:
                lines.append(PTX_NAME.sub(named, line))
    return "\n".join(lines) + "\n"


ASSEMBLY_SYMBOL = re.compile(r"^([.\w$]+):|^\s+\.(?:globl|type|set)\s+([.\w$]+)", re.M)
ASSEMBLY_NAME = re.compile(r"[.\w$]+")


def assembly(text):
    """x86 assembly of one module after another: labels and symbols that a module defines."""
    lines = []
    for module in re.split(r"^(?=\s+\.file\b)", text, flags=re.M):
        defined = {name for pair in ASSEMBLY_SYMBOL.findall(module) for name in pair if name}
        symbols = Numbers()
        for line in module.splitlines():
            if not line.lstrip().startswith((".file", "#")):
                lines.append(ASSEMBLY_NAME.sub(
                    lambda match: symbols.of("s", match[0]) if match[0] in defined else match[0], line))
    return "\n".join(lines) + "\n"


#: How a file is numbered, by its extension.
FORMS = {".ll": llvm, ".s": assembly, ".ptx": ptx}


def table_of(executable):
    """The FlatBuffer of an executable: lib/Executable/Format.h says where it is."""
    offset, size = struct.unpack_from("<QQ", executable, 24)
    return executable[offset:offset + size]


def constants_of(executable, blobs):
    return [executable[blob["offset"]:blob["offset"] + blob["length"]].hex() if blob["kind"] in ("Constants", "ProgramText")
            else "" for blob in blobs]


def decoded(table):
    """What a table says, by the names that the schema has now."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "table.bin"
        path.write_bytes(table)
        subprocess.run(["flatc", "--json", "--raw-binary", "--strict-json", "--defaults-json", "-o", folder, SCHEMA, "--", path],
                       check=True, capture_output=True)
        return json.loads(path.with_suffix(".json").read_text())


def plan(table, chip=None):
    """The state table, signatures and launch plans, perhaps of one chip alone, without where blobs are in the file and who made it."""
    content, numbers = decoded(table), Numbers()
    for name in ("version", "producer", "model"):
        content.pop(name, None)
    for blob in content.get("blobs", []):
        del blob["offset"], blob["length"]
    for program in content.get("programs", []):
        if chip:
            program["variants"] = [variant for variant in program["variants"] if variant["features"] == [chip]]
        for variant in program["variants"]:
            for command in variant.get("commands", []):
                for name in ("kernel", "symbol"):
                    if name in command["what"]:
                        command["what"][name] = numbers.of("s", command["what"][name])
    return "\n".join(spread(content, "")) + "\n"


def spread(value, indent):
    """JSON whose lists and objects take a line each where they are short."""
    text = json.dumps(value)
    if len(text) + len(indent) <= 118 or not isinstance(value, (dict, list)):
        return [indent + text]
    lines = []
    for key, item in value.items() if isinstance(value, dict) else ((None, item) for item in value):
        own = spread(item, indent + "  ")
        if key is not None and len(own) == 1:
            own = [f"{indent}  {key}: {own[0].strip()}"]
        elif key is not None:
            own.insert(0, f"{indent}  {key}:")
        lines += own if key is not None else [indent + "-", *own]
    return lines
