"""Models of matrix products: programs of many products each, from a table of sizes, as the compiler schedules them."""

# Whole tiles, parts of tiles in each dimension, rows that are aligned to 16, 4 and 2 bytes, single ones, and few tiles
# with so long a k that it is cut into parts. (m, n, k)
SIZES = [
    (128, 128, 96), (72, 200, 104), (67, 45, 37), (130, 66, 34), (5, 10, 129),
    (1, 1, 1), (1, 65, 8), (33, 8, 7), (64, 130, 64), (40, 64, 24),
    (64, 64, 200), (17, 16, 15), (100, 4, 260), (3, 128, 32), (96, 31, 48),
    (20, 10, 8192), (128, 64, 4096),
]
EPILOGUES = ["plain", "bias", "bias_relu_cast", "residual"]
TYPES = {
    "f16": {"element": "f16", "flags": [], "chips": "sm_70,sm_75,sm_80,sm_90"},
    "bf16": {"element": "bf16", "flags": [], "chips": "sm_80,sm_90"},
    "tf32": {"element": "f32", "flags": ["--allow-tf32=true"], "chips": "sm_80,sm_90"},
    "f32": {"element": "f32", "flags": [], "chips": "sm_70,sm_80"},
}
# Units in the last place of 1 of what the factors are rounded to, of the sums, and of the result.
ROUNDING = {
    "f16": (0, 2**-24, 2**-10), "bf16": (0, 2**-24, 2**-7), "tf32": (2**-10, 2**-24, 0), "f32": (0, 2**-24, 0),
    "f64": (0, 2**-53, 0),
}


def tensor(*parts):
    return "tensor<" + "x".join(str(part) for part in parts if part) + ">"


class Program:
    """A program "infer" of independent products, each with arguments and results of its own."""

    def __init__(self, element):
        self.element, self.arguments, self.body, self.results = element, [], [], []

    def argument(self, name, kind):
        self.arguments.append(f'%{name}: {kind} {{mp.input = "{name}"}}')
        return kind

    def result(self, value, kind):
        name = value.lstrip("%")
        self.results.append((value, kind, name))

    def add(self, name, size, transposes, epilogue="plain", batch=0, shares=False, casts=False):
        """A product of normal factors, those that are cast as f32."""
        (m, n, k), (left, right), element = size, transposes, self.element
        given = "f32" if casts else element
        shape_a = [batch, *((k, m) if left else (m, k))]
        shape_b = [0 if shares else batch, *((n, k) if right else (k, n))]
        a, b = tensor(*shape_a, element), tensor(*shape_b, element)
        operands = []
        for side, shape, kind in (("a", shape_a, a), ("b", shape_b, b)):
            source = self.argument(f"{name}_{side}", tensor(*shape, given))
            operands.append(f"%{name}_{side}")
            if casts and element != "f32":
                self.body.append(f"%{name}_{side}c = mp.cast %{name}_{side} : {source} -> {kind}")
                operands[-1] += "c"
        result = tensor(batch, m, n, element)
        bias = ""
        if epilogue.startswith("bias"):
            kind = self.argument(f"{name}_w", tensor(n, element))
            bias = f" bias %{name}_w : {kind}"
        flags = (" transpose_lhs" if left else "") + (" transpose_rhs" if right else "")
        self.body.append(f"%{name} = mp.matmul {', '.join(operands)}{flags}{bias} acc f32 : {a}, {b} -> {result}")
        if epilogue.startswith("bias_relu"):
            self.body.append(f"%{name}_r = mp.relu %{name} : {result}")
            self.result(f"%{name}_r", result)
            if epilogue == "bias_relu_cast" and element != "f32":
                wide = tensor(batch, m, n, "f32")
                self.body.append(f"%{name}_f = mp.cast %{name}_r : {result} -> {wide}")
                self.result(f"%{name}_f", wide)
        elif epilogue == "residual":
            self.argument(f"{name}_w", result)
            self.body.append(f"%{name}_s = mp.add %{name}, %{name}_w : {result}, {result} -> {result}")
            self.result(f"%{name}_s", result)
        else:
            self.result(f"%{name}", result)

    def text(self):
        results = ", ".join(f'{kind} {{mp.output = "{name}"}}' for _, kind, name in self.results)
        values, kinds = (", ".join(row[at] for row in self.results) for at in (0, 1))
        body = "\n  ".join(self.body)
        return (f"func.func @products({', '.join(self.arguments)}) -> ({results})\n"
                f'    attributes {{mp.program = "model"}} {{\n  {body}\n  return {values} : {kinds}\n}}\n')


def tolerance(kind, longest, accumulator="f32"):
    """Sums of `longest` products of normal values, in any order: twice what statistics leaves, far below one product.
    Roundings of sums, which grow with the root of how many there were, add up to a quarter of `longest` in the mean
    square, and a result that was rounded has something added and is rounded again. Factors that are rounded add their part. Sums in f16 are
    rounded for every eight products: below what these add."""
    factors, sums, result = ROUNDING[kind]
    spread = longest**0.5
    absolute = 8 * spread * factors + (2 * longest + 64 * spread) * sums + 4 * result
    if accumulator == "f16":
        absolute += longest / 8 * 2 * spread * 2**-11
    return f"{absolute:.3g},{2 * result + 16 * sums:.3g}"


def grid():
    """(name, text, flags, results, tolerance) of each program; epilogues, prologues and batches take turns."""
    turn = 0
    for kind, row in TYPES.items():
        for left in (False, True):
            for right in (False, True):
                program = Program(row["element"])
                for m, n, k in SIZES:
                    turn += 1
                    batch = 2 if turn % 7 == 3 and k < 1000 else 0
                    program.add(f"p{m}x{n}x{k}", (m, n, k), (left, right), EPILOGUES[turn % 4], batch,
                                turn % 14 == 3, turn % 5 == 2)
                name = f"gemm-{kind}-{'t' if left else 'n'}{'t' if right else 'n'}"
                flags = ["--policy=float32", "--training=false", "--batch-size=1", *row["flags"]]
                longest = max(k for _, _, k in SIZES)
                yield {"name": name, "text": program.text(), "flags": flags, "chips": row["chips"],
                       "results": [row[2] for row in program.results], "tolerance": tolerance(kind, longest)}
