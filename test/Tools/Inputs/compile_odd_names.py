"""Compiles a model under names, and with policies, that are not plain text, and prints what the executables say."""

import shutil
import subprocess
import sys

model, folder = map(str.encode, sys.argv[1:])


def compile_model(path, *flags):
    command = [b"mp-run", b"compile", path, b"-o", folder + b"/bytes.mpx", b"--training=false", b"--batch-size=1"]
    result = subprocess.run(command + list(flags), check=True, stdout=subprocess.PIPE)
    print(result.stdout.decode().split(", made by")[0])


with open(folder + b"/p\xe9.policy", "w", encoding="utf-8") as policy:
    policy.write("type: bf16\n")
shutil.copy(model, folder + b"/caf\xe9.mlir")
shutil.copy(model, folder + b"/x\xc2\x85y.mlir")
compile_model(folder + b"/caf\xe9.mlir", b"--policy=" + folder + b"/p\xe9.policy")
compile_model(folder + b"/x\xc2\x85y.mlir", b"--policy=float32")
compile_model(model, b"--policy=float32", b"--deny=loc:" + "\u00e9".encode() * 130)
compile_model(model, b"--policy=float32", b"--deny=loc:a" + "\u00e9".encode() * 130)
