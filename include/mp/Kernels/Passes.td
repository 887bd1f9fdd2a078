//===- Passes.td - from programs to kernels with a schedule and places ---------------------------------*- tablegen -*-===//
//
// In the order in which the pipeline runs them (docs/kernels.md).
//===------------------------------------------------------------------------------------------------------------------===//

#ifndef MP_KERNELS_PASSES_TD
#define MP_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def DecomposePass : Pass<"mp-decompose", "::mlir::func::FuncOp"> {
  let summary = "replace composite ops by what kernels hold";
  let description = [{
    Losses, unscaling, finite checks, norms and clipping become rows, maps, partial results and scalars. Nothing but this
    pass knows how. The operand `like`, of which only the shape was read, is dropped.

    Needs static shapes (`mp-specialize`) and no region ops (`mp-autocast`); else it names the op and the pass.

    Example:

    ```mlir
    %l = mp.softmax_cross_entropy %z, %y : tensor<4x10xf16>, tensor<4xui8> -> tensor<f32>
    // becomes
    %r = mp.softmax_cross_entropy_rows %z, %y : tensor<4x10xf16>, tensor<4xui8> -> tensor<4xf32>
    %l = mp.reduce_mean %r dimensions [0] : tensor<4xf32> -> tensor<f32>
    ```
  }];
  let dependentDialects = ["::mp::MPDialect"];
}

def FormKernelsPass : Pass<"mp-form-kernels", "::mlir::func::FuncOp"> {
  let summary = "gather the ops of a program into kernels";
  let description = [{
    Every op moves into an `mp.kernel`: elementwise chains into the kernel of their producer or consumer, a contraction
    with its epilogue and the casts of its operands, a reduction with what feeds it. Kernels of one kind that do not
    depend on each other become one: column sums, finite checks, optimizer updates, scalars, and the rows of one tensor.
    Values that are cheap to compute again (casts, splat constants, iota) are computed in each kernel that reads them. A
    reshape stays outside as a view, and a constant that is no splat as data.

    No value changes: a kernel's body holds the same ops on the same types. Depends on no target.

    Needs `mp-decompose`. A remark tells how many kernels there are.

    Example:

    ```mlir
    %h = mp.matmul %x, %w acc f32 : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
    %r = mp.relu %h : tensor<4x2xf32>
    // becomes
    %r = mp.kernel "matmul_0" (%a = %x, %b = %w) : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32> {
      %0 = mp.matmul %a, %b acc f32 : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
      %1 = mp.relu %0 : tensor<4x2xf32>
      mp.yield %1 : tensor<4x2xf32>
    }
    ```
  }];
  let dependentDialects = ["::mp::MPDialect"];
}

#endif // MP_KERNELS_PASSES_TD
