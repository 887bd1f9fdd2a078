"""Rows of comparisons, as tables in Markdown and as JSON."""

import dataclasses
import json
import math

HEADER = ["work", "threads", "ours", "peer", "ratio", "goal", "met"]


@dataclasses.dataclass
class Row:
    """One comparison. Only peers with times count; `expected` are those left out because of how long they would take, in
    seconds, and `failed` says why others did not run."""

    work: str
    threads: int
    ours: object
    peers: dict
    goal: float
    expected: dict = dataclasses.field(default_factory=dict)
    failed: dict = dataclasses.field(default_factory=dict)
    figures: dict = dataclasses.field(default_factory=dict)

    def best(self):
        return min(self.peers, key=lambda name: self.peers[name].median, default=None)

    def ratio(self):
        best = self.best()
        return self.peers[best].median / self.ours.median if best else None

    def cells(self):
        best, ratio = self.best(), self.ratio()
        peer = f"{spread(self.peers[best])} ({best})" if best else "-"
        if not best and self.expected:
            name, seconds = min(self.expected.items(), key=lambda item: item[1])
            peer = f"about {time_text(seconds)}, not run ({name})"
        ratio_text = f"{ratio:.2f}" if ratio else "-"
        met = ("yes" if ratio >= self.goal else "**no**") if ratio else "-"
        return [self.work, str(self.threads), spread(self.ours), peer, ratio_text, f"{self.goal:.2f}", met]

    def json(self):
        peers = {name: dataclasses.asdict(times) for name, times in self.peers.items()}
        return {"work": self.work, "threads": self.threads, "ours": dataclasses.asdict(self.ours), "peers": peers,
                "best": self.best(), "ratio": self.ratio(), "goal": self.goal, "expected": self.expected,
                "failed": self.failed, "figures": self.figures}


def time_text(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1:
            break
    value = seconds * factor
    return f"{value:.{max(0, 2 - int(math.log10(max(value, 1))))}f} {unit}"


def spread(times):
    return f"{time_text(times.median)} [{time_text(times.min)}, {time_text(times.max)}]"


class Report:
    """Prints rows as they come, and keeps all."""

    def __init__(self, table):
        self.sections, self.facts, self.table = [], {}, table

    def line(self, text=""):
        print(text, flush=True)
        if self.table:
            print(text, file=self.table, flush=True)

    def fact(self, name, value):
        self.facts[name] = value
        self.line(f"- {name}: {value}")

    def section(self, title, geomean, header=None):
        """Opens a table; `geomean` is the goal of the ratios' geometric mean."""
        self.sections.append({"title": title, "geomean_goal": geomean, "rows": []})
        header = header or HEADER
        self.line(f"\n## {title}\n")
        self.line("| " + " | ".join(header) + " |")
        self.line("|---" * len(header) + "|")

    def add(self, row):
        self.sections[-1]["rows"].append(row)
        self.line("| " + " | ".join(row.cells()) + " |")

    def values(self, *cells, **figures):
        """A row that is no comparison of times."""
        self.sections[-1]["rows"].append(figures)
        self.line("| " + " | ".join(cells) + " |")

    def finish(self):
        """Says of the last section what did not run, and for each number of threads whether it meets its goals."""
        section = self.sections[-1]
        rows = [row for row in section["rows"] if isinstance(row, Row)]
        self.line()
        for reason in sorted({f"{name}: {reason}" for row in rows for name, reason in row.failed.items()}):
            self.line(f"Did not run: {reason}")
        left_out = sum(1 for row in rows if not row.ratio() and row.expected)
        if left_out:
            self.line(f"In {left_out} rows the peer would take longer than --limit; they are not part of the mean.")
        section["summaries"] = []
        for threads in sorted({row.threads for row in rows if row.ratio()}):
            self.summary(section, threads, [row for row in rows if row.ratio() and row.threads == threads])

    def summary(self, section, threads, rows):
        ratios, goal = [row.ratio() for row in rows], section["geomean_goal"]
        mean, below = math.exp(sum(map(math.log, ratios)) / len(ratios)), sum(row.ratio() < row.goal for row in rows)
        is_met = mean >= goal and not below
        section["summaries"].append({"threads": threads, "geomean": mean, "least": min(ratios), "below": below, "met": is_met})
        self.line(f"Threads {threads}: geometric mean {mean:.2f} (goal {goal:.2f}), least {min(ratios):.2f}, {below} of {len(ratios)} "
                  f"below their goal: {'met' if is_met else '**not met**'}.")

    def write(self, path):
        sections = [{**section, "rows": [row.json() if isinstance(row, Row) else row for row in section["rows"]]}
                    for section in self.sections]
        path.write_text(json.dumps({"facts": self.facts, "sections": sections}, indent=1) + "\n")
