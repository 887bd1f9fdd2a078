//===- Passes.td - passes from mp programs to mp programs ----------------------------------------------*- tablegen -*-===//
//
// In the order in which a training job runs them (docs/IR.md).
//===------------------------------------------------------------------------------------------------------------------===//

#ifndef MP_TRANSFORMS_PASSES_TD
#define MP_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SpecializePass : Pass<"mp-specialize", "::mlir::ModuleOp"> {
  let summary = "give the open batch size a value";
  let description = [{
    Replaces `?` by `batch` in the inputs of every program and infers every other size from them. Afterwards every shape
    in every program is static; an op whose result stays open is named in an error. A function gets `mp.batch`, and each
    argument and result whose first size was open gets `mp.batched`. A program that already has this `mp.batch` is left
    alone; one that has another is an error.

    With `pad` every model takes an argument `mp.row_weights` (a weight for each row: 1, or 0 where the row only fills up
    the batch), and each op that combines rows weighs them by it. An op that combines rows and takes no weights is named
    in an error. Without `pad` such ops are only marked `mp.combines_rows`, for the programs that pad later.

    Example, `mp-specialize{batch=64}`:

    ```mlir
    func.func @model(%x: tensor<?x4xf32> {mp.input = "x"}) -> (tensor<?x4xf32> {mp.output = "y"}) attributes {mp.program = "model"} {
      %y = mp.relu %x : tensor<?x4xf32>
      return %y : tensor<?x4xf32>
    }
    // becomes
    func.func @model(%x: tensor<64x4xf32> {mp.batched, mp.input = "x"}) -> (tensor<64x4xf32> {mp.batched, mp.output = "y"})
        attributes {mp.batch = 64 : i64, mp.program = "model"} {
      %y = mp.relu %x : tensor<64x4xf32>
      return %y : tensor<64x4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mp::MPDialect"];
  let options = [
    Option<"batch", "batch", "int64_t", "0", "The number of rows, at least 1">,
    Option<"pad", "pad", "bool", "false", "Weigh rows in models, so that a batch may hold rows that only fill it up">,
  ];
}

def AutodiffPass : Pass<"mp-autodiff", "::mlir::ModuleOp"> {
  let summary = "turn a model into a training step that has gradients";
  let description = [{
    Each `model` becomes a `train_step`: its outputs are dropped, and for every parameter that the loss depends on there
    is a result `{mp.gradient = NAME}`, the derivative of the loss in it, of its type. A parameter that the loss does not
    depend on gets a warning where it is declared, and no gradient.

    Reverse mode, one rule per op (`DerivativeOpInterface`). Backward ops have the types of their forward ops. The
    contributions to one value are summed once, that of the last user first. What neither a gradient nor another result
    needs is erased. Linear in the number of ops.

    Needs static shapes (mp-specialize). An op that has no derivative is an error where a gradient would have to pass it.
    A region that runs once, as that of an `mp.autocast` where mp-autocast has not run, is opened, with a warning: its ops
    keep their types. Any other region is an error.

    Example:

    ```mlir
    func.func @model(%x: tensor<4x8xf32> {mp.input = "x"}, %w: tensor<8xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
        -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
      %y = mp.mul %x, %w : tensor<4x8xf32>, tensor<8xf32> -> tensor<4x8xf32>
      %l = mp.reduce_sum %y dimensions [0, 1] : tensor<4x8xf32> -> tensor<f32>
      return %l : tensor<f32>
    }
    // becomes
    func.func @train_step(%x: tensor<4x8xf32> {mp.input = "x"}, %w: tensor<8xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
        -> (tensor<f32> {mp.loss}, tensor<8xf32> {mp.gradient = "w"}) attributes {mp.program = "train_step"} {
      %y = mp.mul %x, %w : tensor<4x8xf32>, tensor<8xf32> -> tensor<4x8xf32>
      %l = mp.reduce_sum %y dimensions [0, 1] : tensor<4x8xf32> -> tensor<f32>
      %one = mp.gradient_seed : tensor<f32>
      %r = mp.reshape %one : tensor<f32> -> tensor<1x1xf32>
      %gy = mp.broadcast %r : tensor<1x1xf32> -> tensor<4x8xf32>
      %p = mp.mul %gy, %x : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
      %gw = mp.reduce_sum %p dimensions [0] : tensor<4x8xf32> -> tensor<8xf32>
      return %l, %gw : tensor<f32>, tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mp::MPDialect"];
}

#endif // MP_TRANSFORMS_PASSES_TD
