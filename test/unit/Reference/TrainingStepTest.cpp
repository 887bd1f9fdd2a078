// What must hold of whole training steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The properties that docs/loss-scaling.md promises, on programs that the passes made, run by the evaluator.

#include "Reference/TrainingJob.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

using namespace mp;

namespace {

/// Two layers with $T inside, dropout, and a state of the model's own, "mean".
std::string network(const std::string &type) {
  std::string text = R"(
func.func @model(%x: tensor<6x8xf32> {mp.input = "x"}, %y: tensor<6xi32> {mp.input = "y"},
    %w1: tensor<8x7xf32> {mp.parameter = "w1", mp.initializer = #mp.zeros},
    %b1: tensor<7xf32> {mp.parameter = "b1", mp.initializer = #mp.zeros},
    %w2: tensor<7x3xf32> {mp.parameter = "w2", mp.initializer = #mp.zeros},
    %mean: tensor<7xf32> {mp.state = "mean", mp.initializer = #mp.zeros}, %rng: tensor<2xi64> {mp.state = "rng"})
    -> (tensor<f32> {mp.loss}, tensor<7xf32> {mp.next = "mean"}) attributes {mp.program = "model"} {
  %xh = mp.cast %x : tensor<6x8xf32> -> tensor<6x8x$T>
  %w1h = mp.cast %w1 : tensor<8x7xf32> -> tensor<8x7x$T>
  %b1h = mp.cast %b1 : tensor<7xf32> -> tensor<7x$T>
  %w2h = mp.cast %w2 : tensor<7x3xf32> -> tensor<7x3x$T>
  %z1 = mp.matmul %xh, %w1h bias %b1h : tensor<7x$T> acc f32 : tensor<6x8x$T>, tensor<8x7x$T> -> tensor<6x7x$T>
  %h = mp.relu %z1 : tensor<6x7x$T>
  %d = mp.dropout %h, %rng {rate = 0.25, stream = 1} : tensor<6x7x$T>
  %z2 = mp.matmul %d, %w2h acc f32 : tensor<6x7x$T>, tensor<7x3x$T> -> tensor<6x3x$T>
  %l = mp.softmax_cross_entropy %z2, %y : tensor<6x3x$T>, tensor<6xi32> -> tensor<f32>
  %wide = mp.cast %h : tensor<6x7x$T> -> tensor<6x7xf32>
  %m = mp.reduce_mean %wide dimensions [0] : tensor<6x7xf32> -> tensor<7xf32>
  %sum = mp.add %mean, %m : tensor<7xf32>, tensor<7xf32> -> tensor<7xf32>
  return %l, %sum : tensor<f32>, tensor<7xf32>
})";
  for (size_t at = text.find("$T"); at != std::string::npos; at = text.find("$T"))
    text.replace(at, 2, type);
  return text;
}

Tensor normal(std::vector<int64_t> shape, uint64_t seed, double deviation = 1) {
  TensorTypeT type = makeType(ElementType::F32, std::move(shape));
  std::mt19937_64 random(seed);
  std::normal_distribution<double> distribution(0, deviation);
  std::vector<double> values(*elementCount(type));
  for (double &value : values)
    value = distribution(random);
  return Tensor::ofReals(std::move(type), values);
}

TrainingJob::Values batch(uint64_t seed) {
  return {{"x", normal({6, 8}, seed)}, {"y", integers(ElementType::I32, {6}, {0, 1, 2, 0, 1, 2})}};
}

/// The same with one input infinite, which makes gradients infinite or NaN.
TrainingJob::Values badBatch(uint64_t seed) {
  TrainingJob::Values values = batch(seed);
  std::vector<double> x = values.at("x").reals();
  x[11] = INFINITY;
  values.at("x") = Tensor::ofReals(values.at("x").type, x);
  return values;
}

TrainingJob makeNetwork(const std::string &type, const std::string &scaling, const std::string &optimizer) {
  TrainingJob job(network(type), "mp-autodiff,mp-loss-scaling{" + scaling + "},mp-optimizer{" + optimizer + "}");
  job.state["w1"] = normal({8, 7}, 100, 0.5);
  job.state["w2"] = normal({7, 3}, 101, 0.5);
  return job;
}

const char *const kOptimizers[] = {"kind=sgd",
                                   "kind=sgd momentum=0.9 nesterov=true weight-decay=0.01",
                                   "kind=adam",
                                   "kind=adamw weight-decay=0.1 clip-norm=0.5",
                                   "kind=rmsprop clip-value=0.1",
                                   "kind=rmsprop centered momentum=0.9 clip-parameter-norm=0.5",
                                   "kind=adagrad learning-rate-decay=0.1 initial-accumulator-value=0.1",
                                   "kind=nadam",
                                   "kind=lamb weight-decay=0.1",
                                   "kind=lion"};

/// The names of the states that differ between two moments.
std::set<std::string> changes(const TrainingJob::Values &before, const TrainingJob::Values &after) {
  std::set<std::string> names;
  for (const auto &[name, tensor] : after)
    if (tensor.bytes != before.at(name).bytes)
      names.insert(name);
  return names;
}

} // namespace

/// Parameters and slots after 6 steps with a static scale of 2^k.
static TrainingJob::Values trainedWithScale(const std::string &type, const std::string &optimizer, int k) {
  TrainingJob job = makeNetwork(type, "mode=static init-scale=" + std::to_string(std::ldexp(1.0, k)), optimizer);
  for (uint64_t step = 0; step < 6; ++step) {
    TrainingJob::Values logs = job.run("train_step", batch(step));
    EXPECT_EQ(numberIn(logs.at("bad")), -1) << "step " << step;
  }
  job.state.erase("loss_scale");
  return job.state;
}

TEST(TrainingStep, scalingByAPowerOfTwoChangesNoBit) {
  struct Range {
    const char *type;
    int from;
    std::vector<int> to;
  };
  // f16 gradients of this network underflow below 2^12 and overflow above 2^16.
  const Range kRanges[] = {{"f32", 0, {1, 17, 60}}, {"bf16", 0, {1, 17, 60}}, {"f16", 12, {13, 16}}};
  for (const Range &range : kRanges)
    for (const std::string optimizer : kOptimizers) {
      const TrainingJob::Values base = trainedWithScale(range.type, optimizer, range.from);
      for (int k : range.to) {
        SCOPED_TRACE(std::string(range.type) + ", " + optimizer + ", 2^" + std::to_string(k));
        EXPECT_EQ(changes(base, trainedWithScale(range.type, optimizer, k)), std::set<std::string>());
      }
    }
}

TEST(TrainingStep, aSkippedStepWritesNothingButTheScaler) {
  struct Mode {
    const char *scaling;
    std::set<std::string> written;
  };
  const Mode kModes[] = {
      {"mode=dynamic init-scale=1024", {"loss_scale", "skipped_steps", "consecutive_skips", "growth_tracker"}},
      {"mode=dynamic init-scale=1024 hysteresis=2",
       {"hysteresis_tracker", "skipped_steps", "consecutive_skips", "growth_tracker"}},
      {"mode=static init-scale=1024", {"skipped_steps", "consecutive_skips"}},
      {"mode=none", {"skipped_steps", "consecutive_skips"}}};
  for (const Mode &mode : kModes)
    for (const std::string optimizer : kOptimizers) {
      SCOPED_TRACE(std::string(mode.scaling) + ", " + optimizer);
      TrainingJob job = makeNetwork("f16", mode.scaling, optimizer);
      ASSERT_TRUE(job.isReady());
      const TrainingJob::Values start = job.state;
      job.run("train_step", batch(1));
      const std::set<std::string> trained = changes(start, job.state);
      for (const char *name : {"w1", "b1", "w2", "mean", "rng"})
        EXPECT_TRUE(trained.contains(name)) << name << " changes in a step that is not skipped";

      const TrainingJob::Values before = job.state;
      TrainingJob::Values logs = job.run("train_step", badBatch(2));
      EXPECT_GE(numberIn(logs.at("bad")), 0);
      EXPECT_EQ(changes(before, job.state), mode.written);
      EXPECT_EQ(numberIn(job.state.at("skipped_steps")), 1);
      EXPECT_EQ(numberIn(job.state.at("consecutive_skips")), 1);

      job.run("train_step", batch(3));
      EXPECT_EQ(numberIn(job.state.at("skipped_steps")), 1);
      EXPECT_EQ(numberIn(job.state.at("consecutive_skips")), 0);
    }
}

TEST(TrainingStep, aBadSumOfMicroBatchesIsDroppedWhole) {
  TrainingJob job = makeNetwork("f16", "mode=dynamic init-scale=1024", "kind=adam accumulate=2");
  ASSERT_TRUE(job.isReady());
  const TrainingJob::Values before = job.state;
  job.run("accumulate", batch(1));
  job.run("accumulate", badBatch(2));
  EXPECT_EQ(job.state.at("w1").bytes, before.at("w1").bytes);
  job.run("apply", {});
  // Each micro-batch drew masks of its own: the generator has moved on.
  EXPECT_EQ(changes(before, job.state),
            (std::set<std::string>{"loss_scale", "skipped_steps", "consecutive_skips", "rng"}));
}

TEST(TrainingStep, twoMicroBatchesAreOneStepOfTheirMean) {
  // One micro-batch given twice has the mean gradient of itself; dropout off, by giving both the same masks.
  TrainingJob whole = makeNetwork("f32", "mode=static init-scale=1024", "kind=adam accumulate=2");
  TrainingJob halves = makeNetwork("f32", "mode=static init-scale=1024", "kind=adam accumulate=2");
  ASSERT_TRUE(whole.isReady() && halves.isReady());
  whole.run("train_step", batch(1));
  const Tensor rng = halves.state.at("rng");
  halves.run("accumulate", batch(1));
  halves.state["rng"] = rng;
  halves.run("accumulate", batch(1));
  halves.run("apply", {});
  for (const char *name : {"w1", "b1", "w2", "w1/adam.m", "w1/adam.v", "adam.step"})
    EXPECT_EQ(halves.state.at(name).bytes, whole.state.at(name).bytes) << name;
}

TEST(TrainingStep, overflowAtTheFirstScalesIsRecoveredFrom) {
  TrainingJob job =
      makeNetwork("f16", "mode=dynamic init-scale=1073741824 growth-interval=4", "kind=sgd learning-rate=0.5");
  ASSERT_TRUE(job.isReady());
  std::vector<double> losses;
  for (int step = 0; step < 60; ++step)
    losses.push_back(numberIn(job.run("train_step", batch(7)).at("loss")));
  EXPECT_GT(numberIn(job.state.at("skipped_steps")), 5);
  EXPECT_LT(numberIn(job.state.at("loss_scale")), 1073741824.0);
  EXPECT_LT(losses.back(), 0.5 * losses.front());
}

namespace {

/// One parameter whose gradient is the input: 2^-20, or infinite where a trace says X.
const char *const kLinear = R"(
func.func @model(%x: tensor<f32> {mp.input = "x"}, %v: tensor<f32> {mp.parameter = "v", mp.initializer = #mp.ones},
    %w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.ones}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %p = mp.mul %w, %x : tensor<f32>, tensor<f32> -> tensor<f32>
  %tiny = mp.constant dense<9.5367431640625E-7> : tensor<f32>
  %q = mp.mul %v, %tiny : tensor<f32>, tensor<f32> -> tensor<f32>
  %l = mp.add %p, %q : tensor<f32>, tensor<f32> -> tensor<f32>
  return %l : tensor<f32>
})";

struct Trace {
  std::string name;
  std::string options;
  std::string pattern;
  std::vector<double> scales; // after each update
};

} // namespace

TEST(TrainingStep, lossScalesFollowEveryFrameworksTrace) {
  const std::string none = "floor=0 ceiling=inf ", paddle = "hysteresis=2 ",
                    deepSpeed = "hysteresis=2 hysteresis-kind=cumulative ceiling=inf ";
  const double huge = 0x1p127;
  const Trace kTraces[] = {
      {"PyTorch", "floor=0 init-scale=8 growth-interval=2", "...X..XX..", {8, 16, 16, 8, 8, 16, 8, 4, 4, 8}},
      {"Keras 2, jmp", "init-scale=8 growth-interval=2", "...X..XX..", {8, 16, 16, 8, 8, 16, 8, 4, 4, 8}},
      {"Paddle", paddle + "init-scale=8 growth-interval=2", "...X..XX..", {8, 16, 16, 16, 16, 32, 32, 16, 16, 32}},
      {"DeepSpeed",
       deepSpeed + "init-scale=8 growth-interval=2",
       "...X..XX..",
       {8, 16, 16, 16, 16, 32, 32, 16, 16, 32}},
      {"PyTorch", "floor=0 init-scale=4", "XXXXX", {2, 1, .5, .25, .125}},
      {"Keras 2, jmp", "init-scale=4", "XXXXX", {2, 1, 1, 1, 1}},
      {"Paddle", paddle + "init-scale=4", "XXXXX", {4, 2, 2, 1, 1}},
      {"DeepSpeed", deepSpeed + "init-scale=4", "XXX", {4, 2, 1}},
      {"PyTorch, Keras 2, jmp", "init-scale=1.7014118346046923e38 growth-interval=1", "..", {huge, huge}},
      {"Paddle", paddle + "init-scale=1.7014118346046923e38 growth-interval=1", "..", {huge, huge}},
      {"DeepSpeed", deepSpeed + "init-scale=1.7014118346046923e38 growth-interval=1", "..", {INFINITY, INFINITY}},
      {"PyTorch", "floor=0 init-scale=4 growth-factor=2 backoff-factor=0.25 growth-interval=2", "..X", {4, 8, 2}},
      {"Apex", none + "ceiling=16 init-scale=8 growth-interval=1", "...X.", {16, 16, 16, 8, 16}},
  };
  for (const Trace &trace : kTraces) {
    SCOPED_TRACE(trace.name + " " + trace.pattern);
    TrainingJob job(kLinear, "mp-autodiff,mp-loss-scaling{mode=dynamic " + trace.options +
                                 "},mp-optimizer{kind=sgd learning-rate=0}");
    ASSERT_TRUE(job.isReady());
    for (size_t step = 0; step < trace.pattern.size(); ++step) {
      const bool overflows = trace.pattern[step] == 'X';
      const double used = numberIn(job.state.at("loss_scale"));
      const TrainingJob::Values logs =
          job.run("train_step", {{"x", reals(ElementType::F32, {}, {overflows ? INFINITY : 0x1p-20})}});
      EXPECT_EQ(numberIn(logs.at("loss_scale")), used);
      if (std::isfinite(used)) { // an infinite scale makes every step bad
        EXPECT_EQ(numberIn(logs.at("bad")) >= 0, overflows) << "step " << step;
      }
      EXPECT_EQ(numberIn(job.state.at("loss_scale")), trace.scales[step]) << "step " << step;
    }
  }
}

TEST(TrainingStep, badNamesTheFirstGradientThatIsNotFinite) {
  TrainingJob job(kLinear, "mp-autodiff,mp-loss-scaling{mode=dynamic},mp-optimizer{kind=sgd}");
  ASSERT_TRUE(job.isReady());
  // The gradients of v, which is finite, and of w, which is the input.
  EXPECT_EQ(numberIn(job.run("train_step", {{"x", reals(ElementType::F32, {}, {NAN})}}).at("bad")), 1);
  EXPECT_EQ(numberIn(job.run("train_step", {{"x", reals(ElementType::F32, {}, {1.0})}}).at("bad")), -1);
  job.state["loss_scale"] = reals(ElementType::F32, {}, {INFINITY});
  EXPECT_EQ(numberIn(job.run("train_step", {{"x", reals(ElementType::F32, {}, {1.0})}}).at("bad")), 0);
}

TEST(TrainingStep, aScaleWhoseInverseIsInfiniteIsSeen) {
  // PyTorch checks before the multiplication only: 1 / 2^-140 is infinite, a finite gradient becomes infinite, and the
  // step is taken.
  TrainingJob job(kLinear, "mp-autodiff,mp-loss-scaling{mode=static},mp-optimizer{kind=sgd}");
  ASSERT_TRUE(job.isReady());
  job.state["loss_scale"] = reals(ElementType::F32, {}, {0x1p-140});
  const TrainingJob::Values before = job.state;
  EXPECT_EQ(numberIn(job.run("train_step", {{"x", reals(ElementType::F32, {}, {1.0})}}).at("bad")), 0);
  EXPECT_EQ(job.state.at("w").bytes, before.at("w").bytes);
}
