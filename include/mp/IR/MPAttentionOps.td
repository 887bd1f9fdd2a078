// Attention.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_ATTENTION_OPS_TD
#define MP_ATTENTION_OPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "mp/IR/MPBase.td"

// i1, or added in the type of sums.
def MP_MaskTensor : RankedTensorOf<[I1, F16, BF16, F32, F64]>;

class MP_AnyAttentionOp<string mnemonic, I32EnumCase derivative, list<Trait> traits>
    : MP_Op<mnemonic, MP_Allow, derivative, MP_RoleAttention,
        [Pure, AttrSizedOperandSegments, MP_InferredTypes, AllElementTypesMatch<["query", "key", "value"]>,
         DeclareOpInterfaceMethods<MP_RandomOpInterface>] # traits> {
  let rows = MP_EachRow;
  let listedAs = "scaled_dot_product_attention / flash / MHA";
  let extraClassDeclaration = [{
    /// The sizes, which are static.
    ::mp::AttentionSizes getSizes();
    /// What products of queries and keys are multiplied by.
    double getFactor();
    int64_t getOperationsPerElement();
    /// A query meets every key, and a kernel walks the keys in its own order: all operands lie in memory.
    bool readsWhole(::mlir::OpOperand &) { return true; }
  }];
  let hasVerifier = 1;
}

