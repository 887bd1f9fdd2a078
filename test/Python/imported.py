"""`import halfstep` is fast, loads what only runs needs alone, and says by its package which library is missing.

RUN: rm -rf %t && mkdir %t
RUN: %{python} -W error %s %t
"""

import os
import resource
import pathlib
import shutil
import subprocess
import sys

import halfstep

folder = pathlib.Path(sys.argv[1])
own = pathlib.Path(halfstep.__file__).parent


def run(code, path=own.parent):
    return subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(path), "LD_LIBRARY_PATH": str(path / "halfstep")}, capture_output=True, text=True)


def seconds(code):
    """Of the processor, the least of some runs: others use this machine, too."""
    times = []
    for _ in range(7):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run(code).check_returncode()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


took = seconds("import halfstep") - seconds("")
assert took < 0.2, f"import halfstep takes {took:.2f} s"
loaded = run("import halfstep, sys; print(*sys.modules)").stdout.split()
assert {name.split(".")[1] for name in loaded if name.startswith("halfstep.")} == {"_version", "compiler"}, loaded
assert not {"onnx", "torch", "ml_dtypes"} & set(loaded), loaded



def copy_packages():
    """Both packages and their libraries in a folder of their own."""
    to = folder / "copy"
    shutil.rmtree(to, ignore_errors=True)
    for package in ("halfstep", "halfstep_runtime"):
        shutil.copytree(own.parent / package, to / package, ignore=shutil.ignore_patterns("bin", "__pycache__"))
    (to / "halfstep_runtime" / "lib").mkdir()
    for library, place in (("libHalfstepRuntime", "halfstep_runtime/lib"), ("libHalfstep", "halfstep")):
        for one in (own.parent.parent / "lib").glob(f"{library}.so.*"):
            shutil.copy(one, to / place / one.name)
    return to


# A system whose glibc is older than what a library was linked with.
copy = copy_packages()
for one in (copy / "halfstep_runtime").glob("_runtime.*.so"):
    one.write_bytes(one.read_bytes().replace(b"GLIBC_2.14\0", b"GLIBC_9.14\0"))
result = run("import halfstep", copy)
assert result.returncode == 1 and "ImportError: Halfstep needs glibc 9.14 or newer, as Debian 12, Ubuntu 22.04 and RHEL 9 have it; this system has glibc 2." in result.stderr, result.stderr

# Another version of the runtime, and none.
copy = copy_packages()
version = run("import halfstep; print(halfstep.__version__)", copy).stdout.strip()
(copy / "halfstep" / "_version.py").unlink()
(copy / "halfstep" / "_version.py").write_text('__version__ = "9.9.9"\n')
result = run("import halfstep", copy)
said = f"ImportError: halfstep 9.9.9 needs halfstep-runtime 9.9.9, and {version} is here: pip install halfstep-runtime==9.9.9"
assert result.returncode == 1 and said in result.stderr, result.stderr
shutil.rmtree(copy / "halfstep_runtime")
result = run("import halfstep", copy)
said = "ImportError: halfstep 9.9.9 needs the package halfstep-runtime 9.9.9, which is not here: pip install halfstep-runtime==9.9.9"
assert result.returncode == 1 and said in result.stderr, result.stderr

# Who only runs what is compiled does without the compiler's package.
copy = copy_packages()
shutil.rmtree(copy / "halfstep")
result = run("import halfstep_runtime; print(halfstep_runtime.devices(), halfstep_runtime.__version__)", copy)
assert result.returncode == 0 and version in result.stdout, result.stderr
