#!/usr/bin/python3
"""Counts the instructions of the main loops of matrix products, for every chip and the schedules of the cost model.

usage: instructions.py --check=PAGE [--against=PAGE] | --update=PAGE | --count FILE.ptx...

--check compares the table in PAGE with counts that are made now, or with those of another page, and fails where they differ: it
says what is worse and what is better. --update writes the table anew. --count prints what the kernels of a text have.

What is counted is machine code: ptxas assembles, nvdisasm (both wheels in the project's .venv) disassembles. nvdisasm knows no
sm_70; there the instructions of the text are counted, but for moves. The main loop is the one with most multiplications.
"""

import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import ptxas

CHIPS = ["sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100a"]  # sm_90a runs the code of sm_90

# Name in the table: element type, the first chip that multiplies it, settings.
TYPES = {
    "f16": ("f16", "sm_70", []),
    "bf16": ("bf16", "sm_80", []),
    "tf32": ("f32", "sm_80", ["--allow-tf32=true"]),
    "f32": ("f32", "sm_70", []),
}

# Name in the table: m, n, k and how the operands lie.
PRODUCTS = {
    "forward": (4096, 4096, 4096, ""),
    "input gradient": (4096, 4096, 4096, "transpose_rhs"),
    "weight gradient": (4096, 4096, 4096, "transpose_lhs"),
    "small": (1024, 1024, 2048, ""),
    "odd rows": (4095, 4095, 4095, ""),
}

KINDS = ["multiply", "fragments", "copies", "other"]

# The first that fits names the kind of an instruction: of machine code, then of PTX.
SASS = [("multiply", r"HMMA|FFMA|DFMA"), ("fragments", r"LDSM|LDS\b"), ("copies", r"LDGSTS|LDG\b|STS")]
PTX = [
    ("multiply", r"wmma\.mma|mma\.sync|fma\.rn"),
    ("fragments", r"wmma\.load|ldmatrix|ld\.shared"),
    ("copies", r"cp\.async\.c[ag]|ld\.global|st\.shared"),
]

HEADER = ["operands", "product", "chips", "block", "warps", "stages", *KINDS, "else per multiply"]

Row = collections.namedtuple("Row", ["schedule", "counts"])


# What never runs (ptxas writes such loads) keeps its predicate, and is "other".
PREDICATE = re.compile(r"^@!?%?(?!PT\b)\w+\s+")


def kind_of(operation, patterns):
    return next((kind for kind, pattern in patterns if re.match(pattern, operation)), "other")


def main_loop(lines, is_label, target_of, is_conditional):
    """The lines of the loop that holds most: from a jump back, everything on a way to it from the label it jumps to."""
    labels = {name: at for at, line in enumerate(lines) if (name := is_label(line))}
    before = collections.defaultdict(list)  # lines that lead to a line
    back = []
    for at, line in enumerate(lines):
        target = labels.get(target_of(line))
        if target is not None:
            before[target].append(at)
            if target <= at:
                back.append((target, at))
        if (target is None or is_conditional(line)) and not re.match(r"(EXIT|ret)\b", line):
            before[at + 1].append(at)
    for head, latch in back:
        inside, todo = {head}, [latch]
        while todo:
            at = todo.pop()
            if at not in inside:
                inside.add(at)
                todo += before[at]
        yield [lines[at] for at in sorted(inside) if not is_label(lines[at])]


def count(lines, patterns, **syntax):
    """Instructions of the main loop by kind."""
    best = dict.fromkeys(KINDS, 0)
    for loop in main_loop(lines, **syntax):
        counts = dict.fromkeys(KINDS, 0)
        for line in loop:
            counts[kind_of(PREDICATE.sub("", line), patterns)] += 1
        if counts["multiply"] > best["multiply"]:
            best = counts
    return best


def count_machine_code(cubin):
    """Counts of each kernel of a cubin."""
    text = subprocess.run([disassembler(), "-c", cubin], capture_output=True, text=True, check=True).stdout
    counts = {}
    for section in re.split(r"(?m)^//-+ \.text\.", text)[1:]:
        lines = [
            part.group(1) or part.group(2).strip()
            for part in re.finditer(r"(?m)^(\.L_x_\d+:)|^\s+/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", section)
        ]
        counts[re.match(r"\w+", section)[0]] = count(
            lines,
            SASS,
            is_label=lambda line: line[:-1] if line.startswith(".L_x_") else None,
            target_of=lambda line: (found := re.search(r"\bBRA\b.*\(?(\.L_x_\d+)", line)) and found[1],
            is_conditional=lambda line: line.startswith("@"),
        )
    return counts


