// Decisions on graphs of plain values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Analysis/PageEnd.h"

#include "mp/Analysis/PrecisionPlan.h"

#include "gtest/gtest.h"

#include <numeric>
#include <random>

using namespace mp;

namespace {

/// Builds a graph op by op; each op has one result.
struct GraphBuilder {
  PrecisionGraph graph;
  std::optional<Precision> low = Precision::F16;

  ValueId argument(Precision type = Precision::F32) {
    graph.values.push_back({type, std::nullopt, std::nullopt, "argument"});
    return graph.values.size() - 1;
  }
  ValueId constant(double largest, double smallest, bool isNumber) {
    graph.values.push_back({Precision::F32, std::nullopt, ConstantRange{largest, smallest, isNumber}, "constant"});
    return graph.values.size() - 1;
  }
  ValueId number(double value) { return constant(value, value, true); }
  ValueId op(PrecisionCategory category, std::initializer_list<ValueId> operands, std::string name = "op") {
    PrecisionNode node;
    node.name = name;
    node.category = category;
    node.low = low;
    node.operands = operands;
    node.results.push_back(graph.values.size());
    graph.values.push_back({Precision::F32, NodeId(graph.nodes.size()), std::nullopt, name});
    graph.nodes.push_back(std::move(node));
    return graph.values.size() - 1;
  }
  PrecisionNode &last() { return graph.nodes.back(); }
  PrecisionPlan decide() const { return decidePerOp(graph); }
  std::string explainLast() const { return explain(graph, decide(), graph.nodes.size() - 1); }
};

constexpr auto kAllow = PrecisionCategory::Allow;
constexpr auto kInfer = PrecisionCategory::Infer;
constexpr auto kClear = PrecisionCategory::Clear;
constexpr auto kDeny = PrecisionCategory::Deny;
constexpr auto kPromote = PrecisionCategory::Promote;

TEST(Precision, WidestOfDifferentTypesIsF32) {
  EXPECT_EQ(widest(Precision::F16, Precision::F16), Precision::F16);
  EXPECT_EQ(widest(Precision::F16, Precision::BF16), Precision::F32);
  EXPECT_EQ(widest(Precision::BF16, Precision::F32), Precision::F32);
}

// The limits are those of IEEE 754: 65520 is half way between the largest f16 and the next power of two, 2^-25 half of
// the smallest; ties go to even, that is to infinity and to 0.
TEST(ConstantRange, LossIsAtTheRoundingLimits) {
  auto loses = [](double value, Precision precision) {
    return describeLoss({value, value, true}, precision).has_value();
  };
  EXPECT_FALSE(loses(65519.99, Precision::F16));
  EXPECT_TRUE(loses(65520, Precision::F16));
  EXPECT_TRUE(loses(-65520, Precision::F16));
  EXPECT_FALSE(loses(0x1.000002p-25, Precision::F16));
  EXPECT_TRUE(loses(0x1p-25, Precision::F16));
  EXPECT_FALSE(loses(0x1.fefffep127, Precision::BF16));
  EXPECT_TRUE(loses(0x1.ffp127, Precision::BF16));
  EXPECT_TRUE(loses(0x1p-134, Precision::BF16));
  EXPECT_FALSE(loses(0, Precision::F16));
  EXPECT_EQ(describeLoss({-1e9, 1e-12, false}, Precision::F16), "constant -1e+09 becomes infinite in f16");
  EXPECT_EQ(describeLoss({1, 1e-12, false}, Precision::F16), "constant 1e-12 becomes 0 in f16");
}

TEST(PerOp, CategoriesDecide) {
  GraphBuilder b;
  ValueId x = b.argument(), w = b.argument();
  ValueId product = b.op(kAllow, {x, w}, "matmul");
  ValueId clear = b.op(kClear, {product}, "relu");
  ValueId denied = b.op(kDeny, {clear}, "softmax");
  b.op(kInfer, {denied, clear}, "add");
  PrecisionPlan plan = b.decide();
  EXPECT_EQ(plan.decisions[0].precision, Precision::F16);
  EXPECT_EQ(plan.decisions[1].precision, Precision::F16);
  EXPECT_EQ(plan.decisions[2].precision, Precision::F32);
  EXPECT_EQ(plan.decisions[3].precision, Precision::F32);
  EXPECT_EQ(explain(b.graph, plan, 1), "f16: clear, follows matmul; matmul: allow");
  EXPECT_EQ(explain(b.graph, plan, 3), "f32: infer, follows softmax; softmax: deny");
  EXPECT_TRUE(plan.problems.empty());
}

TEST(PerOp, WithoutAllowedOpNothingIsNarrowed) {
  GraphBuilder b;
  ValueId x = b.argument();
  for (PrecisionCategory category : {kInfer, kClear, kPromote, kDeny})
    x = b.op(category, {x});
  for (const PrecisionDecision &decision : b.decide().decisions)
    EXPECT_EQ(decision.precision, Precision::F32);
}

TEST(PerOp, NumbersTakeTheTypeOfTheirOp) {
  GraphBuilder b;
  ValueId product = b.op(kAllow, {b.argument(), b.argument()}, "matmul");
  b.op(kInfer, {product, b.number(0.5)}, "mul");
  EXPECT_EQ(b.decide().decisions.back().precision, Precision::F16);
  // A table of constants has its say, as a tensor has in PyTorch.
  b.op(kInfer, {product, b.constant(0.5, 0.25, false)}, "mul");
  EXPECT_EQ(b.explainLast(), "f32: infer, follows constant");
  b.op(kInfer, {b.number(1), b.number(2)}, "add");
  EXPECT_EQ(b.decide().decisions.back().precision, Precision::F32);
}

TEST(PerOp, ScalarsFollowWherePolicyWantsIt) {
  GraphBuilder b;
  auto scalar = [&](ValueId value) {
    b.graph.values[value].isScalar = true;
    return value;
  };
  ValueId product = b.op(kAllow, {b.argument(), b.argument()}, "matmul");
  ValueId wide = scalar(b.argument());
  ValueId computed = scalar(b.op(kDeny, {wide}, "exp"));
  ValueId narrow = scalar(b.argument(Precision::F16));
  auto decide = [&](std::initializer_list<ValueId> operands, bool follow) {
    GraphBuilder with = b;
    with.op(kInfer, operands, "mul");
    with.graph.scalarsFollow = follow;
    return *with.decide().decisions.back().precision;
  };
  for (ValueId value : {wide, computed}) {
    EXPECT_EQ(decide({product, value}, true), Precision::F16);
    EXPECT_EQ(decide({value, product}, true), Precision::F16);
    EXPECT_EQ(decide({product, value}, false), Precision::F32);
    // Among themselves they have their say, and over numbers.
    EXPECT_EQ(decide({narrow, value}, true), Precision::F32);
    EXPECT_EQ(decide({value, b.number(0.5)}, true), Precision::F32);
  }
  EXPECT_EQ(decide({narrow, b.number(0.5)}, true), Precision::F16);
  EXPECT_EQ(decide({b.argument(), narrow}, true), Precision::F32);
  // A number is no tensor, whatever its shape.
  EXPECT_EQ(decide({b.number(0.5), narrow}, true), Precision::F16);
}

TEST(PerOp, AnOpMaySayWhatItFollows) {
  GraphBuilder b;
  ValueId wide = b.argument(), product = b.op(kAllow, {wide, wide}, "matmul");
  ValueId scalar = b.argument();
  b.graph.values[scalar].isScalar = true;
  b.graph.scalarsFollow = true;
  auto decide = [&](PrecisionCategory category, std::initializer_list<ValueId> operands,
                    std::initializer_list<ValueId> followed) {
    GraphBuilder with = b;
    with.op(category, operands, "add");
    with.last().followed = followed;
    return *with.decide().decisions.back().precision;
  };
  EXPECT_EQ(decide(kInfer, {wide, product}, {}), Precision::F32);
  EXPECT_EQ(decide(kInfer, {wide, product}, {product}), Precision::F16);
  EXPECT_EQ(decide(kInfer, {product, product}, {product, wide}), Precision::F32);
  EXPECT_EQ(decide(kDeny, {wide, product}, {product}), Precision::F32);
  EXPECT_EQ(decide(kAllow, {wide, product}, {wide}), Precision::F16);
  // What is stated counts, a scalar too, but for numbers.
  EXPECT_EQ(decide(kPromote, {product, scalar}, {}), Precision::F16);
  EXPECT_EQ(decide(kPromote, {product, scalar}, {product, scalar}), Precision::F32);
  EXPECT_EQ(decide(kPromote, {product, product}, {product, b.number(0.5)}), Precision::F16);
}

TEST(PerOp, ConstantOutOfRangeOverridesTheLists) {
  GraphBuilder b;
  ValueId product = b.op(kAllow, {b.argument(), b.argument()}, "matmul");
  b.op(kInfer, {product, b.number(-1e9)}, "add");
  EXPECT_EQ(b.decide().decisions.back().precision, Precision::F32);
  EXPECT_EQ(b.explainLast(), "f32: infer, but constant -1e+09 becomes infinite in f16");
  b.op(kInfer, {product, b.number(1e-12)}, "add");
  EXPECT_EQ(b.decide().decisions.back().rule, PrecisionRule::OutOfRange);
  EXPECT_TRUE(b.decide().problems.empty());
  b.graph.clampConstants = true;
  EXPECT_EQ(b.decide().decisions.back().precision, Precision::F16);
}

TEST(PerOp, ConstantOutOfRangeIsRefusedWhereTheTypeIsGiven) {
  GraphBuilder b;
  ValueId table = b.constant(70000, 1, false);
  b.op(kAllow, {b.argument(), table}, "matmul");
  PrecisionPlan plan = b.decide();
  ASSERT_EQ(plan.problems.size(), 1u);
  EXPECT_EQ(plan.problems[0].node, 0u);
  EXPECT_EQ(plan.problems[0].value, table);
  EXPECT_EQ(plan.problems[0].message, "constant 70000 becomes infinite in f16");
  b.graph.clampConstants = true;
  EXPECT_TRUE(b.decide().problems.empty());
}

TEST(PerOp, RequestsWinOverEverything) {
  GraphBuilder b;
  b.low = std::nullopt;
  ValueId x = b.op(kDeny, {b.argument()}, "exp");
  b.last().requested = Precision::BF16;
  EXPECT_EQ(b.explainLast(), "bf16: asked for by mp.precision");
  b.op(kClear, {x}, "relu");
  EXPECT_EQ(b.explainLast(), "as written: autocast is off here");
  b.op(PrecisionCategory::Fixed, {x}, "cast");
  b.last().requested = Precision::F16;
  ASSERT_EQ(b.decide().problems.size(), 1u);
  EXPECT_EQ(b.decide().problems[0].message, "cannot have the type that mp.precision asks for: its precision is fixed");
}

TEST(PerOp, ErrorsAreForF16Only) {
  GraphBuilder b;
  b.op(PrecisionCategory::Error, {b.argument()}, "binary_cross_entropy");
  EXPECT_EQ(b.decide().problems.size(), 1u);
  b.last().low = Precision::BF16;
  EXPECT_TRUE(b.decide().problems.empty());
  EXPECT_EQ(b.decide().decisions[0].precision, Precision::F32);
}

TEST(PerOp, LowTypesMeetInF32) {
  GraphBuilder b;
  ValueId half = b.op(kAllow, {b.argument()}, "matmul");
  b.low = Precision::BF16;
  ValueId brain = b.op(kAllow, {b.argument()}, "matmul");
  b.op(kInfer, {half, brain}, "add");
  EXPECT_EQ(b.explainLast(), "f32: infer, f16 and bf16 operands meet");
}

TEST(Explain, LongChainsAreCut) {
  GraphBuilder b;
  ValueId x = b.op(kAllow, {b.argument()}, "matmul");
  for (int i = 0; i < 100; ++i)
    x = b.op(kClear, {x}, "relu");
  std::string text = b.explainLast();
  EXPECT_TRUE(llvm::StringRef(text).ends_with("; ..."));
  EXPECT_LT(text.size(), 300u);
}

TEST(Explain, SourceIsNamed) {
  GraphBuilder b;
  b.op(kDeny, {b.argument()}, "add");
  b.last().source = "deny=mp.add";
  EXPECT_EQ(b.explainLast(), "f32: deny (deny=mp.add)");
}

TEST(Print, OneLinePerNode) {
  GraphBuilder b;
  b.op(kDeny, {b.op(kAllow, {b.argument()}, "matmul")}, "exp");
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, "f", b.graph, b.decide());
  EXPECT_EQ(text, "# @f\n0 matmul f16: allow\n1 exp f32: deny\n");
}

