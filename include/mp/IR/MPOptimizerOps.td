// How gradients are limited and what they do to parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 on f32 parameters, each operation rounded as the descriptions state them.

#ifndef MP_OPTIMIZER_OPS_TD
#define MP_OPTIMIZER_OPS_TD

include "mp/IR/MPTrainingOps.td"

def MP_ClipByGlobalNormOp : MP_TrainingOp<"clip_by_global_norm", MP_RoleComposite,
    [MP_InferredTypes]> {
  let scaling = [MP_Unscaled];
  let rows = MP_AllRows;
  let summary = "gradients scaled so that their global norm is at most a limit";
  let description = [{
    `gradient * min(max_norm / (norm + 1e-6), 1)`, with `norm` as in `mp.global_norm`; in f32.
    Source: `torch.nn.utils.clip_grad_norm_`. It must see unscaled gradients.

    Constraints:
    - (C1) `max_norm` is greater than 0.
    - (C2) One result for each gradient, of the same shape.

    Example:

    ```mlir
    %c:2, %n = mp.clip_by_global_norm %u0, %u1 {max_norm = 1.0 : f32} : tensor<8x2xf32>, tensor<2xf32>
    ```
  }];
  let arguments = (ins Variadic<MP_F32Tensor>:$gradients, F32Attr:$max_norm);
  let results = (outs Variadic<MP_F32Tensor>:$clipped, MP_F32Scalar:$norm);
  let assemblyFormat = "$gradients attr-dict `:` type($gradients)";
  let hasVerifier = 1;
}

def MP_ClipByNormOp : MP_TrainingOp<"clip_by_norm", MP_RoleComposite,
    [MP_InferredTypes]> {
  let scaling = [MP_Unscaled];
  let rows = MP_AllRows;
  let summary = "each gradient scaled so that its own norm is at most a limit";
  let description = [{
    `mp.clip_by_global_norm` of each gradient alone. Source: Keras' `clipnorm`, by PyTorch's formula, which adds 1e-6 to
    the norm. It must see unscaled gradients.

    Constraints:
    - (C1) `max_norm` is greater than 0.
    - (C2) One result for each gradient, of the same shape.

    Example:

    ```mlir
    %c:2 = mp.clip_by_norm %u0, %u1 {max_norm = 1.0 : f32} : tensor<8x2xf32>, tensor<2xf32>
    ```
  }];
  let arguments = (ins Variadic<MP_F32Tensor>:$gradients, F32Attr:$max_norm);
  let results = (outs Variadic<MP_F32Tensor>:$clipped);
  let assemblyFormat = "$gradients attr-dict `:` type($gradients)";
  let hasVerifier = 1;
}

def MP_ClipByValueOp : MP_TrainingOp<"clip_by_value", MP_RoleComposite,
    [MP_InferredTypes]> {
  let scaling = [MP_Unscaled];
  let rows = MP_EachRow;
  let summary = "each element of the gradients brought to at most a limit from 0";
  let description = [{
    `min(max(gradient, -limit), limit)`; NaN stays NaN. Source: `torch.nn.utils.clip_grad_value_`, Keras' `clipvalue`. It
    must see unscaled gradients.

    Constraints:
    - (C1) `limit` is greater than 0.
    - (C2) One result for each gradient, of the same shape.

    Example:

    ```mlir
    %c:2 = mp.clip_by_value %u0, %u1 {limit = 0.5 : f32} : tensor<8x2xf32>, tensor<2xf32>
    ```
  }];
  let arguments = (ins Variadic<MP_F32Tensor>:$gradients, F32Attr:$limit);
  let results = (outs Variadic<MP_F32Tensor>:$clipped);
  let assemblyFormat = "$gradients attr-dict `:` type($gradients)";
  let hasVerifier = 1;
}

