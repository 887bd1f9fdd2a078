# The lit suite: one folder per room of lib/, plus Lint, Tools and Integration.
# Each test runs in the environment of the build that its lit.site.cfg.py names: `lit-22 build/dev/test/IR`.

import os
import pty
import shutil
import subprocess

import lit.formats
from lit.llvm.subst import ToolSubst

config.name = "Halfstep"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.mp_build_dir, "test")

# -Dtools=DIR: the programs to test are there, and so are the files that tests write; test/Mutants runs its own so.
tools = lit_config.params.get("tools", os.path.join(config.mp_build_dir, "bin"))
if "tools" in lit_config.params:
    config.test_exec_root = os.path.join(tools, "test")

# FileCheck, not, count and split-file have no version in their names there.
config.environment["PATH"] = os.pathsep.join(
    [tools, config.llvm_tools_dir, config.environment["PATH"]]
)

# What is tested is compiled, not found.
config.environment["HALFSTEP_COMPILE_CACHE"] = "off"

# But for folders whose tests compile the same layers again and again: there a run compiles each kernel once.
config.compile_cache = os.path.join(config.test_exec_root, "compile-cache")
shutil.rmtree(config.compile_cache, ignore_errors=True)

# Every test that runs mp-opt is a test of the parser and the printer, too.
config.substitutions.append((ToolSubst("mp-opt").regex, "mp-opt --verify-roundtrip"))
config.substitutions.append(("%{llvm_include}", config.llvm_include_dir))
config.substitutions.append(("%{source}", config.mp_source_dir))
config.substitutions.append(("%{build}", config.mp_build_dir))
config.substitutions.append(("%{python}", config.python_executable))

if config.sanitized:
    config.available_features.add("asan")
if subprocess.run([config.python_executable, "-c", "import torch"], capture_output=True).returncode == 0:
    config.available_features.add("pytorch")
mount = ["unshare", "--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
if shutil.which("unshare") and subprocess.run(mount, capture_output=True).returncode == 0:
    config.available_features.add("mount")
try:
    for end in pty.openpty():
        os.close(end)
    config.available_features.add("pty")
except OSError:  # no /dev/pts, as in a bare chroot
    pass
described = subprocess.run([os.path.join(config.mp_build_dir, "bin", "mp-exec-tiles"), "devices"], capture_output=True, text=True)
if "amx-fp16" in described.stdout:  # the processor's, or emulated
    config.available_features.add("tiles")
if "long" in lit_config.params:
    config.available_features.add("long")
