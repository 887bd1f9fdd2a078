#!/usr/bin/python3
"""Counts the instructions of the main loops of products and convolutions, for every chip and the schedules of the cost model.

usage: instructions.py --check=PAGE [--against=PAGE] | --update=PAGE | --count FILE.ptx...

--check compares the table in PAGE with counts that are made now, or with those of another page, and fails where they differ: it
says what is worse and what is better. --update writes the table anew. Both fail where a convolution has more than 1.15 times the
least cycles of a product of its schedule, and name it. --count prints what the kernels of a text have.

What is counted is machine code: ptxas assembles, nvdisasm (both wheels in the project's .venv) disassembles. nvdisasm knows no
sm_70; there the instructions of the text are counted, but for moves. The main loop is the one with most multiplications. Its least
cycles are the sum of what the code says that a warp waits after each instruction, as if nothing else held it up. A convolution's
are compared with those of a matrix product of the same schedule, whose operands lie as its own do, for each multiplication.
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

# Name in the table: images, height = width, channels, filters, taps, stride, padding. Convolutions are counted in this type.
LAYERS = {
    "32x32, 3 to 32, 3x3": (64, 32, 3, 32, 3, 1, 1),
    "32x32, 32 to 32, 3x3": (64, 32, 32, 32, 3, 1, 0),
    "15x15, 32 to 64, 3x3": (64, 15, 32, 64, 3, 1, 1),
    "15x15, 64 to 64, 3x3": (64, 15, 64, 64, 3, 1, 0),
    "56x56, 64 to 64, 3x3": (16, 56, 64, 64, 3, 1, 1),
    "28x28, 128 to 128, 3x3": (16, 28, 128, 128, 3, 1, 1),
    "14x14, 256 to 256, 3x3": (16, 14, 256, 256, 3, 1, 1),
    "56x56, 64 to 256, 1x1": (16, 56, 64, 256, 1, 1, 0),
    "56x56, 128 to 128, 3x3 by 2": (16, 56, 128, 128, 3, 2, 1),
    "224x224, 3 to 64, 7x7 by 2": (4, 224, 3, 64, 7, 2, 3),
}
LAYER_TYPE = "f16"
# By the op of each pass: which of image, filter and result it takes and gives.
PASSES = {
    "forward": ("mp.conv", 0, 1, 2),
    "input gradient": ("mp.conv_transpose", 2, 1, 0),
    "weight gradient": ("mp.conv_filter_grad", 0, 2, 1),
}
# The product with which each pass is compared: m, n, k for each part, and how its operands lie.
SAME_BLOCK = {
    "forward": (1024, 1024, 4096, "transpose_rhs"),
    "input gradient": (1024, 1024, 4096, ""),
    "weight gradient": (1024, 1024, 4096, "transpose_lhs"),
}

KINDS = ["multiply", "fragments", "copies", "other"]

# The first that fits names the kind of an instruction: of machine code, then of PTX.
SASS = [("multiply", r"HMMA|FFMA|DFMA"), ("fragments", r"LDSM|LDS\b"), ("copies", r"LDGSTS|LDG\b|STS")]
PTX = [
    ("multiply", r"wmma\.mma|mma\.sync|fma\.rn"),
    ("fragments", r"wmma\.load|ldmatrix|ld\.shared"),
    ("copies", r"cp\.async\.c[ag]|ld\.global|st\.shared"),
]

# Least cycles of a convolution, of a product's: what it may have.
MOST_OF_PRODUCT = 1.15

HEADER = ["operands", "product", "chips", "block", "warps", "stages", *KINDS, "else per multiply", "least cycles", "of a product's"]

# Least cycles: - where nobody says. What they are of a product's: - where the row is one, too.
Row = collections.namedtuple("Row", ["schedule", "counts", "cycles", "of_product"])


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
        yield [(at, lines[at]) for at in sorted(inside) if not is_label(lines[at])]


def count(lines, patterns, stalls=None, **syntax):
    """Instructions of the main loop by kind, and its least cycles where `stalls` has those of each line."""
    best = dict.fromkeys(KINDS, 0), "-"
    for loop in main_loop(lines, **syntax):
        counts = dict.fromkeys(KINDS, 0)
        for line in loop:
            counts[kind_of(PREDICATE.sub("", line[1]), patterns)] += 1
        if counts["multiply"] > best[0]["multiply"]:
            best = counts, str(sum(stalls[at] for at, _ in loop)) if stalls else "-"
    return best


def count_machine_code(cubin):
    """Counts of each kernel of a cubin, and least cycles: bits 41 to 44 of an instruction's second word are its stall."""
    text = subprocess.run([disassembler(), "-c", "-hex", cubin], capture_output=True, text=True, check=True).stdout
    counts = {}
    for section in re.split(r"(?m)^//-+ \.text\.", text)[1:]:
        pattern = r"(?m)^(\.L_x_\d+:)|^\s+/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;\s+/\* 0x\w+ \*/\n\s+/\* 0x(\w+) \*/"
        parts = [part.groups() for part in re.finditer(pattern, section)]
        lines = [label or instruction.strip() for label, instruction, _ in parts]
        counts[re.match(r"\w+", section)[0]] = count(
            lines,
            SASS,
            stalls=[int(word or "0", 16) >> 41 & 15 for _, _, word in parts],
            is_label=lambda line: line[:-1] if line.startswith(".L_x_") else None,
            target_of=lambda line: (found := re.search(r"\bBRA\b.*\(?(\.L_x_\d+)", line)) and found[1],
            is_conditional=lambda line: line.startswith("@"),
        )
    return counts


