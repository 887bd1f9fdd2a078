// RUN: mp-opt %s -split-input-file -mp-autocast -verify-diagnostics -o /dev/null

// RUN: not mp-opt %s -split-input-file -mp-autocast=policy=mixed_float8 2>&1 | FileCheck %s --check-prefix=POLICY
// POLICY: error: mp-autocast: policy=mixed_float8: unknown policy 'mixed_float8', expected auto, mixed_float16, mixed_bfloat16, float32, pytorch, pytorch_cpu, apex_o1, tensorflow, tensorflow_bf16, mxnet, paddle_o1 or the path of a policy file
// RUN: not mp-opt %s -split-input-file -mp-autocast=policy=%S/Inputs/no-such.policy 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: no-such.policy: No such file or directory
// RUN: not mp-opt %s -split-input-file -mp-autocast=policy=%S/Inputs/unknown-op.policy 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: unknown-op.policy:3: 'mp.rleu' is not an op; did you mean 'mp.relu'?
// RUN: not mp-opt %s -split-input-file -mp-autocast=type=f8 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: mp-autocast: type=f8: expected f16 or bf16
// RUN: not mp-opt %s -split-input-file -mp-autocast=deny=mp.rleu 2>&1 | FileCheck %s --check-prefix=OP
// OP: error: mp-autocast: deny=mp.rleu: 'mp.rleu' is not an op; did you mean 'mp.relu'?
// RUN: not mp-opt %s -split-input-file -mp-autocast="deny=relu allow=mp.relu" 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: mp-autocast: deny=relu: 'mp.relu' is in two lists, allow and deny
// RUN: not mp-opt %s -split-input-file -mp-autocast="not-allow=relu" 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: error: mp-autocast: not-allow=relu: 'mp.relu' is not in allow but in clear
// RUN: not mp-opt %s -split-input-file -mp-autocast="allow=mp.adam" 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED: error: mp-autocast: allow=mp.adam: 'mp.adam' is fixed: no list changes its types
// RUN: not mp-opt %s -split-input-file -mp-autocast="allow=loc:f* deny=loc:*m" 2>&1 | FileCheck %s --check-prefix=PATTERNS
// RUN: not mp-opt %s -split-input-file -mp-autocast="deny=loc:" 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: mp-autocast: deny=loc:: 'loc:' is a pattern that no location matches; expected loc:PATTERN, as in loc:encoder/*
// RUN: not mp-opt %s -split-input-file -mp-autocast="deny=mp.relu[=x]" 2>&1 | FileCheck %s --check-prefix=NAMELESS
// NAMELESS: error: mp-autocast: deny=mp.relu[=x]: 'mp.relu[=x]' does not name an attribute, expected mp.op[attribute] or mp.op[attribute=value]
// RUN: not mp-opt %s -split-input-file -mp-autocast=policy=%S/Inputs/unknown-value.policy 2>&1 | FileCheck %s --check-prefix=FILE-VALUE
// FILE-VALUE: unknown-value.policy:4: 'mp.compare[predicate=zz]': predicate is one of eq, ne, lt, le, gt, ge; found 'zz'
// RUN: not mp-opt %s -split-input-file -mp-autocast="deny=mp.reduce_sum[keep_dims=true]" 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: error: mp-autocast: deny=mp.reduce_sum[keep_dims=true]: 'mp.reduce_sum[keep_dims=true]': keep_dims is there or not, and has no value; found 'true'
// PATTERNS: 'mp.relu' op both 'loc:f*' and 'loc:*m' match and disagree: allow and deny
// RUN: not mp-opt %s -split-input-file -mp-autocast="rule=paint" 2>&1 | FileCheck %s --check-prefix=RULE
// RULE: paint

func.func @location(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = mp.relu %x : tensor<4xf32> loc("from")
  return %0 : tensor<4xf32>
}

// -----

func.func @constant_becomes_infinite(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // expected-note@unknown {{this is the constant "decoder.table"; clamp-constants would round it to the nearest number that fits}}
  %c = mp.constant dense<[[1.0, -70000.0], [1.0, 1.0]]> : tensor<2x2xf32> loc("decoder.table")
  // expected-error@+1 {{'mp.matmul' op constant -70000 becomes infinite in f16}}
  %0 = mp.matmul %x, %c acc f32 : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

func.func @constant_becomes_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note@+1 {{this is the constant; clamp-constants}}
  %c = mp.constant dense<1.0e-12> : tensor<f32>
  // expected-error@+1 {{'mp.add' op constant 1e-12 becomes 0 in f16}}
  %0 = mp.add %x, %c {mp.precision = f16} : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @follows_no_operand(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'mp.add' op mp.follows is 2, expected the number of one of its 2 operands}}
  %0 = mp.add %x, %x {mp.follows = 2 : i64} : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @no_category(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'arith.addf' op declares no precision category}}
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @fixed_by_attribute(%x: tensor<4xi32>) -> tensor<4xf32> {
  // expected-error@+1 {{'mp.cast' op cannot have the type that mp.precision asks for: its precision is fixed}}
  %0 = mp.cast %x {mp.precision = f16} : tensor<4xi32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f64_by_attribute(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error@+1 {{'mp.relu' op cannot have the type that mp.precision asks for: no operand or result could change its type}}
  %0 = mp.relu %x {mp.precision = f16} : tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

func.func @no_type_to_choose(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'mp.relu' op mp.precision is 'f64', expected f16, bf16 or f32}}
  %0 = mp.relu %x {mp.precision = f64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{mp-autocast works on specialized models; run mp-specialize first}}
func.func @not_specialized(%x: tensor<?x4xf32> {mp.input = "x"}) -> (tensor<?x4xf32> {mp.output = "y"})
    attributes {mp.program = "model"} {
  %0 = mp.relu %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

func.func @blocks_out_of_order(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^first
^second:
  // expected-error@+1 {{'mp.relu' op comes before the op that computes its operand}}
  %1 = mp.relu %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
^first:
  %0 = mp.relu %x : tensor<4xf32>
  cf.br ^second
}
