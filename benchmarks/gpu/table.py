#!/usr/bin/env python3
"""Writes what the bundle measured beside its peers as Markdown: one row a work, with the fastest peer.

usage: table.py RESULTS.json [MORE.json ...]   (results.json of the bundle's run.sh; a work that several have is that of the last)

Times are microseconds of a run; a ratio is the peer's time by ours, so more than 1 is faster than every peer.
"""

import json
import math
import sys

# Of a work's name, behind "time-": the title of its section.
SECTIONS = {"step": "Training steps", "conv": "Convolutions", "gemm": "Products", "bias": "Products with bias and ReLU",
            "cross": "Softmax cross entropy with its gradient", "optimizer": "Optimizers alone", "copy": "A copy"}


def section_of(name):
    return SECTIONS[name.split("-")[1]]


def read(paths):
    """The machine's lines, and by work the peers' (microseconds, ours, what)."""
    machine, works = [], {}
    for path in paths:
        try:
            with open(path) as file:
                found = json.load(file)
            machine, results, own = found["machine"], found["results"], {}
        except OSError as error:
            sys.exit(f"table.py: {path}: {error.strerror}; expected is the results.json that the bundle's run.sh writes")
        except (ValueError, KeyError, TypeError):
            sys.exit(f"table.py: {path} is not the results.json that the bundle's run.sh writes")
        for result in results:
            if result["kind"] == "peer" and result["status"] == "passed" and result.get("ours"):
                own.setdefault(result["name"], []).append((result["value"], result["ours"], result["message"]))
        works |= own
    return machine, works


def microseconds(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__.strip())
    machine, works = read(sys.argv[1:])
    if not works:
        sys.exit("table.py: no peer was timed; expected is what run.sh --kinds=peer writes, of a bundle that has peers")
    for line in machine:
        print(f"- {line}")
    for title in SECTIONS.values():
        rows = [(name, *min(peers)) for name, peers in works.items() if section_of(name) == title]
        if not rows:
            continue
        print(f"\n### {title}\n\n| work | ours us | PyTorch us | by | ratio |\n|---|---|---|---|---|")
        for name, theirs, ours, what in rows:
            what = what.split(", PyTorch")[0]
            print(f"| {name.removeprefix('time-')} | {microseconds(ours)} | {microseconds(theirs)} | {what} | {theirs / ours:.2f} |")
        ratios = [theirs / ours for _, theirs, ours, _ in rows]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"\n{len(rows)} works: geometric mean {mean:.2f}, least {min(ratios):.2f}, {sum(ratio < 0.9 for ratio in ratios)} below 0.9.")


if __name__ == "__main__":
    main()
