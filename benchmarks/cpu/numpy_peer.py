"""What NumPy multiplies, the peer where there is no other."""

import numpy


def product(program, transposes):
    """The action that multiplies our inputs, and what it gives."""
    a, b = (numpy.from_dlpack(program.tensor(name)) for name in "ab")
    a, b = a.T if transposes[0] else a, b.T if transposes[1] else b
    return lambda: a @ b


def check(program, action):
    ours, theirs = numpy.from_dlpack(program.tensor("p")), action()
    difference, allowed = abs(ours - theirs).max(), 1e-4 * abs(theirs).max()
    if not difference <= allowed:
        raise ValueError(f"a result differs by {difference:.3g} from NumPy's, allowed is {allowed:.3g}")