def count_text(text):
    """Counts of each kernel of a PTX text, without cycles."""
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
    """Counts and least cycles of each kernel of a PTX text: of what the chip runs, where that can be read."""
    chip = re.search(r"\.target (\w+)", text)[1]
    if chip == "sm_70":
        return count_text(text)
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = pathlib.Path(folder, "text.ptx"), pathlib.Path(folder, "code.cubin")
        source.write_text(text)
        subprocess.run([ptxas.find_assemblers(chip)[0], f"-arch={chip}", source, "-o", cubin], check=True)
        return count_machine_code(cubin)


def tensor_of(element, *shape):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def matrix_product(element, m, n, k, flags, attributes=""):
    """Operands, result and op, but for the operands, of a matrix product."""
    lhs = tensor_of(element, *((k, m) if "lhs" in flags else (m, k)))
    rhs = tensor_of(element, *((n, k) if "rhs" in flags else (k, n)))
    return lhs, rhs, tensor_of(element, m, n), f"mp.matmul {{}}, {{}} {flags} acc f32{attributes}"


def products_of(name):
    """Of a type: the name of each product in the table, and its operands, its result and its op but for the operands."""
    element = TYPES[name][0]
    found = {product: matrix_product(element, *sizes) for product, sizes in PRODUCTS.items()}
    for layer, (images, size, channels, filters, taps, stride, padding) in LAYERS.items() if name == LAYER_TYPE else ():
        pixels = (size + 2 * padding - taps) // stride + 1
        shapes = ((images, size, size, channels), (filters, taps, taps, channels), (images, pixels, pixels, filters))
        for direction, (op, left, right, result) in PASSES.items():
            found[f"{layer}, {direction}"] = (
                *(tensor_of(element, *shapes[place]) for place in (left, right, result)),
                f"{op} {{}}, {{}} acc f32 {{{{strides = [{stride}, {stride}], padding = {[padding] * 4}}}}}",
            )
    return found


