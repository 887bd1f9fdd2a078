"""Programs and tests with a mutant in place of one file, next to a build that is left as it is."""

import functools
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
#: The programs that lit tests run, for which a mutant is linked.
TOOLS = ["mp-opt", "mp-run", "mp-exec", "mp-evaluate", "mp-exec-tiles"]
#: The libraries of the C API, which programs and the Python package find in the folder first, and their room.
LIBRARIES = ["libHalfstep.so", "libHalfstepRuntime.so"]
CAPI = "lib/CAPI/"
#: The modules of the Python packages, which are not compiled.
PACKAGES = ("python-bindings/halfstep/", "python-bindings/runtime/halfstep_runtime/")
#: A test that takes so long with a mutant has noticed it: a loop that does not end.
TIMEOUT = 300


def is_gtest(test):
    """A test is PROGRAM:FILTER of a gtest program, or the path of a lit test under test/."""
    return ":" in test


class Build:
    """A build folder, and how it compiles and links."""

    def __init__(self, path):
        self.path = path.resolve()
        self.compiled = json.loads((self.path / "compile_commands.json").read_text())

    def output(self, program):
        if program in LIBRARIES:
            return f"lib/{(self.path / 'lib' / program).resolve().name}"
        return f"bin/{program}" if program in TOOLS else f"unit/{program}"

    @functools.cache
    def ask(self, question, program):
        return subprocess.run(["ninja", "-C", self.path, "-t", *question.split(), self.output(program)], check=True,
                              capture_output=True, text=True).stdout.splitlines()

    def link_command(self, program):
        line = [line for line in self.ask("commands -s", program) if " -o " in line][-1]
        return shlex.split(line.removeprefix(": && ").removesuffix(" && :"))

    def command_for(self, file, program):
        """How the file is compiled for a program, or nothing where it is no part of it."""
        inputs = set(self.ask("inputs", program))
        for entry in self.compiled:
            words = shlex.split(entry["command"])
            if pathlib.Path(entry["file"]) == ROOT / file and words[words.index("-o") + 1] in inputs:
                return words
        return None

    def compile(self, words, mutant, text, folder):
        """The mutant's object in `folder`, or what the compiler says."""
        source, overlay, target = folder / "mutant.cpp", folder / "overlay.json", folder / "mutant.o"
        source.write_text(text)
        overlay.write_text(json.dumps({"version": 0, "roots": [
            {"name": str(ROOT / mutant.file), "type": "file", "external-contents": str(source)}]}))
        words = list(words)
        while words[0].rpartition("/")[2] in ("ccache", "sccache"):
            words.pop(0)
        words[words.index("-o") + 1] = str(target)
        words[1:1] = ["-ivfsoverlay", str(overlay), "-w"]
        made = subprocess.run(words, cwd=self.path, capture_output=True, text=True)
        return made.stderr.strip() if made.returncode else ""

    def link(self, program, replaced, folder):
        """Links a program with the mutant in front of the libraries, so that theirs is not asked for, or says why not."""
        words, target = self.link_command(program), str(folder / "mutant.o")
        if replaced in words:
            words[words.index(replaced)] = target
        else:
            words.insert(words.index("-o"), target)
        # What is linked with a library asks for it by the name that the library says is its own.
        names = [word.partition("-soname,")[2] for word in words if "-soname," in word] or [program]
        words[words.index("-o") + 1] = str(folder / names[0])
        made = subprocess.run(words, cwd=self.path, capture_output=True, text=True)
        return made.stderr.strip() if made.returncode else ""

    def make(self, program, mutant, text, folder):
        """Puts a program with the mutant into `folder`, or says why there is none; one that has no such file is as it was."""
        words = self.command_for(mutant.file, program)
        if not words:
            if program not in LIBRARIES:
                (folder / program).symlink_to(self.path / self.output(program))
            return ""
        if not (folder / "mutant.o").exists() and (why := self.compile(words, mutant, text, folder)):
            return why
        return self.link(program, words[words.index("-o") + 1], folder)


def make_package(build, mutant, text, folder):
    """The packages of the build with the mutant in place of one module."""
    packages = build.path / "python"
    for entry in packages.rglob("*"):
        if "__pycache__" not in entry.parts and (entry.is_symlink() or not entry.is_dir()):
            own = folder / "python" / entry.relative_to(packages)
            own.parent.mkdir(parents=True, exist_ok=True)
            own.symlink_to(entry)
    package = next(pathlib.Path(one) for one in PACKAGES if mutant.file.startswith(one))
    own = folder / "python" / package.name / pathlib.Path(mutant.file).relative_to(package)
    own.unlink()
    own.write_text(text)


def libraries_of(file, test):
    """The libraries that a test may read a mutant of the file from: those of the C API, which are what the Python package loads."""
    return LIBRARIES if file.startswith(CAPI) or test.startswith("Python/") and not file.startswith(PACKAGES) else []


def programs_of(test):
    return [test.partition(":")[0]] if is_gtest(test) else TOOLS


def filter_of(test):
    """The filter of a gtest program; Suite.name is that test with every parameter."""
    names = test.partition(":")[2].split(":")
    return ":".join(name if "*" in name or "/" in name else f"{name}:*/{name}/*" for name in names)


def run_command(build, command, folder, seconds=TIMEOUT):
    """How a command ends, none where it and what it started had to be stopped, and what it says."""
    environment = {**os.environ, "HALFSTEP_COMPILE_CACHE": "off", "TMPDIR": str(folder), "LD_LIBRARY_PATH": str(folder)}
    process = subprocess.Popen(command, env=environment, cwd=build.path / "unit", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="replace", start_new_session=True)
    try:
        text, _ = process.communicate(timeout=seconds)
        return process.returncode, text
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return None, process.communicate()[0]


def lit_command(build, tests, folder, *flags):
    return ["lit-22", "-v", "--no-progress-bar", *flags, f"-Dtools={folder}", f"-Dpackage={folder / 'python'}",
            *(build.path / "test" / test for test in tests)]


def run_test(build, test, folder):
    """Whether a test passes with the programs of a folder, and what it says; None where it does not run."""
    command = [folder / test.partition(":")[0], f"--gtest_filter={filter_of(test)}"] if is_gtest(test) else lit_command(build, [test], folder)
    status, text = run_command(build, command, folder)
    if status is None:
        return False, "took too long"
    if status == 0 and not re.search(r"\[  PASSED  \] [1-9]|^ *Passed *: [1-9]", text, re.M):
        return None, text
    return status == 0, text
