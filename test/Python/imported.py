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
assert not {"halfstep._compiler", "halfstep._training", "halfstep.nn", "onnx", "torch", "ml_dtypes"} & set(loaded), loaded

# A copy whose libraries need others of a version that is not there.
for library, wanted, package, code in (("libHalfstepRuntime", "libtbb.so.12", "libtbb12", "import halfstep"),
                                       ("libHalfstepRuntime", "libxxhash.so.0", "libxxhash0", "import halfstep"),
                                       ("libHalfstep", "libMLIR.so.22.1", "libmlir-22", "import halfstep; halfstep.compile('func.func')"),
                                       ("libHalfstep", "libLLVM.so.22.1", "libllvm22", "from halfstep import nn; nn.Sequential(nn.Input((2,)), nn.Dense(2)).to_mlir()"),
                                       ("libHalfstep", "libMLIR.so.22.1", "libmlir-22", "import halfstep; halfstep.compare")):
    copy = folder / "copy" / "halfstep"
    shutil.rmtree(copy.parent, ignore_errors=True)
    shutil.copytree(own, copy, ignore=shutil.ignore_patterns("bin", "__pycache__"))
    for one in (own.parent.parent / "lib").glob("libHalfstep*.so.*"):
        shutil.copy(one, copy / one.name)
    missing = wanted[:-1] + "9"
    for one in copy.glob(f"{library}.so.*"):
        one.write_bytes(one.read_bytes().replace(wanted.encode() + b"\0", missing.encode() + b"\0"))
    result = run(code, copy.parent)
    said = f"ImportError: halfstep needs {missing}, which is not here: Debian's package {package} has it; all that it needs comes by: apt-get install "
    assert result.returncode == 1 and said in result.stderr, (library, result.stderr)
    if library == "libHalfstep":  # who only runs what is compiled does without
        assert run("import halfstep; halfstep.devices()", copy.parent).returncode == 0