def model_text(products):
    """One program with all the products of a type."""
    arguments, results, body = [], [], ""
    for index, (lhs, rhs, result, op) in enumerate(products):
        arguments += [f'%a{index}: {lhs} {{mp.input = "a{index}"}}', f'%b{index}: {rhs} {{mp.input = "b{index}"}}']
        results.append((f"%z{index}", result))
        body += f"  %z{index} = {op.format(f'%a{index}', f'%b{index}')} : {lhs}, {rhs} -> {result}\n"
    outputs = ", ".join(f'{kind} {{mp.output = "{name[1:]}"}}' for name, kind in results)
    return (
        f"func.func @infer({', '.join(arguments)}) -> ({outputs}) attributes {{mp.program = \"infer\"}} {{\n{body}"
        f"  return {', '.join(name for name, _ in results)} : {', '.join(kind for _, kind in results)}\n}}\n"
    )


def compile_model(products, chips, settings, dump):
    """Kernels and text of some products, in a folder for each chip."""
    dump.mkdir()
    model = dump / "model.mlir"
    model.write_text(model_text(products))
    command = ["mp-run", "compile", model, "--training=false", "--policy=float32", "--target=nvptx", "--compile-to=asm"]
    command += [f"--chip={','.join(chips)}", f"--dump-dir={dump}", *settings]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"HALFSTEP_COMPILE_CACHE": "off"})


def compile_products(name, folder):
    """The folder of each chip with the kernels and the text of the products of one type."""
    _, first, settings = TYPES[name]
    chips = CHIPS[CHIPS.index(first) :]
    compile_model(products_of(name).values(), chips, settings, folder / name)
    return [(name, chip, folder / name / chip) for chip in chips]


def products_in(kernels):
    """The name, the number of the product and the schedule of each kernel that multiplies, of a text of kernels."""
    inputs = {}  # the input of the program that a value is, or is a padded copy or a view of
    for line in kernels.splitlines():
        if view := re.match(r"\s*(%\w+) = mp\.reshape (%[\w#]+)", line):
            inputs[view[1]] = inputs.get(view[2], view[2])
        kernel = re.match(r'\s*(%\w+)(?::\d+)? = mp\.kernel "([\w.]+)" \((.*?)\) schedule\((#mp\.(\w+)<.*?>)\)', line)
        if not kernel:
            continue
        value, symbol, operands, schedule, kind = kernel.groups()
        read = [inputs.get(operand, operand) for operand in re.findall(r"= (%[\w#]+)", operands)]
        if symbol.startswith("pad_"):
            inputs |= {f"{value}#{index}" if len(read) > 1 else value: operand for index, operand in enumerate(read)}
        elif kind == "mma":
            # Each product has two inputs of its own.
            yield symbol, int(re.fullmatch(r"%arg(\d+)", read[0])[1]) // 2, schedule


def read_kernels(folder):
    """Number among its model's products, schedule, counts and least cycles of each kernel that multiplies."""
    kernels = (folder / "07-kernels.mlir").read_text()
    (text,) = folder.glob("*-asm.s")
    counts = count_kernels(text.read_text())
    for symbol, index, schedule in products_in(kernels):
        yield index, schedule, *counts["mp_" + symbol.replace(".", "_")]


def values_of(schedule):
    return dict(part.split(" = ") for part in re.fullmatch(r"#mp\.mma<(.*)>", schedule)[1].split(", "))


def count_same_blocks(wanted, chip, folder):
    """Least cycles for a multiplication of products of these passes and schedules, where they are known."""

    def product_of(direction, schedule):
        m, n, k, flags = SAME_BLOCK[direction]
        parts = int(values_of(schedule).get("split_k", 1))
        return matrix_product(TYPES[LAYER_TYPE][0], m, n, k * parts, flags, f" {{{{mp.schedule = {schedule}}}}}")

    compile_model([product_of(*each) for each in wanted], [chip], [], folder)
    # Of one chip there is no folder for each.
    kernels = {index: (counts, cycles) for index, _, counts, cycles in read_kernels(folder)}
    known = {wanted[index]: (counts, cycles) for index, (counts, cycles) in kernels.items() if cycles != "-"}
    return {each: int(cycles) / counts["multiply"] for each, (counts, cycles) in known.items()}