def count_text(text):
    """Counts of each kernel of a PTX text."""
    counts = {}
    for name, body in re.findall(r"(?s)\.visible \.entry (\w+)\(.*?\n\{(.*?)\n\}", text):
        lines = [line.split("//")[0].strip().rstrip(";") for line in body.splitlines()]
        counts[name] = count(
            [line for line in lines if line and not re.match(r"[.}]|\{$|mov\.", line)],
            PTX,
            is_label=lambda line: line[:-1] if line.endswith(":") else None,
            target_of=lambda line: (found := re.search(r"\bbra(?:\.uni)?\s+(\S+)$", line)) and found[1],
            is_conditional=lambda line: line.startswith("@"),
        )
    return counts


def disassembler():
    found = [*ptxas.REPOSITORY.glob(".venv/lib/python*/site-packages/nvidia/cu13/bin/nvdisasm")]
    if not found:
        sys.exit("no nvdisasm: `make setup` installs it")
    return str(found[0])


def count_kernels(text):
    """Counts of each kernel of a PTX text: of what the chip runs, where that can be read."""
    chip = re.search(r"\.target (\w+)", text)[1]
    if chip == "sm_70":
        return count_text(text)
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = pathlib.Path(folder, "text.ptx"), pathlib.Path(folder, "code.cubin")
        source.write_text(text)
        subprocess.run([ptxas.find_assemblers(chip)[0], f"-arch={chip}", source, "-o", cubin], check=True)
        return count_machine_code(cubin)


def model_text(element, products):
    """One program with all the products of a type."""
    arguments, results, body = [], [], ""
    for index, (m, n, k, flags) in enumerate(products):
        lhs = f"tensor<{k}x{m}x{element}>" if "lhs" in flags else f"tensor<{m}x{k}x{element}>"
        rhs = f"tensor<{n}x{k}x{element}>" if "rhs" in flags else f"tensor<{k}x{n}x{element}>"
        result = f"tensor<{m}x{n}x{element}>"
        arguments += [f'%a{index}: {lhs} {{mp.input = "a{index}"}}', f'%b{index}: {rhs} {{mp.input = "b{index}"}}']
        results.append((f"%z{index}", result))
        body += f"  %z{index} = mp.matmul %a{index}, %b{index} {flags} acc f32 : {lhs}, {rhs} -> {result}\n"
    outputs = ", ".join(f'{kind} {{mp.output = "{name[1:]}"}}' for name, kind in results)
    return (
        f"func.func @infer({', '.join(arguments)}) -> ({outputs}) attributes {{mp.program = \"infer\"}} {{\n{body}"
        f"  return {', '.join(name for name, _ in results)} : {', '.join(kind for _, kind in results)}\n}}\n"
    )


def compile_products(name, folder):
    """The folder of each chip with the kernels and the text of the products of one type."""
    element, first, settings = TYPES[name]
    chips = CHIPS[CHIPS.index(first) :]
    model, dump = folder / f"{name}.mlir", folder / name
    model.write_text(model_text(element, PRODUCTS.values()))
    command = ["mp-run", "compile", model, "--training=false", "--policy=float32", "--target=nvptx", "--compile-to=asm"]
    command += [f"--chip={','.join(chips)}", f"--dump-dir={dump}", *settings]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"HALFSTEP_COMPILE_CACHE": "off"})
    return [(name, chip, dump / chip) for chip in chips]


