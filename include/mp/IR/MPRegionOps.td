// Ops that hold ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_REGION_OPS_TD
#define MP_REGION_OPS_TD

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mp/IR/MPBase.td"

def MP_AutocastOp : MP_Op<"autocast", MP_Fixed, MP_NotDifferentiable, MP_RoleNone,
    [SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects,
     DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getRegionInvocationBounds"]>]> {
  let scaling = [];
  let rows = MP_EachRow;
  let summary = "a region that autocast treats in its own way";
  let description = [{
    Inside the region autocast is on with low type `type` (the policy's where it is left out) or, with
    `enabled = false`, off; regions nest and the innermost wins. Values of outside are visible. `mp-autocast` inlines
    the region; it means nothing else. Source: `torch.autocast`.

    Constraints:
    - (C1) `type` is f16, bf16 or f32.
    - (C2) The yielded values have the types of the results.

    Example:

    ```mlir
    %r = mp.autocast enabled = false -> (tensor<4x8xf32>) {
      %e = mp.relu %x : tensor<4x8xf32>
      mp.yield %e : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins DefaultValuedAttr<BoolAttr, "true">:$enabled, OptionalAttr<TypeAttr>:$type);
  let results = (outs Variadic<MP_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`enabled` `=` $enabled^)? (`type` `=` $type^)? (`->` `(` type($results)^ `)`)? $body attr-dict-with-keyword
  }];
  let hasVerifier = 1;
}

def MP_YieldOp : MP_Op<"yield", MP_Fixed, MP_NotDifferentiable, MP_RoleNone,
    [Pure, Terminator, ReturnLike, ParentOneOf<["AutocastOp", "KernelOp"]>]> {
  let scaling = [MP_Term];
  let rows = MP_EachRow;
  let summary = "the results of a region";
  let description = [{
    Example:

    ```mlir
    %r = mp.autocast type = bf16 -> (tensor<4x8xf32>) {
      mp.yield %x : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<MP_Tensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

#endif // MP_REGION_OPS_TD
