"""Prints MLIR text of one kind that nests as often as asked: nested.py KIND LEVELS."""

import sys

kind, levels = sys.argv[1], int(sys.argv[2])
texts = {
    "regions": '"test.op"() ({\n' * levels + "}) : () -> ()\n" * levels,
    "autocast": 'func.func @f() {\n' + "mp.autocast {\n" * levels + "}\n" * levels + "return\n}",
    "types": "func.func private @f(" + "tuple<" * levels + "i32" + ">" * levels + ")",
    "functions": "func.func private @f(" + "() -> (" * levels + ")" * levels + ")",
    "arrays": "module attributes {a.b = " + "[" * levels + "]" * levels + "} {}",
    "dictionaries": "module attributes {a.b = " + "{a = " * levels + "1" + "}" * levels + "} {}",
    "locations": "module {} loc(" + "callsite(unknown at " * levels + "unknown" + ")" * levels + ")",
    "signs": "module attributes {a.b = affine_map<(d0) -> (" + "- " * levels + "d0)>} {}",
    "sums": "module attributes {a.b = affine_map<(d0) -> (" + "d0 mod 2 + " * levels + "d0)>} {}",
    "aliases": "#a0 = [1]\n" + "".join(f"#a{i + 1} = [#a{i}]\n" for i in range(levels)) + f"module attributes {{a.b = #a{levels}}} {{}}",
}
print(texts[kind])
