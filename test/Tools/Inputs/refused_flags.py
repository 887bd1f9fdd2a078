#!/usr/bin/python3
"""Checks that flags which would do nothing, or could not be followed, end the command at once, in one line that names them.

usage: refused_flags.py MODEL.mlir EXECUTABLE.mpx DATA FOLDER

MODEL is one that trains; nothing is ever compiled, for that comes after the flags.
"""

import subprocess
import sys

MODEL, EXECUTABLE, DATA, FOLDER = sys.argv[1:]
COMPILE = ["mp-run", "compile", MODEL, "-o", f"{FOLDER}/never.mpx"]
INFER = ["mp-run", "infer", MODEL]
TRAIN = ["mp-run", "train", MODEL, f"--data={DATA}"]
COMPARE = ["mp-run", "compare", MODEL, f"--data={DATA}", "--variants=float32"]
EXEC = ["mp-exec", "infer", EXECUTABLE]

NEEDS_GPU = "needs target nvptx or simt (device cuda or simt)"
NEEDS_DYNAMIC = "needs loss-scale=dynamic or auto; a scale that stays has only its number"
NEEDS_TILES = "needs a target whose level has tiles of bf16: cpu:amx-bf16 or cpu:amx-fp16"
NO_GPU = "--simulate: device cpu does not simulate a GPU; use --device=simt"
THREADS = "--threads=100000: expected at most 1024, 0 for all of the machine"
NOTHING_EXPECTED = "--tolerance: there is no --expected_output to compare with"
NO_FOLDER = f"{FOLDER}/none/f: folder does not exist: {FOLDER}/none"