TEST(Replay, SaysWhatThePlanSaid) {
  GraphBuilder b;
  b.op(kClear, {b.op(kDeny, {b.op(kAllow, {b.argument()}, "matmul")}, "exp")}, "relu");
  ASSERT_TRUE(
      replay("# @g\n0 other f16: x\n# @f\n0 matmul f32: x\n1 exp bf16\n\n2 relu as written: x\n", "f", b.graph).ok());
  PrecisionPlan plan = b.decide();
  EXPECT_EQ(plan.decisions[0].precision, Precision::F32);
  EXPECT_EQ(plan.decisions[1].precision, Precision::BF16);
  EXPECT_EQ(plan.decisions[2].precision, std::nullopt);
  EXPECT_EQ(explain(b.graph, plan, 0), "f32: asked for by the plan");
}

TEST(Replay, ErrorsNameTheLine) {
  auto error = [](llvm::StringRef text) {
    GraphBuilder b;
    b.op(kAllow, {b.argument()}, "matmul");
    return replay(text, "f", b.graph).message();
  };
  EXPECT_EQ(error("# @f\n0 matmul f16: allow\n"), "");
  EXPECT_EQ(error("# @g\n0 matmul f16\n"), "has 0 of the 1 ops of @f");
  EXPECT_EQ(error("# @f\n1 matmul f16"), "line 2: expected the line of op 0 of 1, found '1 matmul f16'");
  EXPECT_EQ(error("# @f\n0 matmul f16\n1 relu f16"), "line 3: expected the line of op 1 of 1, found '1 relu f16'");
  EXPECT_EQ(error("# @f\n0 relu f16"), "line 2: op 0 is matmul here, found 'relu'");
  EXPECT_EQ(error("# @f\n0 matmul f8: x"), "line 2: expected f16, bf16, f32 or as written, found 'f8'");
  EXPECT_EQ(error("# @f\n99999999999999999999"),
            "line 2: expected the line of op 0 of 1, found '99999999999999999999'");
}

