#!/usr/bin/python3
"""Says which of the costly suites and which of the tests that take turns a change runs, by the table affected-suites.toml.

usage: test/affected.py [--table=FILE]
       test/affected.py --left-out SUITE [--table=FILE]
       test/affected.py --part=N [--table=FILE]

A change is what differs between the work tree, with files that git does not know yet, and the newest commit of this branch behind which
all are at most 12 hours older than HEAD by their commit date. What was merged is of the age of its merge. Everything runs where there is no such commit or no git, where something changed on which everything
leans, or something that the table does not know. --left-out ends with 0 where the suite is left out, and with 1 where it runs.

Turns go by the number of commits behind HEAD, along first parents: the next commit has the next turn. A lit test whose file HEAD changed, or
nobody committed yet, runs whatever the turn. --part prints which of N parts of a work has its turn, such as 2/4; 1/1 where there is no commit to count.
"""

import argparse
import fnmatch
import pathlib
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
TABLE = ROOT / "test" / "affected-suites.toml"
HOURS = 12
#: Rooms that have no folder under include/mp and lib.
TOPS = {"tools", "python-bindings", "test", "examples", "benchmarks", "docs"}


def git(repository, *arguments):
    """What git prints; none where it fails or is not there."""
    try:
        done = subprocess.run(["git", "-C", repository, *arguments], capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return done.stdout if done.returncode == 0 else None


def is_clone(repository):
    """Whether git keeps this folder; one that was unpacked inside somebody's clone it does not."""
    top = git(repository, "rev-parse", "--show-toplevel")
    return top is not None and pathlib.Path(top.rstrip("\n")).resolve() == repository


def base_commit(repository):
    """The newest commit with none behind it that is at least 12 hours older than HEAD, or than now; or none, and why."""
    if not is_clone(repository):
        return None, "this is no clone of git"
    history = git(repository, "rev-list", "--first-parent", "--timestamp", "HEAD")
    if history is None:
        return None, "there is no commit yet"
    commits = [(commit, int(date)) for date, commit in map(str.split, history.splitlines())]
    oldest = min(commits[0][1], time.time()) - HOURS * 3600
    # A commit may be dated before its parents: the window ends where all are old.
    window = max(i for i, (_, date) in enumerate(commits) if date > oldest) + 1
    if window == len(commits):
        return None, f"no commit here is {HOURS} hours older than HEAD"
    return commits[window][0], None


def changed_paths(repository, base):
    """What differs from the commit, committed or not; none where git does not say."""
    differ = git(repository, "diff", "--name-only", "--no-renames", "-z", base)
    unknown = git(repository, "ls-files", "--others", "--exclude-standard", "-z")
    if differ is None or unknown is None:
        return None
    return sorted({path for path in (differ + unknown).split("\0") if path})


def paths_of_room(room):
    """Codegen/NVVM -> include/mp/Codegen/NVVM, lib/Codegen/NVVM; tools/mp-exec as it is."""
    if room.split("/")[0] in TOPS:
        return [room]
    return [f"include/mp/{room}", f"lib/{room}"] + (["include/mp-c"] if room == "CAPI" else [])


def is_below(path, patterns):
    """Whether the path is one of these, or in a folder that is."""
    return any(fnmatch.fnmatchcase(path, pattern) or path.startswith(pattern + "/") for pattern in patterns)


class Suite:
    def __init__(self, name, row):
        self.name, self.tests, self.rooms, self.paths = name, row["tests"], row["rooms"], row["paths"]
        self.patterns = [path for room in self.rooms for path in paths_of_room(room)] + self.paths


class Table:
    def __init__(self, file):
        content = tomllib.loads(file.read_text())
        self.everything, self.always, self.turns = content["everything"], content["always"], content["turns"]
        self.suites = [Suite(name, row) for name, row in content["suite"].items()]

    def knows(self, path):
        return is_below(path, self.always) or any(is_below(path, suite.patterns) for suite in self.suites)


def left_out(table, repository):
    """The suites that no change concerns, and the commit since which, in words; or none, and why everything runs."""
    base, reason = base_commit(repository)
    if not base:
        return [], reason
    changed = changed_paths(repository, base)
    if changed is None:
        return [], "git does not say what changed"
    date = time.gmtime(int(git(repository, "show", "--no-patch", "--format=%ct", base)))
    since = f"since {base[:12]} ({time.strftime('%Y-%m-%d %H:%M', date)} UTC)"
    for path in changed:
        if is_below(path, table.everything):
            return [], f"{path} changed {since}"
        if not table.knows(path):
            return [], f"{path} changed {since}, which {TABLE.name} does not know"
    return [suite for suite in table.suites if not any(is_below(path, suite.patterns) for path in changed)], since


def turn(repository, count):
    """Which of so many things has its turn at this commit, from 0; none where git does not keep this folder."""
    commits = git(repository, "rev-list", "--first-parent", "--count", "HEAD") if is_clone(repository) else None
    return None if commits is None else int(commits) % count


def describe_turns(table, repository, left_out):
    """The tests that have no turn at this commit, in suites that are not left out, and a line for each row of the table that has some."""
    runs = changed_paths(repository, "HEAD~1") or []
    known = [test for suite in left_out for test in suite.tests]
    waiting, lines = [], []
    for name, parts in table.turns.items():
        now = turn(repository, len(parts))
        if now is None:
            return [], []
        others = [test for part in parts if part is not parts[now] for test in part if test not in runs and not is_below(test, known)]
        waiting += others
        if others:
            lines.append(f"in turns: {', '.join(others)}: at this commit {name} has part {now + 1} of {len(parts)}")
    return waiting, lines


def describe(table, repository):
    """The suites that are left out, and a line for each; or a line that says why there is none."""
    suites, reason = left_out(table, repository)
    if not reason.startswith("since "):
        return [], [f"every suite runs: {reason}"]
    lines = [f"left out: {', '.join(suite.tests)}: no change in {', '.join(suite.rooms + suite.paths)} {reason}" for suite in suites]
    return suites, lines or [f"every suite runs: each has a change {reason}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--left-out", metavar="SUITE", help="end with 0 where this one is left out, with 1 where it runs")
    parser.add_argument("--table", type=pathlib.Path, default=TABLE, help="another table, in the folder test/ of another repository")
    parser.add_argument("--part", metavar="N", type=int, help="print which of N parts has its turn")
    options = parser.parse_args()
    table, repository = Table(options.table), options.table.resolve().parents[1]
    if options.part:
        now = turn(repository, options.part)
        print("1/1" if now is None else f"{now + 1}/{options.part}")
        return 0
    suites, lines = describe(table, repository)
    if not options.left_out:
        print("\n".join(lines + describe_turns(table, repository, suites)[1]))
        return 0
    if options.left_out not in [suite.name for suite in table.suites]:
        parser.error(f"{options.table.name} has no suite '{options.left_out}'")
    chosen = [line for suite, line in zip(suites, lines) if suite.name == options.left_out]
    print("\n".join(chosen), end="\n" if chosen else "")
    return 0 if chosen else 1


if __name__ == "__main__":
    sys.exit(main())
