// Passes from mp programs to mp programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the order in which a training job runs them (docs/IR.md).

#ifndef MP_TRANSFORMS_PASSES_TD
#define MP_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SpecializePass : Pass<"mp-specialize", "::mlir::ModuleOp"> {
  let summary = "give the open batch size a value";
  let description = [{
    Replaces `?` by `batch` in the inputs of every program and infers every other size from them. Afterwards every shape
    in every program is static; an op whose result stays open is named in an error. A function gets `mp.batch`, and each
    argument whose first size was open gets `mp.batched`, and each result of which that has become `batch`. A program that already has this `mp.batch` is left
    alone, as is `derive`, which has no rows; one that has another is an error.

    With `other-batches` each program whose batch is open is there once for each of them, too, as a copy behind it named
    by the batch: `model_32`. All stages behind this one take several models, and share what is derived of parameters.

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
    ListOption<"otherBatches", "other-batches", "int64_t", "Further numbers of rows, each at least 1">,
  ];
}

def CancelTransposesPass : Pass<"mp-cancel-transposes", "::mlir::func::FuncOp"> {
  let summary = "compute in the order of dimensions that leaves the fewest transposes";
  let description = [{
    Works on models, and on functions without mp.program. Ops between transposes come in another order of their dimensions where
    fewer transposes are left then: images that other frameworks have as NCHW stay NHWC, as convolutions read them, from one to
    the next. Two transposes in a row are one, or none; one that moves sizes of 1 alone is a reshape, and one of a constant a constant.

    What may be reordered an op says itself (`OrderOpInterface`): elementwise ops, whose smaller operands are reshaped, `concat`, `split`,
    `pad`, `slice`, `flip`, `tile`, `gather`, scatters, reductions, ops over rows whose rows stay last, and a reshape where dimensions that it
    joins or parts stay neighbours. Dropout is not, since its numbers are those of places in memory, nor are convolutions, poolings and norms of channels.

    A minimum cut says which ops are reordered: one is only if fewer transposes are left, or as many of fewer elements. A transpose counts
    once, however many ops read it, and not at all where products read matrices transposed. There are never more than before.

    A transpose with attributes of its own, such as `mp.precision`, stays, and nothing crosses the border of an `mp.autocast` region.

    Elements have the bits that they had, but sums and products over dimensions, and what is made of them: their terms come in the
    same order, but kernels add up what lies side by side in other parts. So do the gradients of values that are broadcast.
    Places of ops stay. The summary is a remark: transposes `before` and `after`, how many ops were `reordered`, and how many `visits` of
    operands and results that took, a number linear in the ops.

    Example:

    ```mlir
    func.func @f(%x: tensor<?x6x6x8xf32>, %y: tensor<?x6x6x8xf32>, %scale: tensor<8x1x1xf32>) -> tensor<?x6x6x8xf32> {
      %0 = mp.transpose %x permutation [0, 3, 1, 2] : tensor<?x6x6x8xf32> -> tensor<?x8x6x6xf32>
      %1 = mp.transpose %y permutation [0, 3, 1, 2] : tensor<?x6x6x8xf32> -> tensor<?x8x6x6xf32>
      %2 = mp.add %0, %1 : tensor<?x8x6x6xf32>, tensor<?x8x6x6xf32> -> tensor<?x8x6x6xf32>
      %3 = mp.mul %2, %scale : tensor<?x8x6x6xf32>, tensor<8x1x1xf32> -> tensor<?x8x6x6xf32>
      %4 = mp.transpose %3 permutation [0, 2, 3, 1] : tensor<?x8x6x6xf32> -> tensor<?x6x6x8xf32>
      return %4 : tensor<?x6x6x8xf32>
    }
    // becomes
    func.func @f(%x: tensor<?x6x6x8xf32>, %y: tensor<?x6x6x8xf32>, %scale: tensor<8x1x1xf32>) -> tensor<?x6x6x8xf32> {
      %0 = mp.reshape %scale : tensor<8x1x1xf32> -> tensor<8xf32>
      %1 = mp.add %x, %y : tensor<?x6x6x8xf32>, tensor<?x6x6x8xf32> -> tensor<?x6x6x8xf32>
      %2 = mp.mul %1, %0 : tensor<?x6x6x8xf32>, tensor<8xf32> -> tensor<?x6x6x8xf32>
      return %2 : tensor<?x6x6x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mp::MPDialect"];
}

def AutocastPass : Pass<"mp-autocast", "::mlir::ModuleOp"> {
  let summary = "rewrite eligible operations to a narrow float type";
  let description = [{
    Works on every model, and on functions without mp.program; a model must be specialized. Decides each op's precision
    from its category (docs/autocast.md), then gives operands and results that type and inserts casts marked `autocast`,
    one for each value and type. Afterwards every op verifies on its own, `mp.autocast` regions are inlined, arguments and
    results of functions have the types that they had, f64 and casts of the user are untouched. A second run with the same
    options changes nothing.

    Constants are rounded here, to nearest even. One that becomes infinite or 0 makes an infer, clear or promote op stay
    f32; where the op's precision is given (allow, mp.precision) it is an error unless `clamp-constants`.

    Remarks: for each op its type and why; for each function the ops of each type and the casts.

    Example, `mp-autocast{policy=mixed_float16}`:

    ```mlir
    func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
      %0 = mp.matmul %x, %w acc f32 : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
      %1 = mp.relu %0 : tensor<4x2xf32>
      return %1 : tensor<4x2xf32>
    }
    // becomes
    func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
      %xh = mp.cast %x {autocast} : tensor<4x8xf32> -> tensor<4x8xf16>
      %wh = mp.cast %w {autocast} : tensor<8x2xf32> -> tensor<8x2xf16>
      %0 = mp.matmul %xh, %wh acc f32 : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xf16>
      %1 = mp.relu %0 : tensor<4x2xf16>
      %2 = mp.cast %1 {autocast} : tensor<4x2xf16> -> tensor<4x2xf32>
      return %2 : tensor<4x2xf32>
    }
    ```
  }];
  let dependentDialects = ["::mp::MPDialect"];
  let options = [
    Option<"policy", "policy", "std::string", "\"mixed_float16\"",
           "auto, mixed_float16, mixed_bfloat16, float32, pytorch, pytorch_cpu, apex_o1, tensorflow, tensorflow_bf16, mxnet, paddle_o1 or the path of a policy file">,
    Option<"lowType", "type", "std::string", "", "f16 or bf16: the low type, instead of the policy's; by cost f32, too">,
    Option<"rule", "rule", "::mp::DecisionRule", "::mp::DecisionRule::PerOp", "How each operation's precision is decided",
           [{::llvm::cl::values(
               clEnumValN(::mp::DecisionRule::PerOp, "per-op", "each op by its own category"),
               clEnumValN(::mp::DecisionRule::Cost, "cost", "the same, but low only where the modelled step is faster"))}]>,
    Option<"features", "features", "std::string", "\"avx2\"",
           "What the modelled step runs on: a level of CPU features, such as avx2">,
    Option<"tuning", "tuning", "std::string", "", "A file of mp-run tune, whose rates count in the place of the level's">,
    Option<"training", "training", "bool", "true", "Whether the modelled step trains">,
    ListOption<"allow", "allow", "std::string", "Entries to put into allow: mp.op, mp.op[attribute=value] or loc:pattern">,
    ListOption<"infer", "infer", "std::string", "Entries to put into infer">,
    ListOption<"clear", "clear", "std::string", "Entries to put into clear">,
    ListOption<"deny", "deny", "std::string", "Entries to put into deny">,
    ListOption<"promote", "promote", "std::string", "Entries to put into promote">,
    ListOption<"notAllow", "not-allow", "std::string", "Ops to take out of allow">,
    ListOption<"notInfer", "not-infer", "std::string", "Ops to take out of infer">,
    ListOption<"notClear", "not-clear", "std::string", "Ops to take out of clear">,
    ListOption<"notDeny", "not-deny", "std::string", "Ops to take out of deny">,
    ListOption<"notPromote", "not-promote", "std::string", "Ops to take out of promote">,
    Option<"clampConstants", "clamp-constants", "bool", "false",
           "Clamp constants to the low type's range, above and towards 0, instead of refusing them">,
    Option<"allowFP16Accumulation", "allow-fp16-accumulation", "bool", "false",
           "Matrix products of f16 keep their sums in f16">,
    Option<"planOut", "plan-out", "std::string", "", "A file to write the plan to: one line per op">,
    Option<"planIn", "plan-in", "std::string", "", "A file of plan-out, perhaps edited: each op gets the type it says">,
  ];
}

def InferencePass : Pass<"mp-inference", "::mlir::ModuleOp"> {
  let summary = "programs that run a model without training it";
  let description = [{
    Takes from each `model`, which stays as it is:

    - `eval`, if there is a loss or metric: loss, metrics and outputs. Where the batch was open it takes an argument
      `mp.row_weights`, by which each op that combines rows weighs them, since evaluation pads its last batch. Where such an
      op takes no weights there is no such argument, and the program takes full batches.
    - `infer`, if there is an output: outputs alone. Inputs that no output needs, the labels, are gone. Where an op combines
      rows of the batch no result is `mp.batched`, and the program takes as many rows as the batch has: rows that only
      fill it would change the others.

    In both dropout is the identity, states are read and not written, but for "rng", which a program with other random ops
    advances, and computation that no result needs is erased, as
    are states and, in `infer`, parameters that nothing reads.

    One that is there already stays, and no other is made.

    First inputs are marked in every program: `mp.label` is one that no output needs, `mp.classes` the number of classes
    that an op reads it as.

    Needs static shapes (mp-specialize). Runs after mp-autocast, so that both programs have training's types, and before
    mp-autodiff, which turns the model into a training step.

    Example:

    ```mlir
    func.func @model(%x: tensor<4x8xf32> {mp.input = "x"}, %y: tensor<4xui8> {mp.input = "y"}, %rng: tensor<2xi64> {mp.state = "rng"})
        -> (tensor<f32> {mp.loss}, tensor<4x8xf32> {mp.output = "h"}) attributes {mp.program = "model"} {
      %d = mp.dropout %x, %rng {rate = 0.5, stream = 1} : tensor<4x8xf32>
      %h = mp.relu %d : tensor<4x8xf32>
      %l = mp.softmax_cross_entropy %h, %y : tensor<4x8xf32>, tensor<4xui8> -> tensor<f32>
      return %l, %h : tensor<f32>, tensor<4x8xf32>
    }
    // becomes
    func.func @model(%x: tensor<4x8xf32> {mp.input = "x"}, %y: tensor<4xui8> {mp.classes = 8 : i64, mp.input = "y", mp.label}, %rng: tensor<2xi64> {mp.state = "rng"})
        -> (tensor<f32> {mp.loss}, tensor<4x8xf32> {mp.output = "h"}) attributes {mp.program = "model"} {
      %d = mp.dropout %x, %rng {rate = 0.5, stream = 1} : tensor<4x8xf32>
      %h = mp.relu %d : tensor<4x8xf32>
      %l = mp.softmax_cross_entropy %h, %y : tensor<4x8xf32>, tensor<4xui8> -> tensor<f32>
      return %l, %h : tensor<f32>, tensor<4x8xf32>
    }
    func.func @eval(%x: tensor<4x8xf32> {mp.input = "x"}, %y: tensor<4xui8> {mp.classes = 8 : i64, mp.input = "y", mp.label})
        -> (tensor<f32> {mp.loss}, tensor<4x8xf32> {mp.output = "h"}) attributes {mp.program = "eval"} {
      %h = mp.relu %x : tensor<4x8xf32>
      %l = mp.softmax_cross_entropy %h, %y : tensor<4x8xf32>, tensor<4xui8> -> tensor<f32>
      return %l, %h : tensor<f32>, tensor<4x8xf32>
    }
    func.func @infer(%x: tensor<4x8xf32> {mp.input = "x"}) -> (tensor<4x8xf32> {mp.output = "h"}) attributes {mp.program = "infer"} {
      %h = mp.relu %x : tensor<4x8xf32>
      return %h : tensor<4x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mp::MPDialect"];
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

def LossScalingPass : Pass<"mp-loss-scaling", "::mlir::ModuleOp"> {
  let summary = "scale the loss, unscale its gradients and check that they are finite";
  let description = [{
    In each `train_step` with gradients the seed is multiplied by the state "loss_scale", which scales every gradient, and
    one `mp.unscale` takes the scale out of all of them, in f32, and says whether one is not finite. `dynamic` lets
    `mp.update_loss_scale` (Numerics/LossScale.h has its rule) make the next scale; `static` keeps the scale that the
    state has; `none` scales nothing and checks with `mp.check_finite`. `auto` is `dynamic` where a gradient passes
    through f16, else `none`. `no-finite-check` leaves the check out, and with it the guard of every later state write.

    States, with the values they start with: "loss_scale" (`init-scale`), "growth_tracker" (0), "hysteresis_tracker"
    (`hysteresis`), "skipped_steps" and "consecutive_skips" (0). Logs: "bad", -1 or an index into its `mp.log_names`, and
    "loss_scale", the scale used. The function gets `mp.loss_scaling` and, where it is checked, `mp.skip_limit`: after so
    many skips in a row training ends with an error; after none if it is 0. With `raise-error-at-min-scale` a dynamic scale that would back off
    but is at its floor ends training, too: the function gets `mp.raise_error_at_min_scale` with the floor, and a log
    "hysteresis_tracker" has the overflows that were left.

    Needs mp-autodiff. An f64 loss or parameter can only be left unscaled. A step that has `mp.loss_scaling` is left as it is;
    where `mode` asks for another than it has, that is an error.

    Example, `mp-loss-scaling{mode=static init-scale=8}`:

    ```mlir
    func.func @train_step(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.ones})
        -> (tensor<f32> {mp.loss}, tensor<f32> {mp.gradient = "w"}) attributes {mp.program = "train_step"} {
      %one = mp.gradient_seed : tensor<f32>
      return %w, %one : tensor<f32>, tensor<f32>
    }
    // becomes
    func.func @train_step(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.ones},
        %scale: tensor<f32> {mp.state = "loss_scale", mp.training, mp.initializer = #mp.constant<8.0 : f64>},
        %skipped: tensor<i64> {mp.state = "skipped_steps", mp.training, mp.initializer = #mp.constant<0.0 : f64>},
        %in_a_row: tensor<i32> {mp.state = "consecutive_skips", mp.training, mp.initializer = #mp.constant<0.0 : f64>})
        -> (tensor<f32> {mp.loss}, tensor<f32> {mp.gradient = "w"}, tensor<i64> {mp.next = "skipped_steps"},
            tensor<i32> {mp.next = "consecutive_skips"}, tensor<i32> {mp.log = "bad", mp.log_names = ["w"]},
            tensor<f32> {mp.log = "loss_scale"})
        attributes {mp.program = "train_step", mp.loss_scaling = "static", mp.skip_limit = 50 : i64} {
      %one = mp.gradient_seed : tensor<f32>
      %seed = mp.scale_loss %one, %scale
      %u, %bad = mp.unscale %seed by %scale {names = ["w"]} : tensor<f32>
      %t, %c = mp.count_skips %skipped, %in_a_row, %bad
      return %w, %u, %t, %c, %bad, %scale : tensor<f32>, tensor<f32>, tensor<i64>, tensor<i32>, tensor<i32>, tensor<f32>
    }
    ```
  }];
  let dependentDialects = ["::mp::MPDialect"];
  let options = [
    Option<"mode", "mode", "::mp::LossScalingMode", "::mp::LossScalingMode::Auto", "Whether and how the loss is scaled",
           [{::llvm::cl::values(
               clEnumValN(::mp::LossScalingMode::Auto, "auto", "dynamic where a gradient passes through f16, else none"),
               clEnumValN(::mp::LossScalingMode::Dynamic, "dynamic", "the scale follows what the gradients bear"),
               clEnumValN(::mp::LossScalingMode::Static, "static", "the scale stays"),
               clEnumValN(::mp::LossScalingMode::None, "none", "nothing is scaled"))}]>,
    Option<"initialScale", "init-scale", "float", "65536.0f", "The scale of the first step; a dynamic one is from floor to ceiling">,
    Option<"growthFactor", "growth-factor", "float", "2.0f", "What the scale is multiplied by when it grows, greater than 1">,
    Option<"growthInterval", "growth-interval", "int", "2000", "Clean steps in a row before the scale grows">,
    Option<"backoffFactor", "backoff-factor", "float", "0.5f", "What the scale is multiplied by when it backs off, less than 1">,
    Option<"hysteresis", "hysteresis", "int", "1", "Overflows before the scale backs off">,
    Option<"hysteresisKind", "hysteresis-kind", "::mp::HysteresisKind", "::mp::HysteresisKind::consecutive",
           "Which overflows count towards a backoff",
           [{::llvm::cl::values(
               clEnumValN(::mp::HysteresisKind::consecutive, "consecutive", "those in a row"),
               clEnumValN(::mp::HysteresisKind::cumulative, "cumulative", "those since the scale last grew"))}]>,
    Option<"floor", "floor", "float", "1.0f", "The least scale">,
    Option<"ceiling", "ceiling", "float", "3.40282347e38f",
           "The greatest scale; by default the largest finite f32, with inf the scale may become infinite">,
    Option<"skipLimit", "skip-limit", "int64_t", "50", "Skipped steps in a row after which training ends with an error; 0: no limit">,
    Option<"raiseErrorAtMinScale", "raise-error-at-min-scale", "bool", "false",
           "End training with an error where the scale would back off but is at the floor, as DeepSpeed does">,
    Option<"noFiniteCheck", "no-finite-check", "bool", "false", "Neither check gradients nor skip steps">,
  ];
}

def VerifyScalednessPass : Pass<"mp-verify-scaledness", "::mlir::func::FuncOp"> {
  let summary = "refuse a gradient that is used with the loss scale in it";
  let description = [{
    Fails, at the op, where a gradient reaches an optimizer or a result {mp.gradient} unscaled twice or not at all, is
    clipped or measured before it is unscaled, is unscaled by another scale than the one it carries, or depends on the
    scale in another way than by a factor (a scaled gradient plus a plain one). A next value is plain; that of a state
    marked `mp.scaled` carries the scale once, as the state does. Changes nothing. What follows the scale through each op
    is the table of `ScalednessAnalysis`.

    Example, an error at `mp.sgd`:

    ```mlir
    func.func @scaled_gradient(%w: tensor<f32>, %scale: tensor<f32>, %lr: tensor<f32>) -> tensor<f32> {
      %one = mp.gradient_seed : tensor<f32>
      %seed = mp.scale_loss %one, %scale
      %w1 = mp.sgd %w, %seed, %lr : tensor<f32>
      return %w1 : tensor<f32>
    }
    ```
  }];
}

def OptimizerPass : Pass<"mp-optimizer", "::mlir::ModuleOp"> {
  let summary = "update parameters by their gradients";
  let description = [{
    In each `train_step` the results {mp.gradient} give way to next values: of the parameters (by the op that `kind` names,
    as `mp.adam`), of the optimizer's slots ("NAME/sgd.momentum", "NAME/adam.m", "NAME/adam.v"), of its step count
    ("adam.step") and of "rng", whose step goes up by 1. The learning rate is the state "learning_rate", which the host
    sets; `learning-rate` is what it starts with. Where the step is checked, every next value but the scaler's own has its
    old bits when "bad" is not -1, those that the model itself makes included.

    `clip-norm` clips all gradients together, `clip-parameter-norm` each alone, `clip-value` each element, after they are
    unscaled; one of the three. With the first, or with `log-gradient-norm`, there is a log "gradient_norm", of the
    gradients before they are clipped.

    `accumulate=N` adds two programs that make one step out of N micro-batches. `accumulate` adds the gradients, still
    scaled, to the states "NAME/gradient_sum" and advances "rng"; next values of the model's own state NAME go to the
    state "NAME/pending". `apply` unscales the sums once, divides by N, checks, updates, commits what is pending, and
    clears; on a bad step it drops what is pending.

    Needs mp-loss-scaling.

    Example, `mp-optimizer{kind=sgd learning-rate=0.5}`:

    ```mlir
    func.func @train_step(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.ones})
        -> (tensor<f32> {mp.loss}, tensor<f32> {mp.gradient = "w"})
        attributes {mp.program = "train_step", mp.loss_scaling = "none"} {
      %one = mp.gradient_seed : tensor<f32>
      return %w, %one : tensor<f32>, tensor<f32>
    }
    // becomes
    func.func @train_step(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.ones},
        %lr: tensor<f32> {mp.state = "learning_rate", mp.training, mp.initializer = #mp.constant<5.0e-1 : f64>})
        -> (tensor<f32> {mp.loss}, tensor<f32> {mp.next = "w"})
        attributes {mp.program = "train_step", mp.loss_scaling = "none"} {
      %one = mp.gradient_seed : tensor<f32>
      %w1 = mp.sgd %w, %one, %lr : tensor<f32>
      return %w, %w1 : tensor<f32>, tensor<f32>
    }
    ```
  }];
  let dependentDialects = ["::mp::MPDialect"];
  let options = [
    Option<"kind", "kind", "::mp::OptimizerKind", "::mp::OptimizerKind::Adam", "The update rule",
           [{::llvm::cl::values(
               clEnumValN(::mp::OptimizerKind::SGD, "sgd", "stochastic gradient descent"),
               clEnumValN(::mp::OptimizerKind::RMSprop, "rmsprop", "RMSprop"),
               clEnumValN(::mp::OptimizerKind::Adagrad, "adagrad", "Adagrad"),
               clEnumValN(::mp::OptimizerKind::Adam, "adam", "Adam"),
               clEnumValN(::mp::OptimizerKind::AdamW, "adamw", "Adam with decoupled weight decay"),
               clEnumValN(::mp::OptimizerKind::NAdam, "nadam", "Adam with Nesterov momentum"),
               clEnumValN(::mp::OptimizerKind::LAMB, "lamb", "Adam by layers' trust ratios"),
               clEnumValN(::mp::OptimizerKind::Lion, "lion", "Lion: steps of one size"))}]>,
    Option<"learningRate", "learning-rate", "double", "1e-3", "The learning rate of the first step">,
    Option<"momentum", "momentum", "double", "0.0", "sgd, rmsprop: how much of the last update stays">,
    Option<"nesterov", "nesterov", "bool", "false", "sgd: look ahead by the momentum">,
    Option<"weightDecay", "weight-decay", "double", "0.0", "How much a parameter pulls itself to 0">,
    Option<"beta1", "beta1", "double", "0.9", "Adam and its kin, Lion: decay of the mean">,
    Option<"beta2", "beta2", "double", "::mp::kOfKind",
           "Adam and its kin: decay of the mean square, 0.999; Lion: decay of what the next step reads, 0.99">,
    Option<"epsilon", "epsilon", "double", "::mp::kOfKind",
           "Added to the root of the mean square; 1e-8, of adagrad 1e-10, of lamb 1e-6">,
    Option<"alpha", "alpha", "double", "0.99", "rmsprop: decay of the mean square">,
    Option<"centered", "centered", "bool", "false", "rmsprop: divide by the standard deviation">,
    Option<"learningRateDecay", "learning-rate-decay", "double", "0.0", "adagrad: how fast the learning rate falls">,
    Option<"initialAccumulatorValue", "initial-accumulator-value", "double", "0.0",
           "adagrad: what the sum of squares starts with">,
    Option<"momentumDecay", "momentum-decay", "double", "0.004", "nadam: how fast its momentum reaches beta1">,
    Option<"clipNorm", "clip-norm", "double", "0.0", "The largest norm of all gradients together; 0: no limit">,
    Option<"clipParameterNorm", "clip-parameter-norm", "double", "0.0",
           "The largest norm of the gradient of each parameter; 0: no limit">,
    Option<"clipValue", "clip-value", "double", "0.0", "The largest magnitude of an element of a gradient; 0: no limit">,
    Option<"logGradientNorm", "log-gradient-norm", "bool", "false", "Report the norm of all gradients">,
    Option<"accumulate", "accumulate", "int64_t", "1", "How many micro-batches may make one step">,
  ];
}

def DerivedWeightsPass : Pass<"mp-derived-weights", "::mlir::ModuleOp"> {
  let summary = "keep weights in the low type, too, so that no step casts them";
  let description = [{
    Where programs read a parameter through a cast to f16 or bf16 that mp-autocast inserted, they read derived state
    instead: an argument `mp.derived`, always the cast of the parameter. Every program that has a next value of the
    parameter casts that, guarded as it is, into a result `mp.derived`; a new program `derive` makes all derived state of
    the parameters, for when these were initialized or loaded. No value changes.

    Needs mp-optimizer, where there are gradients.

    Example:

    ```mlir
    func.func @train_step(%w: tensor<4x2xf32> {mp.parameter = "w", mp.initializer = #mp.ones}, %x: tensor<2x4xf16> {mp.input = "x"})
        -> (tensor<2x2xf16> {mp.output = "y"}, tensor<4x2xf32> {mp.next = "w"}) attributes {mp.program = "train_step"} {
      %wh = mp.cast %w {autocast} : tensor<4x2xf32> -> tensor<4x2xf16>
      %y = mp.matmul %x, %wh acc f32 : tensor<2x4xf16>, tensor<4x2xf16> -> tensor<2x2xf16>
      %w1 = mp.add %w, %w : tensor<4x2xf32>, tensor<4x2xf32> -> tensor<4x2xf32>
      return %y, %w1 : tensor<2x2xf16>, tensor<4x2xf32>
    }
    // becomes
    func.func @train_step(%w: tensor<4x2xf32> {mp.parameter = "w", mp.initializer = #mp.ones}, %x: tensor<2x4xf16> {mp.input = "x"},
        %wh: tensor<4x2xf16> {mp.derived = #mp.derived<of = "w", type = f16, layout = #mp.row_major>})
        -> (tensor<2x2xf16> {mp.output = "y"}, tensor<4x2xf32> {mp.next = "w"},
            tensor<4x2xf16> {mp.derived = #mp.derived<of = "w", type = f16, layout = #mp.row_major>})
        attributes {mp.program = "train_step"} {
      %y = mp.matmul %x, %wh acc f32 : tensor<2x4xf16>, tensor<4x2xf16> -> tensor<2x2xf16>
      %w1 = mp.add %w, %w : tensor<4x2xf32>, tensor<4x2xf32> -> tensor<4x2xf32>
      %wh1 = mp.cast %w1 {autocast} : tensor<4x2xf32> -> tensor<4x2xf16>
      return %y, %w1, %wh1 : tensor<2x2xf16>, tensor<4x2xf32>, tensor<4x2xf16>
    }
    func.func @derive(%w: tensor<4x2xf32> {mp.parameter = "w", mp.initializer = #mp.ones})
        -> (tensor<4x2xf16> {mp.derived = #mp.derived<of = "w", type = f16, layout = #mp.row_major>})
        attributes {mp.program = "derive"} {
      %wh = mp.cast %w {autocast} : tensor<4x2xf32> -> tensor<4x2xf16>
      return %wh : tensor<4x2xf16>
    }
    ```
  }];
  let dependentDialects = ["::mp::MPDialect"];
}

#endif // MP_TRANSFORMS_PASSES_TD