TEST(Replay, EndsWhereItsTextEnds) {
  const std::string text = "# @g\n0 other f16: x\n# @f\n0 matmul f32: x\n1 exp as written";
  for (size_t length = 0; length <= text.size(); ++length) {
    GraphBuilder b;
    b.op(kDeny, {b.op(kAllow, {b.argument()}, "matmul")}, "exp");
    std::string cut = text.substr(0, length);
    PrecisionGraph other = b.graph;
    EXPECT_EQ(replay(PageEnd(cut).text(), "f", b.graph).message(), replay(cut, "f", other).message()) << cut;
  }
}

// Invariants, on random graphs

PrecisionGraph randomGraph(std::mt19937 &random, unsigned nodes) {
  constexpr PrecisionCategory kCategories[] = {kAllow, kInfer, kClear, kDeny, kPromote, PrecisionCategory::Fixed};
  GraphBuilder b;
  std::vector<ValueId> values{b.argument(), b.argument(Precision::F16), b.number(0.1), b.number(1e9)};
  b.graph.scalarsFollow = random() % 2;
  for (Precision type : {Precision::F32, Precision::F16})
    b.graph.values[values.emplace_back(b.argument(type))].isScalar = true;
  auto pick = [&] { return values[random() % values.size()]; };
  for (unsigned i = 0; i < nodes; ++i) {
    ValueId stated = pick();
    b.graph.values[values.emplace_back(b.op(kCategories[random() % std::size(kCategories)], {pick(), pick()}))]
        .isScalar = random() % 4 == 0;
    if (random() % 4 == 0)
      b.last().followed.push_back(stated);
  }
  return b.graph;
}

