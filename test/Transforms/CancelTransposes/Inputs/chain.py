"""A chain of steps that each add a value to a transpose of it, so that no order is better than another: chain.py STEPS RANK [round], of permutations that are drawn, or
of one that is its own inverse, there and back."""

import itertools
import random
import sys

steps, rank, there_and_back = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] == ["round"]
drawn = random.Random(1)
permutations = [list(order) for order in itertools.permutations(range(rank)) if list(order) != list(range(rank))]
tensor = "tensor<" + "4x" * rank + "f32>"
print(f"func.func @chain(%x: {tensor}) -> {tensor} {{\n  %v0 = mp.relu %x : {tensor}")
for step in range(steps):
    if there_and_back:
        permutation = [*range(rank - 2), rank - 1, rank - 2]
        print(f"  %t{step} = mp.transpose %v{step} permutation {permutation} : {tensor} -> {tensor}")
        print(f"  %v{step + 1} = mp.exp %t{step} : {tensor}")
    else:
        print(f"  %t{step} = mp.transpose %v{step} permutation {drawn.choice(permutations)} : {tensor} -> {tensor}")
        print(f"  %v{step + 1} = mp.add %t{step}, %v{step} : {tensor}, {tensor} -> {tensor}")
print(f"  return %v{steps} : {tensor}\n}}")