def MP_SGDOp : MP_TrainingOp<"sgd", MP_RoleMap,
    [AttrSizedOperandSegments, MP_GuardedOpInterface,
     MP_InferredTypes]> {
  let scaling = [MP_Independent, MP_Unscaled, MP_Independent, MP_Independent, MP_Independent];
  let rows = MP_EachRow;
  let extraClassDeclaration = [{
    int64_t getOperationsPerElement() { return 6; }
    ::mlir::Value getOldValue(unsigned index) { return index == 0 ? getParameter() : getVelocity(); }
  }];
  let summary = "one step of stochastic gradient descent";
  let description = [{
    `g = fma(weight_decay, parameter, gradient)`; with `velocity`: `v = momentum * velocity + g`, `d = nesterov ?
    fma(momentum, v, g) : v`; else `d = g`; `fma(-learning_rate, d, parameter)`. In f32, each operation rounded, and products
    fused with sums only where `fma` says so. Where `guard` is given and >= 0 every result has its old bits. Source:
    `torch.optim.SGD` with dampening 0, with its bits on a CPU (its first step sets v = g, which velocity 0 gives too).

    Constraints:
    - (C1) Parameter, gradient and velocity have one type.
    - (C2) `velocity` is given if and only if `momentum` is not 0; `nesterov` needs it.

    Example:

    ```mlir
    %w1, %v1 = mp.sgd %w, %g, %lr velocity %v guard %bad {momentum = 0.9 : f32} : tensor<8x2xf32>
    %w2 = mp.sgd %w, %g, %lr : tensor<8x2xf32>
    ```
  }];
  let arguments = (ins MP_F32Tensor:$parameter, MP_F32Tensor:$gradient, MP_F32Scalar:$learning_rate,
                       Optional<MP_F32Tensor>:$velocity, Optional<MP_I32Scalar>:$guard,
                       DefaultValuedAttr<F32Attr, "0.0f">:$momentum, UnitAttr:$nesterov,
                       DefaultValuedAttr<F32Attr, "0.0f">:$weight_decay);
  let results = (outs MP_F32Tensor:$new_parameter, Optional<MP_F32Tensor>:$new_velocity);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def MP_RMSpropOp : MP_TrainingOp<"rmsprop", MP_RoleMap,
    [AttrSizedOperandSegments, MP_GuardedOpInterface,
     MP_InferredTypes]> {
  let scaling = [MP_Independent, MP_Unscaled, MP_Independent, MP_Independent, MP_Independent, MP_Independent, MP_Independent];
  let rows = MP_EachRow;
  let extraClassDeclaration = [{
    int64_t getOperationsPerElement() { return 20; }
    ::mlir::Value getOldValue(unsigned index) {
      return index == 0 ? getParameter() : index == 1 ? getV() : index == 2 && getMean() ? getMean() : getVelocity();
    }
  }];
  let summary = "one step of RMSprop";
  let description = [{
    `g = gradient + weight_decay * parameter`, `v = alpha * v + (1 - alpha) * g * g`. With `mean`:
    `mean = alpha * mean + (1 - alpha) * g`, `d = g / (sqrt(max(v - mean * mean, 0)) + epsilon)`; else
    `d = g / (sqrt(v) + epsilon)`. With `velocity`: `velocity = momentum * velocity + d`,
    `parameter - learning_rate * velocity`; else `parameter - learning_rate * d`. `1 - alpha` is taken in f64 and rounded;
    everything else is f32, each operation rounded, without contraction to fma. Where `guard` is given and >= 0 every
    result has its old bits.

    Source: Tieleman and Hinton 2012, in the form of `torch.optim.RMSprop`, epsilon outside of the root and the learning rate
    outside of the velocity (Keras has both inside). A difference `v - mean * mean` that rounding made negative is 0, where
    PyTorch's root of it is NaN.

    Constraints:
    - (C1) Parameter, gradient, v, mean and velocity have one type; results are the next parameter, v, mean and velocity, of
      those that are given.
    - (C2) `velocity` is given if and only if `momentum` is not 0.
    - (C3) `alpha` is in [0, 1), `epsilon` and `weight_decay` are at least 0.

    Example:

    ```mlir
    %w1, %v1 = mp.rmsprop %w, %g, %v, %lr guard %bad : tensor<8x2xf32>
    %w2, %v2, %m2, %b2 = mp.rmsprop %w, %g, %v, %lr mean %m velocity %b {momentum = 9.0e-1 : f64} : tensor<8x2xf32>
    ```
  }];
  let arguments = (ins MP_F32Tensor:$parameter, MP_F32Tensor:$gradient, MP_F32Tensor:$v, MP_F32Scalar:$learning_rate,
                       Optional<MP_F32Tensor>:$mean, Optional<MP_F32Tensor>:$velocity, Optional<MP_I32Scalar>:$guard,
                       DefaultValuedAttr<F64Attr, "0.99">:$alpha, DefaultValuedAttr<F64Attr, "0.0">:$momentum,
                       DefaultValuedAttr<F64Attr, "1e-8">:$epsilon, DefaultValuedAttr<F64Attr, "0.0">:$weight_decay);
  let results = (outs MP_F32Tensor:$new_parameter, MP_F32Tensor:$new_v, Variadic<MP_F32Tensor>:$new_slots);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def MP_AdagradOp : MP_TrainingOp<"adagrad", MP_RoleMap,
    [AllTypesMatch<["parameter", "gradient", "sum", "new_parameter", "new_sum"]>, MP_GuardedOpInterface]> {
  let scaling = [MP_Independent, MP_Unscaled, MP_Independent, MP_Independent, MP_Independent, MP_Independent];
  let rows = MP_EachRow;
  let extraClassDeclaration = [{
    int64_t getOperationsPerElement() { return 18; }
    ::mlir::Value getOldValue(unsigned index) { return index == 0 ? getParameter() : getSum(); }
  }];
  let summary = "one step of Adagrad";
  let description = [{
    `g = gradient + weight_decay * parameter`, `sum = sum + g * g`, `parameter - rate * g / (sqrt(sum) + epsilon)`, where
    `rate = learning_rate / (1 + step * learning_rate_decay)` is taken in f64 and rounded to f32; `step` counts the steps
    before this one. Everything else is f32, each operation rounded, without contraction to fma. Where `guard` is given and
    >= 0 every result has its old bits. Source: Duchi, Hazan and Singer 2011, in the form of `torch.optim.Adagrad`.

    Constraints:
    - (C1) Parameter, gradient and sum have one shape.
    - (C2) `learning_rate_decay`, `epsilon` and `weight_decay` are at least 0.

    Example:

    ```mlir
    %w1, %s1 = mp.adagrad %w, %g, %s, %lr, %t guard %bad : tensor<8x2xf32>
    ```
  }];
  let arguments = (ins MP_F32Tensor:$parameter, MP_F32Tensor:$gradient, MP_F32Tensor:$sum, MP_F32Scalar:$learning_rate,
                       MP_I64Scalar:$step, Optional<MP_I32Scalar>:$guard,
                       DefaultValuedAttr<F64Attr, "0.0">:$learning_rate_decay,
                       DefaultValuedAttr<F64Attr, "1e-10">:$epsilon, DefaultValuedAttr<F64Attr, "0.0">:$weight_decay);
  let results = (outs MP_F32Tensor:$new_parameter, MP_F32Tensor:$new_sum);
  let assemblyFormat = [{
    $parameter `,` $gradient `,` $sum `,` $learning_rate `,` $step (`guard` $guard^)? attr-dict `:` type($parameter)
  }];
  let hasVerifier = 1;
}

def MP_LionOp : MP_TrainingOp<"lion", MP_RoleMap,
    [AllTypesMatch<["parameter", "gradient", "m", "new_parameter", "new_m"]>, MP_GuardedOpInterface]> {
  let scaling = [MP_Independent, MP_Unscaled, MP_Independent, MP_Independent, MP_Independent];
  let rows = MP_EachRow;
  let extraClassDeclaration = [{
    int64_t getOperationsPerElement() { return 12; }
    ::mlir::Value getOldValue(unsigned index) { return index == 0 ? getParameter() : getM(); }
  }];
  let summary = "one step of Lion";
  let description = [{
    `c = beta1 * m + (1 - beta1) * gradient`, `p = parameter * (1 - learning_rate * weight_decay)`,
    `p - learning_rate * sign(c)`, `m = beta2 * m + (1 - beta2) * gradient`; the sign of 0 is 0, that of NaN is NaN. `1 - beta`
    is taken in f64 and rounded; everything else is f32, each operation rounded, without contraction to fma. Where `guard` is
    given and >= 0 every result has its old bits. Source: Chen et al. 2023, "Symbolic discovery of optimization algorithms".

    Constraints:
    - (C1) Parameter, gradient and m have one shape.
    - (C2) `beta1` and `beta2` are in [0, 1), `weight_decay` is at least 0.

    Example:

    ```mlir
    %w1, %m1 = mp.lion %w, %g, %m, %lr guard %bad : tensor<8x2xf32>
    ```
  }];
  let arguments = (ins MP_F32Tensor:$parameter, MP_F32Tensor:$gradient, MP_F32Tensor:$m, MP_F32Scalar:$learning_rate,
                       Optional<MP_I32Scalar>:$guard, DefaultValuedAttr<F64Attr, "0.9">:$beta1,
                       DefaultValuedAttr<F64Attr, "0.99">:$beta2, DefaultValuedAttr<F64Attr, "0.0">:$weight_decay);
  let results = (outs MP_F32Tensor:$new_parameter, MP_F32Tensor:$new_m);
  let assemblyFormat = [{
    $parameter `,` $gradient `,` $m `,` $learning_rate (`guard` $guard^)? attr-dict `:` type($parameter)
  }];
  let hasVerifier = 1;
}

class MP_AdamLikeOp<string mnemonic, I32EnumCase role = MP_RoleMap, string defaultEpsilon = "1e-8">
    : MP_TrainingOp<mnemonic, role,
    [AllTypesMatch<["parameter", "gradient", "m", "v", "new_parameter", "new_m", "new_v"]>, MP_GuardedOpInterface]> {
  let scaling = [MP_Independent, MP_Unscaled, MP_Independent, MP_Independent, MP_Independent, MP_Independent, MP_Independent];
  let rows = MP_EachRow;
  let extraClassDeclaration = [{
    int64_t getOperationsPerElement() { return 24; }
    ::mlir::Value getOldValue(unsigned index) { return index == 0 ? getParameter() : index == 1 ? getM() : getV(); }
  }];
  let arguments = (ins MP_F32Tensor:$parameter, MP_F32Tensor:$gradient, MP_F32Tensor:$m, MP_F32Tensor:$v,
                       MP_F32Scalar:$learning_rate, MP_I64Scalar:$step, Optional<MP_I32Scalar>:$guard,
                       DefaultValuedAttr<F64Attr, "0.9">:$beta1, DefaultValuedAttr<F64Attr, "0.999">:$beta2,
                       DefaultValuedAttr<F64Attr, defaultEpsilon>:$epsilon, DefaultValuedAttr<F64Attr, "0.0">:$weight_decay);
  let results = (outs MP_F32Tensor:$new_parameter, MP_F32Tensor:$new_m, MP_F32Tensor:$new_v);
  let assemblyFormat = [{
    $parameter `,` $gradient `,` $m `,` $v `,` $learning_rate `,` $step (`guard` $guard^)? attr-dict `:` type($parameter)
  }];
  let hasVerifier = 1;
}
def MP_AdamOp : MP_AdamLikeOp<"adam"> {
  let summary = "one step of Adam";
  let description = [{
    With t = `step` + 1 and `g = gradient + weight_decay * parameter`:
    `m = beta1 * m + (1 - beta1) * g`, `v = beta2 * v + (1 - beta2) * g * g`,
    `parameter - learning_rate / c1 * m / (sqrt(v) / sqrt(c2) + epsilon)`, `c1 = 1 - beta1^t`, `c2 = 1 - beta2^t`.
    The powers are taken in f64 by squaring and multiplying over the bits of t, from the lowest; `c1`, `sqrt(c2)` and
    `1 - beta` are then rounded to f32 and everything else is f32, each operation rounded, without contraction to fma.
    Where `guard` is given and >= 0 every result has its old bits. Source: Kingma and Ba 2015, in the form of
    `torch.optim.Adam`.

    Constraints:
    - (C1) Parameter, gradient, m and v have one shape.
    - (C2) `beta1` and `beta2` are in [0, 1), `epsilon` and `weight_decay` are at least 0.

    Example:

    ```mlir
    %w1, %m1, %v1 = mp.adam %w, %g, %m, %v, %lr, %t guard %bad : tensor<8x2xf32>
    ```
  }];
}
def MP_AdamWOp : MP_AdamLikeOp<"adamw"> {
  let summary = "one step of Adam with decoupled weight decay";
  let description = [{
    As `mp.adam`, but the parameter is first multiplied by `1 - learning_rate * weight_decay` and the gradient is taken
    as it is. Source: Loshchilov and Hutter 2019, in the form of `torch.optim.AdamW`. Constraints as `mp.adam`.

    Example:

    ```mlir
    %w1, %m1, %v1 = mp.adamw %w, %g, %m, %v, %lr, %t guard %bad {weight_decay = 1.0e-2 : f64} : tensor<8x2xf32>
    ```
  }];
}

def MP_LAMBOp : MP_AdamLikeOp<"lamb", MP_RoleComposite, "1e-6"> {
  let rows = MP_AllRows;
  let summary = "one step of LAMB";
  let description = [{
    With t = `step` + 1, and m, v, c1 and c2 as in `mp.adam` without its weight decay:
    `r = 1 / c1 * m / (sqrt(v) / sqrt(c2) + epsilon)`, `u = r + weight_decay * parameter`,
    `fma(-(learning_rate * ratio), u, parameter)`. The trust ratio is the Euclidean norm of the parameter over that of u, as
    `mp.global_norm` takes them, or 1 where either is 0. In f32, each operation rounded, without other contraction to fma. Where
    `guard` is given and >= 0 every result has its old bits. Source: You et al. 2020, algorithm 2, with its bias correction
    and the norm itself for its function phi. Constraints as `mp.adam`.

    Example:

    ```mlir
    %w1, %m1, %v1 = mp.lamb %w, %g, %m, %v, %lr, %t guard %bad {weight_decay = 1.0e-2 : f64} : tensor<8x2xf32>
    ```
  }];
}

def MP_MomentumProductOp : MP_TrainingOp<"momentum_product", MP_RoleSerial, [MP_GuardedOpInterface]> {
  let scaling = [MP_Independent, MP_Independent, MP_Independent];
  let rows = MP_EachRow;
  let extraClassDeclaration = [{ ::mlir::Value getOldValue(unsigned) { return getProduct(); } }];
  let summary = "the product of the momenta of NAdam's steps so far";
  let description = [{
    `product * f32(mu)`, where mu is the momentum of step t = `step` + 1: `beta1 * (1 - 0.5 * d^t)` with
    `d = 0.96^momentum_decay`, in f64, its power taken as in `mp.adam`. Where `guard` is given and >= 0 the result has its
    old bits. Source: `torch.optim.NAdam`.

    Constraints:
    - (C1) `beta1` is in [0, 1), `momentum_decay` is at least 0.

    Example:

    ```mlir
    %q1 = mp.momentum_product %q, %t guard %bad
    ```
  }];
  let arguments = (ins MP_F32Scalar:$product, MP_I64Scalar:$step, Optional<MP_I32Scalar>:$guard,
                       DefaultValuedAttr<F64Attr, "0.9">:$beta1, DefaultValuedAttr<F64Attr, "0.004">:$momentum_decay);
  let results = (outs MP_F32Scalar:$new_product);
  let assemblyFormat = "$product `,` $step (`guard` $guard^)? attr-dict";
  let hasVerifier = 1;
}

def MP_NAdamOp : MP_TrainingOp<"nadam", MP_RoleMap,
    [AllTypesMatch<["parameter", "gradient", "m", "v", "new_parameter", "new_m", "new_v"]>, MP_GuardedOpInterface]> {
  let scaling = [MP_Independent, MP_Unscaled, MP_Independent, MP_Independent, MP_Independent, MP_Independent, MP_Independent,
                 MP_Independent];
  let rows = MP_EachRow;
  let extraClassDeclaration = [{
    int64_t getOperationsPerElement() { return 26; }
    ::mlir::Value getOldValue(unsigned index) { return index == 0 ? getParameter() : index == 1 ? getM() : getV(); }
  }];
  let summary = "one step of Adam with Nesterov momentum";
  let description = [{
    m, v and c2 are those of `mp.adam`, weight decay included. With mu of step t and nu that of step t + 1, as in
    `mp.momentum_product`, and `product` the product of all mu up to step t:
    `parameter - (a * g + b * m) / (sqrt(v) / sqrt(c2) + epsilon)`, `a = learning_rate * (1 - mu) / (1 - product)`,
    `b = learning_rate * nu / (1 - product * nu)`. a and b are taken in f64 and rounded to f32; everything else is as in
    `mp.adam`. Where `guard` is given and >= 0 every result has its old bits. Source: Dozat 2016, in the form of
    `torch.optim.NAdam`.

    Constraints:
    - (C1) Parameter, gradient, m and v have one shape.
    - (C2) `beta1` and `beta2` are in [0, 1), `epsilon`, `weight_decay` and `momentum_decay` are at least 0.

    Example:

    ```mlir
    %q1 = mp.momentum_product %q, %t guard %bad
    %w1, %m1, %v1 = mp.nadam %w, %g, %m, %v, %lr, %t, %q1 guard %bad : tensor<8x2xf32>
    ```
  }];
  let arguments = (ins MP_F32Tensor:$parameter, MP_F32Tensor:$gradient, MP_F32Tensor:$m, MP_F32Tensor:$v,
                       MP_F32Scalar:$learning_rate, MP_I64Scalar:$step, MP_F32Scalar:$product,
                       Optional<MP_I32Scalar>:$guard, DefaultValuedAttr<F64Attr, "0.9">:$beta1,
                       DefaultValuedAttr<F64Attr, "0.999">:$beta2, DefaultValuedAttr<F64Attr, "1e-8">:$epsilon,
                       DefaultValuedAttr<F64Attr, "0.0">:$weight_decay, DefaultValuedAttr<F64Attr, "0.004">:$momentum_decay);
  let results = (outs MP_F32Tensor:$new_parameter, MP_F32Tensor:$new_m, MP_F32Tensor:$new_v);
  let assemblyFormat = [{
    $parameter `,` $gradient `,` $m `,` $v `,` $learning_rate `,` $step `,` $product (`guard` $guard^)? attr-dict `:`
    type($parameter)
  }];
  let hasVerifier = 1;
}

#endif // MP_OPTIMIZER_OPS_TD
