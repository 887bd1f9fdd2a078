// RUN: mp-opt %s -allow-unregistered-dialect -mp-autodiff -split-input-file -verify-diagnostics -o /dev/null

// expected-error@+1 {{has no result with mp.loss to differentiate; training=false compiles a model that predicts alone}}
func.func @no_loss(%x: tensor<4xf32> {mp.input = "x"}) -> (tensor<4xf32> {mp.output = "y"}) attributes {mp.program = "model"} {
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{has an open size; run mp-specialize before mp-autodiff}}
func.func @open_batch(%x: tensor<?x8xf32> {mp.input = "x"}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %l = mp.reduce_sum %x dimensions [0, 1] : tensor<?x8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// expected-error@+1 {{the loss depends on no parameter}}
func.func @no_parameter(%x: tensor<8xf32> {mp.input = "x"}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %l = mp.reduce_sum %x dimensions [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Gradients have no gradients.
func.func @no_derivative(%w: tensor<4x8xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  // expected-error@+2 {{'mp.relu_grad' op has no derivative: it is declared not differentiable}}
  // expected-note@+1 {{mp.relu is the op of models; a step has mp.relu_grad where the compiler makes it of that}}
  %g = mp.relu_grad %w, %w : tensor<4x8xf32>
  %l = mp.reduce_sum %g dimensions [0, 1] : tensor<4x8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Ops of kernels have none, either: a pooling keeps its indices without being asked.
func.func @indices(%w: tensor<1x4x4x8xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  // expected-error@+2 {{'mp.max_pool_with_indices' op has no derivative: it is declared not differentiable}}
  // expected-note@+1 {{mp.max_pool is the op of models; a step has mp.max_pool_with_indices where the compiler makes it of that}}
  %p, %i = mp.max_pool_with_indices %w window [2, 2] : tensor<1x4x4x8xf32> -> tensor<1x2x2x8xf32>, tensor<1x2x2x8xui8>
  %l = mp.reduce_sum %p dimensions [0, 1, 2, 3] : tensor<1x2x2x8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

func.func @foreign_op(%w: tensor<8xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  // expected-error@+1 {{'math.sin' op has no derivative, and the loss depends on a parameter through it}}
  %s = math.sin %w : tensor<8xf32>
  %l = mp.reduce_sum %s dimensions [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

func.func @loop(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.zeros}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  // expected-error@+1 {{'mp_test.region' op has a region that mp-autodiff cannot go into: it does not run exactly once}}
  %l = "mp_test.region"() ({
    %r = mp.relu %w : tensor<f32>
    "mp_test.yield"(%r) : (tensor<f32>) -> ()
  }) : () -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Warned about where it is declared, and the step is made.
func.func @unreached(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.zeros},
    // expected-warning@+1 {{the loss does not depend on parameter "u": it has no gradient and is not trained}}
    %u: tensor<f32> {mp.parameter = "u", mp.initializer = #mp.zeros}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %c = mp.compare gt %u, %w : tensor<f32>, tensor<f32> -> tensor<i1>
  %l = mp.select %c, %w, %w : tensor<i1>, tensor<f32>, tensor<f32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

func.func @counted_loop(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.zeros}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  // expected-error@+1 {{'arith.constant' op has a result of type 'index'; mp-autodiff needs static tensors}}
  %c = arith.constant 4 : index
  %l = scf.for %i = %c to %c step %c iter_args(%a = %w) -> (tensor<f32>) {
    scf.yield %a : tensor<f32>
  }
  return %l : tensor<f32>
}

// -----

func.func @vector(%w: tensor<8xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  // expected-error@+1 {{'other.to_vector' op has a result of type 'vector<8xf32>'; mp-autodiff needs static tensors}}
  %v = "other.to_vector"(%w) : (tensor<8xf32>) -> vector<8xf32>
  %l = "other.sum"(%v) : (vector<8xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