TEST(Invariants, DenyingOneMoreOpLowersNoOther) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    PrecisionGraph graph = randomGraph(random, 30);
    PrecisionPlan before = decidePerOp(graph);
    NodeId denied = random() % graph.nodes.size();
    if (graph.nodes[denied].category == PrecisionCategory::Fixed)
      continue;
    graph.nodes[denied].category = kDeny;
    PrecisionPlan after = decidePerOp(graph);
    for (NodeId node = 0; node < graph.nodes.size(); ++node)
      if (before.decisions[node].precision == Precision::F32) {
        EXPECT_EQ(after.decisions[node].precision, Precision::F32) << "round " << round << " node " << node;
      }
  }
}

TEST(Invariants, OrderOfNodesDoesNotMatter) {
  std::mt19937 random(2);
  for (int round = 0; round < 100; ++round) {
    PrecisionGraph graph = randomGraph(random, 30);
    PrecisionPlan plan = decidePerOp(graph);
    // Another order that respects what nodes take and follow: repeatedly take any for which that is there.
    std::vector<NodeId> order, rest(graph.nodes.size());
    std::iota(rest.begin(), rest.end(), 0);
    std::vector<bool> placed(graph.nodes.size());
    while (!rest.empty()) {
      std::shuffle(rest.begin(), rest.end(), random);
      auto ready = llvm::find_if(rest, [&](NodeId node) {
        auto isThere = [&](ValueId value) {
          return !graph.values[value].producer || placed[*graph.values[value].producer];
        };
        return llvm::all_of(graph.nodes[node].operands, isThere) && llvm::all_of(graph.nodes[node].followed, isThere);
      });
      placed[*ready] = true;
      order.push_back(*ready);
      rest.erase(ready);
    }
    PrecisionGraph shuffled = graph;
    for (auto [to, from] : llvm::enumerate(order)) {
      shuffled.nodes[to] = graph.nodes[from];
      for (ValueId result : graph.nodes[from].results)
        shuffled.values[result].producer = to;
    }
    PrecisionPlan other = decidePerOp(shuffled);
    for (auto [to, from] : llvm::enumerate(order))
      EXPECT_EQ(other.decisions[to].precision, plan.decisions[from].precision);
  }
}

TEST(Invariants, DecidingTwiceChangesNothing) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    PrecisionGraph graph = randomGraph(random, 30);
    PrecisionPlan plan = decidePerOp(graph);
    PrecisionGraph again = graph;
    for (ValueId value = 0; value < graph.values.size(); ++value)
      if (graph.values[value].producer)
        again.values[value].type = plan.typeOf(graph, value);
    PrecisionPlan second = decidePerOp(again);
    for (NodeId node = 0; node < graph.nodes.size(); ++node)
      EXPECT_EQ(second.decisions[node].precision, plan.decisions[node].precision);
  }
}

} // namespace
