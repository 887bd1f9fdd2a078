// Types chosen by modelled seconds, on graphs of plain values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/PrecisionPlan.h"

#include "gtest/gtest.h"

#include <chrono>
#include <random>

using namespace mp;

namespace {

constexpr auto kF16 = static_cast<size_t>(Precision::F16);
constexpr auto kBF16 = static_cast<size_t>(Precision::BF16);
constexpr auto kF32 = static_cast<size_t>(Precision::F32);

/// Builds a graph op by op; each op has one result.
struct GraphBuilder {
  PrecisionGraph graph;
  Precision low = Precision::BF16;

  ValueId argument(double castSeconds = 0) {
    graph.values.emplace_back().castSeconds = castSeconds;
    return graph.values.size() - 1;
  }
  /// An op that takes so long in the low type and in f32.
  ValueId op(PrecisionCategory category, std::initializer_list<ValueId> operands, double lowSeconds, double wideSeconds,
             double castSeconds = 0) {
    PrecisionNode &node = graph.nodes.emplace_back();
    node.name = "op" + std::to_string(graph.nodes.size() - 1);
    node.category = category;
    node.low = low;
    node.operands = operands;
    node.results.push_back(graph.values.size());
    node.seconds[kF16] = node.seconds[kBF16] = lowSeconds;
    node.seconds[kF32] = wideSeconds;
    PrecisionValue &result = graph.values.emplace_back();
    result.producer = graph.nodes.size() - 1;
    result.castSeconds = castSeconds;
    return graph.values.size() - 1;
  }
  std::string types(const PrecisionPlan &plan) const {
    std::string text;
    for (const PrecisionDecision &decision : plan.decisions)
      text += (text.empty() ? "" : " ") + stringify(decision.precision.value_or(Precision::F32)).str();
    return text;
  }
  std::string types() const { return types(decideByCost(graph)); }
};

constexpr auto kAllow = PrecisionCategory::Allow;
constexpr auto kInfer = PrecisionCategory::Infer;
constexpr auto kClear = PrecisionCategory::Clear;
constexpr auto kDeny = PrecisionCategory::Deny;

TEST(ByCost, AnOpIsLowWhereItIsFasterWithItsCasts) {
  for (auto [castSeconds, expected] : {std::pair(3.0, "bf16"), std::pair(5.0, "f32")}) {
    GraphBuilder b;
    b.op(kAllow, {b.argument(castSeconds), b.argument()}, 6, 10);
    EXPECT_EQ(b.types(), expected);
  }
}

TEST(ByCost, ReasonsNameTheSecondsOfBothTypes) {
  GraphBuilder b;
  ValueId fast = b.op(kAllow, {b.argument(1e-6), b.argument()}, 6e-6, 2e-3);
  b.op(kClear, {fast}, 1e-6, 2e-6);
  b.op(kDeny, {fast}, 0, 0);
  b.op(kAllow, {b.argument(1e-6), b.argument()}, 6e-6, 2e-6);
  PrecisionPlan plan = decideByCost(b.graph);
  EXPECT_EQ(explain(b.graph, plan, 0), "bf16: allow, 7 us modelled, f32 2 ms");
  EXPECT_EQ(explain(b.graph, plan, 1), "bf16: clear, follows op0; op0: allow, 7 us modelled, f32 2 ms");
  EXPECT_EQ(explain(b.graph, plan, 2), "f32: deny");
  EXPECT_EQ(explain(b.graph, plan, 3), "f32: allow, 2 us modelled, bf16 7 us");
}

// Two products that each gain less than a cast between them costs are low together.
TEST(ByCost, NeighboursShareTheirCasts) {
  GraphBuilder b;
  ValueId first = b.op(kAllow, {b.argument(2)}, 9, 10, 4);
  ValueId between = b.op(kClear, {first}, 0, 0, 4);
  b.op(kAllow, {between}, 6, 10, 4);
  EXPECT_EQ(b.types(), "bf16 bf16 bf16");
  b.graph.values[0].castSeconds = 20;
  EXPECT_EQ(b.types(), "f32 f32 f32");
}

// One cast serves all users.
TEST(ByCost, AValueIsCastOnce) {
  GraphBuilder b;
  ValueId shared = b.argument(5);
  for (int user = 0; user < 3; ++user)
    b.op(kAllow, {shared}, 2, 4);
  EXPECT_EQ(b.types(), "bf16 bf16 bf16");
}

TEST(ByCost, WhatIsReadAsWrittenIsCastBack) {
  GraphBuilder b;
  ValueId result = b.op(kAllow, {b.argument()}, 2, 4, 3);
  EXPECT_EQ(b.types(), "bf16");
  b.graph.values[result].isReadAsWritten = true;
  EXPECT_EQ(b.types(), "f32");
}

// Where an op follows f32, it is f32, however slow.
TEST(ByCost, CategoriesHold) {
  GraphBuilder b;
  ValueId denied = b.op(kDeny, {b.argument()}, 1, 3);
  b.op(kInfer, {denied, b.argument()}, 1, 3);
  b.op(kAllow, {denied}, 1, 2);
  EXPECT_EQ(b.types(), "f32 f32 bf16");
}

TEST(ByCost, RequestsAndRegionsHold) {
  GraphBuilder b;
  b.op(kAllow, {b.argument()}, 9, 1);
  b.graph.nodes.back().requested = Precision::BF16;
  b.op(kAllow, {b.argument()}, 9, 1);
  b.graph.nodes.back().low = Precision::F16;
  b.graph.nodes.back().statesLow = true;
  b.op(kAllow, {b.argument()}, 1, 90);
  b.graph.nodes.back().low.reset();
  b.op(kAllow, {b.argument()}, 9, 1);
  b.graph.nodes.back().statesLow = true;
  b.op(kAllow, {b.argument()}, 9, 1);
  EXPECT_EQ(b.types(), "bf16 f16 f32 bf16 f32");
}

// What already is of the low type needs no cast to be read so, but one to be f32.
TEST(ByCost, WhatIsWrittenLowStaysLow) {
  GraphBuilder b;
  ValueId cast = b.op(PrecisionCategory::Fixed, {b.argument()}, 0, 0, 4);
  b.graph.values[cast].type = Precision::BF16;
  b.op(kAllow, {cast}, 2, 3);
  EXPECT_EQ(b.types(), "f32 bf16");
  b.graph.nodes.front().category = kAllow;
  b.graph.nodes.front().statesLow = true;
  b.graph.nodes.front().low = Precision::F16;
  EXPECT_EQ(b.types(), "f16 bf16"); // from the other low type both are casts
}

TEST(ByCost, AnAllowedOpWhoseConstantDoesNotFitIsF32) {
  GraphBuilder b;
  b.low = Precision::F16;
  ValueId table = b.argument();
  b.graph.values[table].constant = ConstantRange{70000, 1, false};
  ValueId product = b.op(kAllow, {b.argument(), table}, 1, 100);
  b.op(kClear, {product}, 1, 100);
  PrecisionPlan plan = decideByCost(b.graph);
  EXPECT_TRUE(plan.problems.empty());
  EXPECT_EQ(b.types(plan), "f32 f32");
  EXPECT_EQ(explain(b.graph, plan, 0), "f32: allow, but constant 70000 becomes infinite in f16");
  EXPECT_EQ(explain(b.graph, plan, 1),
            "f32: clear, follows op0; op0: allow, but constant 70000 becomes infinite in f16");
  b.graph.nodes.front().requested = Precision::F16;
  EXPECT_EQ(decideByCost(b.graph).problems.size(), 1u);
}

TEST(ByCost, ASmallGainIsNotBelieved) {
  for (auto [lowSeconds, expected] : {std::pair(0.93, "f32"), std::pair(0.91, "bf16")}) {
    GraphBuilder b;
    b.op(kAllow, {b.argument()}, lowSeconds, 1);
    PrecisionPlan plan = decideByCost(b.graph);
    EXPECT_EQ(b.types(plan), expected);
    EXPECT_DOUBLE_EQ(plan.lowSeconds, lowSeconds);
    EXPECT_DOUBLE_EQ(plan.wideSeconds, 1);
  }
}

TEST(ByCost, LossScalingCounts) {
  GraphBuilder b;
  b.low = Precision::F16;
  b.op(kAllow, {b.argument()}, 1, 4);
  b.graph.lossScalingSeconds = 2;
  EXPECT_EQ(b.types(), "f16");
  b.graph.lossScalingSeconds = 3;
  EXPECT_EQ(b.types(), "f32");
}

/// Every assignment of low types that the rule allows, tried out.
double leastSeconds(const GraphBuilder &b) {
  const PrecisionPlan perOp = decidePerOp(b.graph);
  std::vector<NodeId> open;
  for (NodeId id = 0; id < b.graph.nodes.size(); ++id)
    if (perOp.decisions[id].precision == b.low)
      open.push_back(id);
  double least = std::numeric_limits<double>::infinity();
  for (unsigned subset = 0; subset < 1u << open.size(); ++subset) {
    PrecisionPlan plan = perOp;
    for (auto [bit, id] : llvm::enumerate(open))
      plan.decisions[id].precision = subset >> bit & 1 ? b.low : Precision::F32;
    bool isLegal = true;
    for (NodeId id : open)
      if (const PrecisionNode &node = b.graph.nodes[id];
          node.category != kAllow && plan.decisions[id].precision == b.low)
        for (ValueId value : node.followed.empty() ? llvm::ArrayRef(node.operands) : llvm::ArrayRef(node.followed))
          isLegal &= plan.typeOf(b.graph, value) == b.low;
    if (isLegal)
      least = std::min(least, modelSeconds(b.graph, plan));
  }
  return least;
}

TEST(ByCost, NoLegalPlanIsCheaper) {
  std::mt19937 random(7);
  auto upTo = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  for (int round = 0; round < 400; ++round) {
    GraphBuilder b;
    for (int i = 0; i < 3; ++i)
      b.argument(upTo(8));
    for (unsigned count = 3 + upTo(9); count > 0; --count) {
      const PrecisionCategory categories[] = {kAllow, kAllow, kInfer, kClear, kDeny};
      auto value = [&] { return static_cast<ValueId>(upTo(b.graph.values.size())); };
      const ValueId stated = value();
      b.op(categories[upTo(5)], {value(), value()}, upTo(12), upTo(20), upTo(8));
      if (upTo(4) == 0)
        b.graph.nodes.back().followed.push_back(stated);
      b.graph.values.back().isReadAsWritten = upTo(4) == 0;
      if (upTo(6) == 0) { // a cast that a user wrote
        b.graph.nodes.back().category = PrecisionCategory::Fixed;
        b.graph.values.back().type = upTo(2) == 0 ? b.low : Precision::F32;
      }
    }
    const PrecisionPlan plan = decideByCost(b.graph);
    EXPECT_NEAR(plan.lowSeconds, leastSeconds(b), 1e-9) << round;
    EXPECT_LE(modelSeconds(b.graph, plan), plan.wideSeconds) << round;
  }
}

/// Seconds that deciding a graph of so many layers takes.
template <typename Build> double secondsToDecide(int layers, Build build) {
  GraphBuilder b;
  build(b, layers);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(decideByCost(b.graph).decisions.size(), b.graph.nodes.size());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Chains of ten times the length take about ten times as long: of products and what follows them, and of what gains,
// all the way, from a product that loses.
TEST(ByCost, LongGraphsAreDecidedInTheirLength) {
  auto products = [](GraphBuilder &b, int layers) {
    ValueId value = b.argument(1);
    for (int layer = 0; layer < layers; ++layer) {
      value = b.op(kAllow, {value, b.argument(1)}, 3 + layer % 5, 4 + layer % 3, 1);
      value = b.op(layer % 7 == 0 ? kDeny : kClear, {value}, 1, 1, 1);
    }
  };
  auto followers = [](GraphBuilder &b, int layers) {
    ValueId value = b.op(kAllow, {b.argument(1)}, 2.5 * layers, 1, 3);
    for (int layer = 0; layer < layers; ++layer)
      value = b.op(kClear, {value}, 1, 3, 2);
  };
  EXPECT_LT(secondsToDecide(20000, products), 30 * secondsToDecide(2000, products) + 2);
  EXPECT_LT(secondsToDecide(20000, followers), 30 * secondsToDecide(2000, followers) + 2);
}

// Seconds of any length: a step of a microsecond, and one of ten years.
TEST(ByCost, StepsMayBeLong) {
  for (double unit : {1e-9, 1e-3, 1.0, 3e8}) {
    GraphBuilder b;
    b.op(kAllow, {b.op(kDeny, {b.argument(unit)}, 9 * unit, 9 * unit, unit)}, unit, 4 * unit, unit);
    b.op(kAllow, {b.argument(5 * unit)}, unit, 4 * unit, unit);
    EXPECT_EQ(b.types(), "f32 bf16 f32") << unit;
  }
}

} // namespace
