"""Mutants that operators make of lines that changed, each tried on its room's tests."""

import concurrent.futures
import dataclasses
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import affected
import operators
from building import ROOT, TOOLS, Build, libraries_of, lit_command, run_command

#: A mutant is tried on so many seconds of its room's lit tests, and of its gtest program; of what takes longer some tests are drawn.
SECONDS = 60
#: The folder of the evaluator's tests, which have the values of every op and of whole training steps: what they link is tried on them, too.
EVALUATOR = ROOT / "test" / "unit" / "Reference"


class CannotRun(Exception):
    """Why no mutant can be tried, in words."""


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str
    change: operators.Change

    def __str__(self):
        return f"{self.file}:{self.change.line}: {self.change}"


def changed_lines(base):
    """The lines of each .cpp file of lib/ and tools/ that differ from a commit."""
    files = ["--", "lib/*.cpp", "tools/*.cpp"]
    differ = affected.git(ROOT, "-c", "core.quotePath=false", "diff", "--unified=0", "--inter-hunk-context=0", "--no-renames", "--no-ext-diff", "--no-color", "--dst-prefix=b/", base, *files)
    unknown = affected.git(ROOT, "ls-files", "--others", "--exclude-standard", "-z", *files)
    if differ is None or unknown is None:
        raise CannotRun(f"git does not say what differs from {base}")
    lines = {file: range(1, (ROOT / file).read_text().count("\n") + 1) for file in unknown.split("\0") if file}
    for part in re.split(r"^diff --git .*\n", differ, flags=re.MULTILINE):
        if file := re.search(r"^\+\+\+ b/([^\t\n]*)", part, re.MULTILINE):
            hunks = re.findall(r"^@@ -\S+ \+(\d+),?(\d*) @@", part, re.MULTILINE)
            lines[file[1]] = [line for first, count in hunks for line in range(int(first), int(first) + int(count or 1))]
    return lines


def choose(lines, seed, most):
    """A mutant of each of so many lines, and how many lines have one. An operator is as likely as another, however many places it finds."""
    places = {}
    for file in sorted(lines):
        for change in operators.changes((ROOT / file).read_text()):
            if change.line in lines[file]:
                places.setdefault((file, change.line), {}).setdefault(change.operator, []).append(change)
    draw = random.Random(seed)
    chosen = draw.sample(sorted(places), min(most, len(places)))
    return [Mutant(file, draw.choice(draw.choice(list(places[file, line].values())))) for file, line in chosen], len(places)


def nearest(top, parts, is_there):
    """lib/Codegen/CPU/Map.cpp -> test/Codegen: the folder of a file's path under another top, or else the one above that, that is there."""
    for length in range(len(parts), 0, -1):
        if is_there(folder := top.joinpath(*parts[:length])):
            return folder
    return None


def unit_program(folder):
    made = folder / "CMakeLists.txt"
    found = made.is_file() and re.search(r"add_mp_unittest\((\w+)", made.read_text())
    return found[1] if found else None


class LitTests:
    """Tests of a folder, as many as pass within SECONDS in an order that is drawn."""

    #: Lit takes half a second to start, and runs what it is given in an order of its own.
    AT_ONCE = 8

    def __init__(self, folder):
        self.name, self.programs, self.folder, self.drawn = f"test/{folder}", TOOLS, folder, []

    def alone(self, build, folder, seed):
        status, listed = run_command(build, ["lit-22", "--show-tests", build.path / "test" / self.folder], folder)
        if status != 0:
            return listed
        tests = re.findall(r"^ *\S+ :: (\S+)$", listed, re.MULTILINE)
        self.of, end = len(tests), time.monotonic() + SECONDS
        random.Random(seed).shuffle(tests)
        while tests and (left := end - time.monotonic()) > 0:
            status, text = run_command(build, lit_command(build, tests[:self.AT_ONCE], folder, "-j1"), folder, left)
            if status or re.search(r"^(FAIL|TIMEOUT|UNRESOLVED): ", text, re.MULTILINE):
                return text
            self.drawn += re.findall(r"^PASS: \S+ :: (\S+)", text, re.MULTILINE)
            del tests[:self.AT_ONCE]
        return ""

    def command(self, build, folder):
        return lit_command(build, self.drawn, folder, "-j1", "--order=lexical", "--max-failures=1")

    def libraries(self, file):
        return libraries_of(file, self.name)


class ProgramTests:
    """Tests of a gtest program, as many as pass within SECONDS in an order that is drawn."""

    def __init__(self, program):
        self.name, self.programs, self.drawn, self.of = program, [program], [], 0

    def alone(self, build, folder, seed):
        program = folder / self.name
        status, text = run_command(build, [program, "--gtest_shuffle", f"--gtest_random_seed={seed % 99999 + 1}"], folder, SECONDS)
        self.drawn = re.findall(r"^\[       OK \] ([^ ,]+)", text, re.MULTILINE)
        found = re.search(r"^\[=+\] Running (\d+) test", text, re.MULTILINE)
        self.of = int(found[1]) if found else 0
        return text or "no word" if status or "[  FAILED  ]" in text else ""

    def command(self, build, folder):
        # A command line has no room for the names of thousands of tests.
        flags = folder / f"{self.name}.flags"
        flags.write_text(f"--gtest_filter={':'.join(self.drawn)}\n--gtest_fail_fast\n")
        return [folder / self.name, f"--gtest_flagfile={flags}"]

    def libraries(self, file):
        return []