def rows_of(name, chip, folder):
    """The row of each product of a type on a chip."""
    found = {}
    for index, schedule, counts, cycles in read_kernels(folder):
        if counts["multiply"] > 0:  # else k is so short that nothing of the loop is left
            found[list(products_of(name))[index]] = schedule, counts, cycles
    passes = {product: product.rsplit(", ", 1)[-1] for product in found if product not in PRODUCTS}
    wanted = list(dict.fromkeys((direction, found[product][0]) for product, direction in passes.items()))
    of_blocks = count_same_blocks(wanted, chip, folder / "same-block") if wanted else {}
    rows = {}
    for product, (schedule, counts, cycles) in found.items():
        values = values_of(schedule)
        split = f" of {values['split_k']} parts" if "split_k" in values else ""
        shown = (
            f"{values['block_m']}x{values['block_n']}x{values['block_k']}{split}",
            f"{values['warps_m']}x{values['warps_n']}",
            values["stages"],
        )
        of_block = of_blocks.get((passes.get(product), schedule))
        of_product = f"{int(cycles) / counts['multiply'] / of_block:.2f}" if of_block else "-"
        rows[name, product, chip] = Row(shown, tuple(counts.values()), cycles, of_product)
    if len(rows) < len(PRODUCTS):
        sys.exit(f"{name} {chip}: {len(rows)} loops that multiply")
    return rows


def measure():
    """(operands, product, chip) -> Row."""
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        places = pool.map(lambda name: compile_products(name, pathlib.Path(folder)), TYPES)
        rows = pool.map(lambda place: rows_of(*place), itertools.chain.from_iterable(list(places)))
        found = {key: row for part in rows for key, row in part.items()}
    return {
        (name, product, chip): found[name, product, chip]
        for name in TYPES
        for product, chip in itertools.product(products_of(name), CHIPS)
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
        lines.append([name, product, ", ".join(chips), *row.schedule, *map(str, row.counts), f"{ratio(row.counts):.2f}", row.cycles, row.of_product])
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


TABLE = re.compile(r"(?m)^\| operands \| product \| .*\n(?:\|.*\n)+")


def read_table(text):
    rows = {}
    for line in TABLE.search(text)[0].splitlines()[2:]:
        name, product, chips, *rest = [cell.strip() for cell in line.strip("|").split("|")]
        for chip in chips.split(", "):
            rows[name, product, chip] = Row(tuple(rest[:3]), tuple(map(int, rest[3:7])), *rest[8:])
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
        if "-" not in (before.cycles, after.cycles) and int(after.cycles) * before.counts[0] > int(before.cycles) * after.counts[0]:
            worse.append("cycles")
        shown = [
            " ".join(f"{kind}={each}" for kind, each in zip([*KINDS, "cycles"], [*row.counts, row.cycles]))
            for row in (before, after)
        ]
        print(f"{where}: {verdict}: {shown[0]}, now {shown[1]} ({ratio(before.counts):.2f} -> {ratio(after.counts):.2f})")
    return old == new


def exceeding(rows):
    """Prints which convolutions have more than they may; whether any does."""
    found = {key: row for key, row in rows.items() if row.of_product != "-" and float(row.of_product) > MOST_OF_PRODUCT}
    for key, row in found.items():
        print(f"{', '.join(key)}: {row.of_product} times the least cycles of a product, more than {MOST_OF_PRODUCT}")
    return bool(found)


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
                for name, (counts, cycles) in count_kernels(part).items():
                    print(name, *(f"{kind}={number}" for kind, number in counts.items()), f"cycles={cycles}")
        return 0
    page = arguments.check or arguments.update
    now = read_table(arguments.against.read_text()) if arguments.against else measure()
    exceeds = exceeding(now)
    if arguments.update:
        page.write_text(TABLE.sub(lambda _: table_of(now), page.read_text()))
        return int(exceeds)
    if compare(read_table(page.read_text()), now):
        return int(exceeds)
    print(f"if better, or worse for a reason: test/instructions.py --update={page}, with mp-run on PATH")
    return 1


if __name__ == "__main__":
    sys.exit(main())
