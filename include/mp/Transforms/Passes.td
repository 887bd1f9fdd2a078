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

#endif // MP_TRANSFORMS_PASSES_TD