class Rooms:
    """The tests of each file's room."""

    def __init__(self):
        self.tests = {}

    def of(self, file):
        parts = pathlib.Path(file).parent.parts
        parts = ("Tools",) if parts[0] == "tools" else parts[1:]
        lit = nearest(ROOT / "test", parts, pathlib.Path.is_dir)
        units = [unit for unit in (nearest(ROOT / "test" / "unit", parts, unit_program), EVALUATOR) if unit and unit_program(unit)]
        found = [LitTests(lit.relative_to(ROOT / "test"))] if lit else []
        found += [ProgramTests(unit_program(unit)) for unit in dict.fromkeys(units)]
        return [self.tests.setdefault(tests.name, tests) for tests in found]


def pass_alone(build, tests, seed):
    """What a room's tests say if they do not all pass without a mutant; notes how long they took."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as name:
        folder, start = pathlib.Path(name), time.monotonic()
        for program in tests.programs:
            (folder / program).symlink_to(build.path / build.output(program))
        said = tests.alone(build, folder, seed)
        tests.seconds = time.monotonic() - start
        return said


def try_mutant(build, mutant, tests, deadline):
    """"killed" or what else became of a mutant, and by which tests or why."""
    text = mutant.change.applied((ROOT / mutant.file).read_text())
    tried = []
    with tempfile.TemporaryDirectory(prefix="mutant-") as name:
        folder = pathlib.Path(name)
        for some in sorted((some for some in tests if some.drawn), key=lambda some: some.seconds):
            programs = [*some.programs, *some.libraries(mutant.file)]
            for program in programs:
                if time.monotonic() > deadline:
                    return "not tried", f"time was up after {', '.join(tried)}" if tried else "time was up"
                if not (folder / program).exists() and (why := build.make(program, mutant, text, folder)):
                    return "does not compile", re.sub(r"(?s).*?error: ([^\n]*).*", r"\1", why)
            # A program without that file is a link to what it was; a library has its version behind its name.
            if all(made.is_symlink() for program in programs for made in folder.glob(f"{program}*")):
                continue
            # A mutant may loop for ever. That is told apart from a test that fails: a machine with other work may be as slow.
            limit, left = 60 + 5 * some.seconds, deadline - time.monotonic()
            status, _ = run_command(build, some.command(build, folder), folder, max(min(limit, left), 0))
            if status is None:
                return ("takes too long", some.name) if limit < left else ("not tried", f"time was up in {some.name}")
            if status != 0:
                return "killed", some.name
            tried.append(f"{some.name} ({len(some.drawn)} of {some.of} tests)")
    return "survives", ", ".join(tried) or "no test of its room has it"


def run(build, chosen, options):
    rooms, start = Rooms(), time.monotonic()
    deadline = start + options.minutes * 60
    tests_of = {mutant: rooms.of(mutant.file) for mutant in chosen}
    programs = sorted({program for tests in rooms.tests.values() for program in tests.programs})
    if not options.built:
        subprocess.run(["ninja", "-C", build.path, *map(build.output, programs)], check=True, stdout=subprocess.DEVNULL)
        deadline += time.monotonic() - start
    words = {"killed": "killed", "survives": "survive", "takes too long": "take too long", "does not compile": "do not compile", "not tried": "not tried"}
    outcomes = {what: [] for what in words}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        said = pool.map(lambda tests: pass_alone(build, tests, options.seed), rooms.tests.values())
        failing = [f"{name} fails without a mutant\n{text}" for name, text in zip(rooms.tests, said) if text]
        if failing:
            raise CannotRun("\n".join(failing))
        waiting = {pool.submit(try_mutant, build, mutant, tests_of[mutant], deadline): mutant for mutant in chosen}
        for done in concurrent.futures.as_completed(waiting):
            what, why = done.result()
            outcomes[what].append(f"{waiting[done]}: {why}")
            print(f"{waiting[done]}: {what}: {why}", flush=True)
    if outcomes["survives"]:
        print("\nSurvivors, to be looked at: a test is missing, or the mutant does what the code does.\n" + "\n".join(sorted(outcomes["survives"])))
    counts = ", ".join(f"{len(outcomes[what])} {words[what]}" for what in words)
    print(f"{len(chosen)} mutants in {(time.monotonic() - start) / 60:.1f} min by --seed={options.seed}: {counts}")


def main(options):
    try:
        base, why = (options.base, None) if options.base else affected.base_commit(ROOT)
        if not base:
            raise CannotRun(f"{why}; --base=COMMIT says what to compare with")
        chosen, places = choose(changed_lines(base), options.seed, options.most)
        print(f"mutants of {len(chosen)} of {places} lines that changed since {base[:12]}, drawn by --seed={options.seed}", flush=True)
        if options.check:
            print("\n".join(map(str, chosen)))
        elif chosen:
            run(Build(options.build), chosen, options)
    except CannotRun as reason:
        print(f"mutants: {reason}", file=sys.stderr)
        return 1
    return 0