# The flags after a verb, and the error.
CASES = [
    # A device that has no chips, simulates nothing, or runs other code.
    (COMPILE, ["--chip=sm_80"], f"--chip=sm_80: {NEEDS_GPU}"),
    (INFER, ["--chip=sm_80"], f"--chip=sm_80: {NEEDS_GPU}"),
    (TRAIN, ["--chip=sm_80"], f"--chip=sm_80: {NEEDS_GPU}"),
    (TRAIN, ["--device=reference", "--chip=sm_80"], f"--chip=sm_80: {NEEDS_GPU}"),
    (COMPARE, ["--chip=sm_80"], f"--variants: float32: chip=sm_80: {NEEDS_GPU}"),
    (COMPILE, ["--allow-tf32=true"], f"--allow-tf32=true: {NEEDS_GPU}"),
    (COMPILE, ["--allow-bf16x3=true"], f"--allow-bf16x3=true: {NEEDS_TILES}"),
    (COMPILE, ["--target=cpu:avx512bf16", "--allow-bf16x6=true"], f"--allow-bf16x6=true: {NEEDS_TILES}"),
    (COMPILE, ["--target=nvptx", "--chip=sm_80", "--allow-bf16x9=true"], f"--allow-bf16x9=true: {NEEDS_TILES}"),
    (COMPILE, ["--target=cpu:amx-bf16", "--allow-bf16x3=true", "--allow-bf16x9=true"],
     "--allow-bf16x9=true: allow-bf16x3=true is given, too; expected one of the two"),
    (COMPILE, ["--fallback=float32"], f"--fallback=float32: {NEEDS_GPU}"),
    (COMPILE, ["--target=cpu:avx2,nvptx"], "--target=cpu:avx2,nvptx: nvptx needs a chip: chip=sm_70|sm_75|sm_80|sm_86|sm_89|sm_90|sm_90a|sm_100a"),
    *((COMPILE, [f"--target={targets}", *chip, "--policy=auto"],
       "--policy=auto: what ops take on a GPU is not modelled; name a policy, such as mixed_float16")
      for targets in ("nvptx", "cpu,nvptx", "simt,cpu") for chip in ([], ["--chip=sm_80"])),
    (COMPILE, ["--target=nvptx", "--chip=sm_80", "--tuning=f"], "--tuning=f: is of CPUs; what ops take on a GPU is not modelled"),
    (INFER, ["--policy=float32", "--tuning=f"],
     "--tuning=f: needs policy=auto or rule=cost; other types do not depend on rates"),
    (COMPILE, ["--target=nvptx", "--chip=sm_80", "--report-accesses=true"], "--report-accesses=true: needs target simt"),
    (INFER, ["--simulate=races"], NO_GPU),
    (TRAIN, ["--simulate=seed=3"], NO_GPU),
    (COMPARE, ["--simulate=hardware-like"], NO_GPU),
    (EXEC, ["--simulate=checks"], NO_GPU),
    (TRAIN, ["--device=simt", "--target=cpu"], "--target=cpu: device simt runs code for simt alone; leave --target out"),
    (INFER, ["--target=cpu,reference"], "--target=cpu,reference: device cpu runs code for cpu alone; leave --target out"),
    # Numbers of a scaler that scales nothing, or not so; of another optimizer; of a check that is left out.
    (COMPILE, ["--loss-scale=none:init-scale=8"], f"--init-scale=8: {NEEDS_DYNAMIC}"),
    (COMPILE, ["--loss-scale=8", "--floor=2"], f"--floor=2: {NEEDS_DYNAMIC}"),
    (COMPILE, ["--ceiling=2", "--loss-scale=8"], f"--ceiling=2: {NEEDS_DYNAMIC}"),
    (COMPARE[:-1], ["--variants=float32,mixed_float16:loss-scale=none:hysteresis=2"],
     f"--variants: mixed_float16:loss-scale=none:hysteresis=2: hysteresis=2: {NEEDS_DYNAMIC}"),
    (COMPILE, ["--loss-scale=none", "--no-finite-check=true", "--skip-limit=3"],
     "--skip-limit=3: needs the finite check, which no-finite-check leaves out"),
    (COMPILE, ["--optimizer=sgd:beta1=0.5"], 
     "--beta1=0.5: is of adam, adamw, nadam, lamb and lion; sgd and rmsprop have momentum"),
    (COMPILE, ["--momentum=0.5"], "--momentum=0.5: is of sgd and rmsprop; Adam has beta1"),
    (COMPILE, ["--optimizer=rmsprop:beta2=0.5"],
     "--beta2=0.5: is of adam, adamw, nadam, lamb and lion; rmsprop has alpha"),
    (COMPILE, ["--optimizer=lion", "--epsilon=1e-3"],
     "--epsilon=1e-3: is of optimizers that divide by a root: not sgd, not lion"),
    (COMPILE, ["--alpha=0.9"], "--alpha=0.9: is of rmsprop; Adam has beta2"),
    (COMPILE, ["--optimizer=adam:momentum-decay=0.1"], "--momentum-decay=0.1: is of nadam"),
    (TRAIN, ["--clip-value=1", "--clip-parameter-norm=2"],
     "--clip-value=1: clip-parameter-norm=2 is given, too; expected one of the two"),
    # Numbers with which no scaler works.
    (COMPILE, ["--loss-scale=dynamic:init-scale=0.5"], "--init-scale=0.5: expected at least the floor, 1"),
    (TRAIN, ["--loss-scale=dynamic:ceiling=1024"], "--init-scale=65536: expected at most the ceiling, 1024"),
    (COMPARE, ["--growth-factor=1"],
     "--variants: float32: growth-factor=1: expected a finite number greater than 1"),
    (COMPILE, ["--backoff-factor=1"], "--backoff-factor=1: expected a number between 0 and 1"),
    # Lists that name nothing, and names that nothing has.
    (COMPILE, ["--deny=loc:"],
     "--deny=loc:: 'loc:' is a pattern that no location matches; expected loc:PATTERN, as in loc:encoder/*"),
    (COMPILE, ["--deny=,"], "--deny=,: expected ops, as in mp.add,mp.mul"),
    (COMPILE, ["--deny=mp.rleu"], "--deny=mp.rleu: 'mp.rleu' is not an op; did you mean 'mp.relu'?"),
    (COMPARE[:-1], ["--variants=:pad=true"], "--variants: policy=: expected a value"),
    # Changes and arrays that there are not.
    (TRAIN, ["--augment=flop"],
     "--augment=flop: unknown word 'flop'; expected flip, crop:PIXELS or cutout:PIXELS; did you mean 'flip'?"),
    (COMPARE, ["--augment=crop:0"], "--augment=crop:0: 'crop:0' has no number of pixels of at least 1, as in crop:4"),
    (TRAIN[:-1], ["--data=f.npz:labels=a"], "--data: f.npz: unknown setting 'labels'; expected one of x, y, x_test, y_test"),
    (TRAIN, ["--test-data=f.npz:x_test"], "--test-data: f.npz: 'x_test' needs the name of an array, as in x_test=x_test"),
    # What there is to compare, or where to write.
    (INFER, ["--tolerance=1"], NOTHING_EXPECTED),
    (EXEC, ["--tolerance=1,1"], NOTHING_EXPECTED),
    (INFER, [f"--output=logits=@{FOLDER}/none/f"], f"--output=logits: {NO_FOLDER}"),
    (COMPILE[:-2], ["-o", f"{FOLDER}/none/f"], f"-o: {NO_FOLDER}"),
    (COMPILE[:-2], ["-o", FOLDER], f"-o: {FOLDER}: is a folder, expected a file"),
    (COMPARE, [f"--json={FOLDER}/none/f"], f"--json: {NO_FOLDER}"),
    (TRAIN, [f"--log={FOLDER}/none/f"], f"--log: {NO_FOLDER}"),
    (["mp-exec", "benchmark", EXECUTABLE], [f"--json={FOLDER}/none/f"], f"--json: {NO_FOLDER}"),
    (COMPARE[:-1], ["--plan-out=f", "--variants=float32,pytorch"],
     "--plan-out=f: one variant's plan would replace another's; give it to a variant, as in float32:plan-out=F"),
    (["mp-run", "compare", EXECUTABLE, f"--data={DATA}"], [],
     f"compare compiles a model for each variant, but {EXECUTABLE} is compiled already"),
    # More threads than a machine has.
    (INFER, ["--threads=100000"], THREADS),
    (TRAIN, ["--threads=100000"], THREADS),
    (COMPARE, ["--threads=100000"], THREADS),
    (EXEC, ["--threads=100000"], THREADS),
]


def main():
    wrong = 0
    for command, flags, message in CASES:
        done = subprocess.run(command + flags, capture_output=True, text=True)
        expected = f"{command[0]}: error: {message}\n"
        if done.returncode != 1 or done.stdout or done.stderr != expected:
            wrong += 1
            print(f"{' '.join(command + flags)}\n  expected: {expected}  found {done.returncode}: {done.stdout}{done.stderr}")
    print(f"{len(CASES)} command lines, {wrong} of them not refused as they should be")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