def MP_AttentionOp : MP_AnyAttentionOp<"attention", MP_Differentiable,
    [DeclareOpInterfaceMethods<MP_PrecisionOpInterface, ["operandFollows", "resultFollows"]>]> {
  // The result is a multiple of the values, but lse is not.
  let scaling = [MP_Nonlinear, MP_Nonlinear, MP_Nonlinear, MP_Nonlinear, MP_Independent];
  let summary = "softmax of scaled and masked products of queries and keys, times values";
  let description = [{
    For each query t of a head h, with the keys and values of head `h / (H / G)`:

        s[j] = scale * sum_c query[t, c] * key[j, c] + mask[t, j]
        p[j] = exp(s[j] - max(s))
        result[t] = sum_j p[j] * value[j] / sum_j p[j]
        lse[t] = log(sum_j p[j]) + max(s)

    Scores s, the sum of p, that of p * value and `lse` are in f32 (f64 for f64), whatever the operands are. p is rounded to
    their type where it is multiplied by values, since units for products take both factors in one type; its sum has it
    unrounded. A kernel that walks the keys in blocks has the maximum of the keys so far in place of max(s), and multiplies by
    what the maximum rose by at last. `result` is rounded once. `scale` is `1 / sqrt(d)` where it is not given.

    A mask of i1 keeps what is true: elsewhere s is -inf. Another mask is added, in f32, so that -1e9 is as good in f16 as it is
    in f32. With `causal` query t has the keys up to t. A query that has no key at all, since there are none or since each of its s is -inf,
    has a result of 0, an `lse` of -inf, and gradients of 0.

    With `rng` p is multiplied by 0, or by `f32(1 / (1 - rate))`, before it is rounded: by what `mp.dropout` of this `rng`,
    `rate` and `stream` would do to elements of [B, H, T, S]. The sum of p is that of all keys. Source: Vaswani et al. 2017;
    Dao et al. 2022 and 2023 for the form in blocks and the gradient from `lse`; as `torch.nn.functional.scaled_dot_product_attention`.

    Constraints:
    - (C1) `query`, `key` and `value` have one element type.
    - (C2) `query` is [B, H, T, d], `key` [B, G, S, d] and `value` [B, G, S, e], with no open size but B; G divides H, and d and e
      are at least 1.
    - (C3) `mask` is i1, or a float that is no wider than scores, and broadcasts to [B, H, T, S].
    - (C4) `causal` needs as many queries as keys: which key is a query's own a mask says elsewhere.
    - (C5) `rate` is at least 0 and less than 1, `stream` at least 0, and `rng` is given if and only if `rate` is not 0.
    - (C6) `scale` is finite.

    Example:

    ```mlir
    %y, %lse = mp.attention %q, %k, %v causal : tensor<2x4x8x16xf16>, tensor<2x2x8x16xf16>, tensor<2x2x8x16xf16>
    %z, %zlse = mp.attention %q, %k, %v mask %m : tensor<8x8xi1> rng %rng {rate = 0.1 : f64, stream = 1 : i64} : tensor<2x4x8x16xf16>, tensor<2x2x8x16xf16>, tensor<2x2x8x16xf16>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$query, MP_FloatTensor:$key, MP_FloatTensor:$value, Optional<MP_MaskTensor>:$mask,
                       Optional<MP_Rng>:$rng, UnitAttr:$causal, OptionalAttr<MP_WideAttr>:$scale,
                       DefaultValuedAttr<MP_WideAttr, "0.0">:$rate, DefaultValuedAttr<I64Attr, "0">:$stream);
  let results = (outs MP_FloatTensor:$result, MP_FloatTensor:$lse);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`causal` $causal^)? (`mask` $mask^ `:` type($mask))? (`rng` $rng^)? attr-dict
    `:` type($query) `,` type($key) `,` type($value)
  }];
}

def MP_AttentionGradOp : MP_AnyAttentionOp<"attention_grad", MP_NotDifferentiable,
    [AllTypesMatch<["lse", "delta"]>,
     DeclareOpInterfaceMethods<MP_PrecisionOpInterface, ["operandFollows"]>]> {
  let scaling = [MP_Nonlinear, MP_Nonlinear, MP_Nonlinear, MP_Nonlinear, MP_Term, MP_Term, MP_Nonlinear, MP_Independent];
  let summary = "gradients of mp.attention in queries, keys and values";
  let description = [{
    With the s of `mp.attention`, computed again, g the gradient of its result, and D = `delta`, the sum of g * result over
    each query less the gradient of its `lse`:

        p[t, j] = exp(s[t, j] - lse[t])
        value_gradient[j] = sum_t p[t, j] * g[t]
        gs[t, j] = scale * p[t, j] * (sum_c g[t, c] * value[j, c] - D[t])
        query_gradient[t] = sum_j gs[t, j] * key[j]
        key_gradient[j] = sum_t gs[t, j] * query[t]

    the last two sums over all heads that share the key. All in f32 (f64 for f64), but p and gs are rounded to the operands'
    type where they are multiplied; each result is rounded once. With `rng` the p of `value_gradient` and the sum in gs are
    multiplied as p is in `mp.attention`. Where `lse` is -inf p is 0. Nothing that is as long as queries times keys has to be kept.

    Constraints as `mp.attention`, and:
    - (C7) `gradient` has the type of `mp.attention`'s result, `lse` and `delta` that of its `lse`.

    Example:

    ```mlir
    %gq, %gk, %gv = mp.attention_grad %q, %k, %v, %lse, %g, %delta causal : tensor<2x4x8x16xf16>, tensor<2x2x8x16xf16>, tensor<2x2x8x16xf16>, tensor<2x4x8xf32>, tensor<2x4x8x16xf16>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$query, MP_FloatTensor:$key, MP_FloatTensor:$value, MP_FloatTensor:$lse,
                       MP_FloatTensor:$gradient, MP_FloatTensor:$delta, Optional<MP_MaskTensor>:$mask,
                       Optional<MP_Rng>:$rng, UnitAttr:$causal, OptionalAttr<MP_WideAttr>:$scale,
                       DefaultValuedAttr<MP_WideAttr, "0.0">:$rate, DefaultValuedAttr<I64Attr, "0">:$stream);
  let results = (outs MP_FloatTensor:$query_gradient, MP_FloatTensor:$key_gradient, MP_FloatTensor:$value_gradient);
  let assemblyFormat = [{
    $query `,` $key `,` $value `,` $lse `,` $gradient `,` $delta (`causal` $causal^)? (`mask` $mask^ `:` type($mask))?
    (`rng` $rng^)? attr-dict
    `:` type($query) `,` type($key) `,` type($value) `,` type($lse) `,` type($gradient)
  }];
}

#endif // MP_ATTENTION_OPS_TD
