"""run_programs.py EXECUTABLE DEVICE SEED ROWS RESULTS: runs every program of an executable on random inputs, and keeps
the bytes of what they give and of the state after them, by name, in the order in which they come.

Programs that train run three times, and state of random numbers goes on from one to the next: the first time with the
loss scale of the executable, which may skip the step, after that from a loss scale of 1, so that updates are seen.
"""

import pickle
import re
import sys
import zlib

import halfstep
import numpy
from halfstep_runtime._arrays import DTYPES, bfloat16

ROUNDS = 3
#: In the order of a step; an executable has the first, or all where it accumulates.
TRAINING = ("train_step", "accumulate", "accumulate", "apply")


def random_input(executable, value, rows, random):
    """Floats of the normal distribution, weights of rows above 0, integers below the classes or what the name says."""
    shape = [rows if size is None else size for size in value.shape]
    if value.role == "row_weights":
        return random.uniform(0.5, 1.5, shape).astype("float32")
    if value.element in ("f16", "bf16", "f32", "f64"):
        return random.standard_normal(shape).astype(bfloat16() if value.element == "bf16" else DTYPES[value.element])
    below = re.search(r"_below_(\d+)$", value.name)
    classes = executable._handle.text(f"classes:{value.name}") or (below and below[1])
    limit = int(classes) if classes else {"i1": 2, "ui8": 256}.get(value.element, 16)
    return random.integers(0, limit, shape).astype(DTYPES[value.element])


def all_results(executable, session, seed, rows):
    def run(program, turn):
        random = numpy.random.default_rng([seed, turn, zlib.crc32(program.encode())])
        inputs = {name: random_input(executable, value, rows, random)
                  for name, value in executable.programs[program].inputs.items()}
        for name, array in session.run(program, inputs).items():
            yield f"{name} of {program}" + f" {turn}" * bool(turn), array

    programs = executable.programs
    turn = 0
    for once in range(ROUNDS):
        for program in TRAINING:
            if program in programs:
                turn += 1
                yield from run(program, turn)
        if once == 0 and turn and "loss_scale" in session.state:
            session.state["loss_scale"] = numpy.float32(1)
    for program in programs:
        if program not in (*TRAINING, "derive"):
            yield from run(program, 0)
    for name, value in executable.state.items():
        if value.role != "derived":
            yield f"state {name}", session.state[name]


def main():
    file, device, seed, rows, results = sys.argv[1:]
    executable = halfstep.Executable.load(file)
    with halfstep.Session(executable, device=device) as session:
        session.initialize(int(seed))
        arrays = dict(all_results(executable, session, int(seed), int(rows)))
        floats = [array for name, array in arrays.items() if "float" in array.dtype.name and not name.startswith("state ")]
        if floats and not any(numpy.isfinite(array).any() for array in floats):
            sys.exit("no result is finite, so that they show nothing")
        found = {name: (array.dtype.name, array.shape, array.tobytes()) for name, array in arrays.items()}
    with open(results, "wb") as out:
        pickle.dump(found, out)


if __name__ == "__main__":
    try:
        main()
    except halfstep.Error as error:
        sys.exit(str(error))
