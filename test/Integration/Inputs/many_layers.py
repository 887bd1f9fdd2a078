#!/usr/bin/python3
"""Prints a perceptron of many dense layers with biases.

usage: many_layers.py LAYERS WIDTH...

The widths are taken in turn. The last layer has 10 columns.
"""

import sys


def main():
    layers, widths = int(sys.argv[1]), [int(width) for width in sys.argv[2:]]
    sizes = [784] + [widths[i % len(widths)] for i in range(layers - 1)] + [10]
    parameters, body = [], []
    value = "%image"
    for i, (rows, columns) in enumerate(zip(sizes, sizes[1:])):
        parameters.append(
            f'%w{i}: tensor<{rows}x{columns}xf32> {{mp.parameter = "dense{i}.kernel", '
            f"mp.initializer = #mp.glorot_uniform<seed = {i}>}},\n"
            f'    %b{i}: tensor<{columns}xf32> {{mp.parameter = "dense{i}.bias", mp.initializer = #mp.constant<0.125>}}'
        )
        types = f"tensor<?x{rows}xf32>, tensor<{rows}x{columns}xf32> -> tensor<?x{columns}xf32>"
        body.append(f"%z{i} = mp.matmul {value}, %w{i} bias %b{i} : tensor<{columns}xf32> acc f32 : {types}")
        value = f"%z{i}"
        if columns != 10:
            body.append(f"%h{i} = mp.relu %z{i} : tensor<?x{columns}xf32>")
            value = f"%h{i}"
    signature = ",\n    ".join(
        ['%x: tensor<?x784xui8> {mp.input = "x"}, %y: tensor<?xui8> {mp.input = "y"}', *parameters]
    )
    statements = "\n  ".join(body)
    print(
        f"""func.func @many_layers(
    {signature})
    -> (tensor<f32> {{mp.loss}}, tensor<?x10xf32> {{mp.output = "logits"}})
    attributes {{mp.program = "model"}} {{
  %pixels = mp.cast %x : tensor<?x784xui8> -> tensor<?x784xf32>
  %scale = mp.constant dense<0.00392156886> : tensor<f32>
  %image = mp.mul %pixels, %scale : tensor<?x784xf32>, tensor<f32> -> tensor<?x784xf32>
  {statements}
  %loss = mp.softmax_cross_entropy {value}, %y : tensor<?x10xf32>, tensor<?xui8> -> tensor<f32>
  return %loss, {value} : tensor<f32>, tensor<?x10xf32>
}}"""
    )


if __name__ == "__main__":
    main()