def rows_of(name, chip, folder):
    """The row of each product of a type on a chip."""
    kernels = (folder / "07-kernels.mlir").read_text()
    (text,) = folder.glob("*-asm.s")
    counts = count_kernels(text.read_text())
    rows = {}
    for symbol, index, parts, schedule in re.findall(
        r'mp\.kernel "(matmul_(\d+)(\.parts)?)".*?schedule\(#mp\.mma<(.*?)>\)', kernels
    ):
        values = dict(part.split(" = ") for part in schedule.split(", "))
        product = list(PRODUCTS)[int(index)]
        split = f" of {values['split_k']} parts" if "split_k" in values else ""
        shown = (
            f"{values['block_m']}x{values['block_n']}x{values['block_k']}{split}",
            f"{values['warps_m']}x{values['warps_n']}",
            values["stages"],
        )
        counted = tuple(counts["mp_" + symbol.replace(".", "_")].values())
        if counted[0] == 0:
            sys.exit(f"{name} {product} {chip}: no loop that multiplies")
        rows[name, product, chip] = Row(shown, counted)
    return rows


def measure():
    """(operands, product, chip) -> Row."""
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        places = pool.map(lambda name: compile_products(name, pathlib.Path(folder)), TYPES)
        rows = pool.map(lambda place: rows_of(*place), itertools.chain.from_iterable(list(places)))
        found = {key: row for part in rows for key, row in part.items()}
    return {
        (name, product, chip): found[name, product, chip]
        for name, product, chip in itertools.product(TYPES, PRODUCTS, CHIPS)
        if (name, product, chip) in found
    }


def ratio(counts):
    return sum(counts[1:]) / max(counts[0], 1)


def table_of(rows):
    """The text of the table: chips whose loops are equal share a line."""
    together = collections.defaultdict(list)
    for (name, product, chip), row in rows.items():
        together[name, product, row].append(chip)
    lines = [HEADER, ["---"] * len(HEADER)]
    for (name, product, row), chips in together.items():
        lines.append([name, product, ", ".join(chips), *row.schedule, *map(str, row.counts), f"{ratio(row.counts):.2f}"])
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


TABLE = re.compile(r"(?m)^\| " + re.escape(" | ".join(HEADER)) + r" \|\n(?:\|.*\n)+")


def read_table(text):
    rows = {}
    for line in TABLE.search(text)[0].splitlines()[2:]:
        name, product, chips, *rest = [cell.strip() for cell in line.strip("|").split("|")]
        for chip in chips.split(", "):
            rows[name, product, chip] = Row(tuple(rest[:3]), tuple(map(int, rest[3:7])))
    return rows


def compare(old, new):
    """Prints what differs; whether nothing does."""
    for key in [*old, *(key for key in new if key not in old)]:
        before, after = old.get(key), new.get(key)
        if before == after:
            continue
        where = ", ".join(key)
        if not before or not after:
            print(f"{where}: {'not in the table' if not before else 'in the table, but not measured'}")
            continue
        if before.schedule != after.schedule:
            print(f"{where}: the schedule was {' '.join(before.schedule)} and is {' '.join(after.schedule)}")
        # Loops may be unrolled: what counts is what stands beside each multiplication.
        worse = [
            kind
            for kind, was, now in zip(KINDS[1:], before.counts[1:], after.counts[1:])
            if now * before.counts[0] > was * after.counts[0]
        ]
        verdict = f"worse in {' and '.join(worse)}" if worse else "better"
        shown = [" ".join(f"{kind}={each}" for kind, each in zip(KINDS, row.counts)) for row in (before, after)]
        print(f"{where}: {verdict}: {shown[0]}, now {shown[1]} ({ratio(before.counts):.2f} -> {ratio(after.counts):.2f})")
    return old == new


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", type=pathlib.Path)
    what.add_argument("--update", type=pathlib.Path)
    what.add_argument("--count", type=pathlib.Path, nargs="+")
    parser.add_argument("--against", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.count:
        for path in arguments.count:
            for part in ptxas.texts_of(path.read_text()):
                for name, counts in count_kernels(part).items():
                    print(name, *(f"{kind}={number}" for kind, number in counts.items()))
        return 0
    page = arguments.check or arguments.update
    if arguments.update:
        page.write_text(TABLE.sub(lambda _: table_of(measure()), page.read_text()))
        return 0
    now = read_table(arguments.against.read_text()) if arguments.against else measure()
    if compare(read_table(page.read_text()), now):
        return 0
    print(f"if better, or worse for a reason: test/instructions.py --update={page}, with mp-run on PATH")
    return 1


if __name__ == "__main__":
    sys.exit(main())
