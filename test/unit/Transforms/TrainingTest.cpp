// What a training step keeps and what it changes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole jobs made by the stages up to the optimizer, run by the evaluator.

#include "Transforms/Job.h"

#include "mp/IR/Program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

using namespace mp;

namespace {

/// Two layers, dropout between them, and a running mean of the hidden layer, which the model itself keeps.
std::string model(const std::string &dropoutRate) {
  return R"mlir(
    func.func @model(%x: tensor<?x4xf32> {mp.input = "x"}, %y: tensor<?xui8> {mp.input = "y"},
        %w1: tensor<4x8xf32> {mp.parameter = "w1", mp.initializer = #mp.zeros},
        %b1: tensor<8xf32> {mp.parameter = "b1", mp.initializer = #mp.zeros},
        %w2: tensor<8x3xf32> {mp.parameter = "w2", mp.initializer = #mp.zeros},
        %mean: tensor<8xf32> {mp.state = "mean", mp.initializer = #mp.zeros},
        %rng: tensor<2xi64> {mp.state = "rng"})
        -> (tensor<f32> {mp.loss}, tensor<?x3xf32> {mp.output = "z"}, tensor<8xf32> {mp.next = "mean"})
        attributes {mp.program = "model"} {
      %h = mp.matmul %x, %w1 bias %b1 : tensor<8xf32> acc f32 : tensor<?x4xf32>, tensor<4x8xf32> -> tensor<?x8xf32>
      %r = mp.relu %h : tensor<?x8xf32>
      %d = mp.dropout %r, %rng {rate = )mlir" +
         dropoutRate + R"mlir(, stream = 1} : tensor<?x8xf32>
      %z = mp.matmul %d, %w2 acc f32 : tensor<?x8xf32>, tensor<8x3xf32> -> tensor<?x3xf32>
      %l = mp.softmax_cross_entropy %z, %y : tensor<?x3xf32>, tensor<?xui8> -> tensor<f32>
      %m = mp.reduce_mean %h dimensions [0] : tensor<?x8xf32> -> tensor<8xf32>
      %n = mp.add %mean, %m : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
      return %l, %z, %n : tensor<f32>, tensor<?x3xf32>, tensor<8xf32>
    })mlir";
}

CompileOptions optionsFor(const std::string &policy, int64_t batch) {
  CompileOptions options;
  options.specialize.batch = batch;
  options.autocast.policy = policy;
  options.optimizer.learningRate = 0.05;
  return options;
}

std::vector<double> uniform(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values(count);
  for (double &value : values)
    value = std::uniform_real_distribution<double>(-1, 1)(random);
  return values;
}

/// Sets parameters that are not 0, the same for every job.
void initialize(Job &job) {
  job.state["w1"] = floats({4, 8}, uniform(32, 1));
  job.state["b1"] = floats({8}, uniform(8, 2));
  job.state["w2"] = floats({8, 3}, uniform(24, 3));
  job.state["rng"] = integers(ElementType::I64, {2}, {42, 0});
  job.derive();
}

TensorMap batch(int64_t rows, uint64_t seed) {
  std::vector<int64_t> labels(static_cast<size_t>(rows));
  for (size_t i = 0; i < labels.size(); ++i)
    labels[i] = static_cast<int64_t>((seed + i) % 3);
  return {{"x", floats({rows, 4}, uniform(static_cast<size_t>(rows) * 4, seed))},
          {"y", integers(ElementType::UI8, {rows}, labels)}};
}

bool isOfScaler(const std::string &name) { return states::isOfScaler(name); }

/// Expects each state but the scaler's to have the same bits.
void expectSameBits(const TensorMap &state, const TensorMap &expected) {
  for (const auto &[name, tensor] : expected)
    if (!isOfScaler(name)) {
      EXPECT_EQ(state.at(name).bytes, tensor.bytes) << name;
    }
}

double scalar(const Tensor &tensor) {
  return isFloat(tensor.type.element) ? tensor.reals().front() : static_cast<double>(tensor.integers().front());
}

// From a scale at which f16 gradients overflow: skipped steps change nothing but the scaler, and then training goes on.
TEST(Training, ASeededOverflowRecovers) {
  CompileOptions options = optionsFor("mixed_float16", 4);
  options.lossScaling.initialScale = std::ldexp(1.0f, 24);
  options.lossScaling.growthInterval = 2;
  Job job(model("0.25"), options);
  initialize(job);
  int skipped = 0, taken = 0, grown = 0;
  for (uint64_t step = 0; step < 20; ++step) {
    TensorMap before = job.state;
    TensorMap results = job.run(ProgramKind::TrainStep, batch(4, step));
    ASSERT_FALSE(results.empty());
    double scale = scalar(before.at("loss_scale")), next = scalar(job.state.at("loss_scale"));
    EXPECT_EQ(scalar(results.at("loss_scale")), scale) << "the log has the scale that was used";
    if (scalar(results.at("bad")) >= 0) {
      ++skipped;
      expectSameBits(job.state, before);
      EXPECT_EQ(next, scale / 2);
      EXPECT_EQ(scalar(job.state.at("skipped_steps")), scalar(before.at("skipped_steps")) + 1);
      EXPECT_EQ(scalar(job.state.at("consecutive_skips")), scalar(before.at("consecutive_skips")) + 1);
    } else {
      ++taken;
      grown += next > scale;
      for (std::string name : {"w1", "w2", "b1", "w1/adam.m", "w1/adam.v", "mean", "rng", "adam.step"})
        EXPECT_NE(job.state.at(name).bytes, before.at(name).bytes) << name;
      EXPECT_EQ(scalar(job.state.at("consecutive_skips")), 0);
    }
  }
  EXPECT_GT(skipped, 0);
  EXPECT_GT(taken, 0);
  EXPECT_GT(grown, 0);
  EXPECT_EQ(scalar(job.state.at("skipped_steps")), skipped);
  EXPECT_EQ(scalar(job.state.at("adam.step")), taken);
  EXPECT_EQ(job.state.at("rng").integers(), (std::vector<int64_t>{42, taken}));
}

// Scaling by a power of two is exact while nothing overflows or underflows.
TEST(Training, AScaleThatIsAPowerOfTwoChangesNoBit) {
  auto train = [](float scale) {
    CompileOptions options = optionsFor("float32", 4);
    options.lossScaling.mode = LossScalingMode::Static;
    options.lossScaling.initialScale = scale;
    options.optimizer.clipNorm = 0.5;
    Job job(model("0.25"), options);
    initialize(job);
    for (uint64_t step = 0; step < 5; ++step)
      job.run(ProgramKind::TrainStep, batch(4, step));
    return job.state;
  };
  TensorMap plain = train(1);
  for (int exponent : {-10, 7, 40})
    expectSameBits(train(std::ldexp(1.0f, exponent)), plain);
}

// Two micro-batches are one step over the batch that they make up.
TEST(Training, MicroBatchesMakeOneStep) {
  auto options = [](int64_t rows) {
    CompileOptions options = optionsFor("float32", rows);
    options.lossScaling.mode = LossScalingMode::Dynamic;
    options.lossScaling.growthInterval = 1;
    options.optimizer.kind = OptimizerKind::SGD;
    options.optimizer.momentum = 0.5;
    options.optimizer.accumulate = 2;
    return options;
  };
  Job whole(model("0.0"), options(8)), parts(model("0.0"), options(4));
  initialize(whole);
  initialize(parts);
  TensorMap all = batch(8, 5);
  auto half = [&](int64_t index) {
    std::vector<double> x = all.at("x").reals();
    std::vector<int64_t> y = all.at("y").integers();
    return TensorMap{{"x", floats({4, 4}, {x.begin() + 16 * index, x.begin() + 16 * (index + 1)})},
                     {"y", integers(ElementType::UI8, {4}, {y.begin() + 4 * index, y.begin() + 4 * (index + 1)})}};
  };
  for (int step = 0; step < 3; ++step) {
    TensorMap old = parts.state;
    whole.run(ProgramKind::TrainStep, all);
    parts.run(ProgramKind::Accumulate, half(0));
    parts.run(ProgramKind::Accumulate, half(1));
    for (std::string name : {"w1", "mean", "loss_scale"})
      EXPECT_EQ(parts.state.at(name).bytes, old.at(name).bytes) << name << " waits for apply";
    parts.run(ProgramKind::Apply, {});
  }
  for (std::string name : {"w1", "b1", "w2", "w1/sgd.momentum"}) {
    std::vector<double> expected = whole.state.at(name).reals(), found = parts.state.at(name).reals();
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(found[i], expected[i], 1e-6) << name << '[' << i << ']';
  }
  // One update of the scale for each step; the sums are cleared; the running mean has seen each micro-batch.
  EXPECT_EQ(scalar(parts.state.at("loss_scale")), 65536 * 8);
  for (double value : parts.state.at("w1/gradient_sum").reals())
    EXPECT_EQ(value, 0);
  EXPECT_EQ(parts.state.at("mean").bytes, parts.state.at("mean/pending").bytes);
  EXPECT_NE(parts.state.at("mean").bytes, floats({8}, std::vector<double>(8, 0.0)).bytes);
}

// An infinity in one micro-batch skips the whole step: what was pending is dropped, the sums are cleared.
TEST(Training, ABadMicroBatchSkipsTheStep) {
  CompileOptions options = optionsFor("float32", 4);
  options.lossScaling.mode = LossScalingMode::Dynamic;
  options.optimizer.accumulate = 2;
  Job job(model("0.0"), options);
  initialize(job);
  TensorMap before = job.state, bad = batch(4, 1);
  std::vector<double> x = bad.at("x").reals();
  x[3] = std::numeric_limits<double>::infinity();
  bad["x"] = floats({4, 4}, x);
  job.run(ProgramKind::Accumulate, bad);
  job.run(ProgramKind::Accumulate, batch(4, 2));
  TensorMap results = job.run(ProgramKind::Apply, {});
  EXPECT_GE(scalar(results.at("bad")), 0);
  before["rng"] = job.state.at("rng"); // advances with every micro-batch
  expectSameBits(job.state, before);
  EXPECT_EQ(scalar(job.state.at("loss_scale")), 32768);
  EXPECT_EQ(scalar(job.state.at("skipped_steps")), 1);

  job.run(ProgramKind::Accumulate, batch(4, 3));
  job.run(ProgramKind::Accumulate, batch(4, 4));
  results = job.run(ProgramKind::Apply, {});
  EXPECT_EQ(scalar(results.at("bad")), -1);
  EXPECT_NE(job.state.at("w1").bytes, before.at("w1").bytes);
}

// Rows that fill a batch up do not count in eval, and infer's rows do not see each other.
TEST(Training, EvalLeavesFillingOut) {
  CompileOptions options = optionsFor("mixed_bfloat16", 4);
  Job full(model("0.5"), options);
  options.specialize.batch = 3;
  Job exact(model("0.5"), options);
  initialize(full);
  initialize(exact);
  TensorMap padded = batch(4, 9), rows;
  std::vector<double> x = padded.at("x").reals();
  std::vector<int64_t> y = padded.at("y").integers();
  rows["x"] = floats({3, 4}, {x.begin(), x.begin() + 12});
  rows["y"] = integers(ElementType::UI8, {3}, {y.begin(), y.begin() + 3});
  rows["row_weights"] = floats({3}, {1, 1, 1});
  padded["row_weights"] = floats({4}, {1, 1, 1, 0});
  TensorMap fromPadded = full.run(ProgramKind::Eval, padded), fromExact = exact.run(ProgramKind::Eval, rows);
  ASSERT_TRUE(fromPadded.contains("loss") && fromExact.contains("loss"));
  EXPECT_EQ(fromPadded.at("loss").bytes, fromExact.at("loss").bytes);
  std::vector<double> outputs = fromPadded.at("z").reals();
  outputs.resize(9);
  EXPECT_EQ(outputs, exact.run(ProgramKind::Infer, rows).at("z").reals());
}

} // namespace
