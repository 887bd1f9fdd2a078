// The types with which the modelled step is fastest.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every op that PyTorch's rule makes low may be low or f32. That is a cut of a network whose source's side is low:
//
//   source -> op      the op's seconds in f32, which are paid where it is on the sink's side
//   op -> sink        its seconds in the low type
//   op -> producer    infinite: an op that follows is low only where what it follows is
//   users -> c -> producer,  producer -> c -> users    one cast of a value, however many users need it

#include "Analysis/PerOp.h"
#include "mp/Analysis/MinimumCut.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <numeric>

using namespace mp;

/// Capacities are whole: all seconds of a graph together have so many ticks.
static constexpr double kTicks = 1LL << 50;

static size_t indexOf(Precision precision) { return static_cast<size_t>(precision); }

static bool contains(llvm::ArrayRef<ValueId> values, ValueId value) { return llvm::is_contained(values, value); }

namespace {

/// In which types the users of each value take it under a plan: what the plan casts.
class Casts {
public:
  Casts(const PrecisionGraph &graph, const PrecisionPlan &plan) : graph(graph), plan(plan), users(graph.values.size()) {
    for (NodeId id = 0; id < graph.nodes.size(); ++id)
      forEachOperand(graph.nodes[id], [&](ValueId value) {
        ++users[value][indexOf(plan.decisions[id].precision.value_or(graph.values[value].type))];
      });
  }

  /// Seconds of the casts of a value that is made in `made`.
  double secondsOf(ValueId id, Precision made, const std::array<uint32_t, 3> &users) const {
    const PrecisionValue &value = graph.values[id];
    double seconds = 0;
    for (Precision type : {Precision::F16, Precision::BF16, Precision::F32})
      if (type != made && (users[indexOf(type)] > 0 || (value.isReadAsWritten && type == value.type)))
        seconds += value.castSeconds;
    return seconds;
  }
  double secondsOf(ValueId id) const { return secondsOf(id, plan.typeOf(graph, id), users[id]); }

  /// Seconds of a node, and of the casts of what it takes and makes, if it alone were of another type.
  double secondsAround(NodeId id, Precision precision) const {
    const PrecisionNode &node = graph.nodes[id];
    const Precision own = *plan.decisions[id].precision;
    double seconds = node.seconds[indexOf(precision)];
    forEachOperand(node, [&](ValueId value) {
      std::array<uint32_t, 3> others = users[value];
      --others[indexOf(own)];
      ++others[indexOf(precision)];
      seconds += secondsOf(value, plan.typeOf(graph, value), others);
    });
    for (ValueId value : node.results)
      seconds += secondsOf(value, precision, users[value]);
    return seconds;
  }

private:
  /// Each operand once.
  template <typename Function> static void forEachOperand(const PrecisionNode &node, Function function) {
    for (auto [i, value] : llvm::enumerate(node.operands))
      if (!contains(llvm::ArrayRef(node.operands).take_front(i), value))
        function(value);
  }

  const PrecisionGraph &graph;
  const PrecisionPlan &plan;
  std::vector<std::array<uint32_t, 3>> users;
};

class ByCost {
public:
  explicit ByCost(const PrecisionGraph &graph) : graph(graph), perOp(decidePerOp(graph)), refused(graph.nodes.size()) {
    double seconds = 0;
    for (const PrecisionNode &node : graph.nodes) {
      if (node.low && !node.statesLow)
        low = node.low;
      seconds += std::reduce(node.seconds.begin(), node.seconds.end());
    }
    for (const PrecisionValue &value : graph.values)
      seconds += 2 * value.castSeconds; // down and up
    ticksPerSecond = seconds > 0 ? kTicks / seconds : 0;
  }

  PrecisionPlan decide() {
    if (!low || refuseConstants()) {
      perOp.lowSeconds = perOp.wideSeconds = modelSeconds(graph, perOp);
      return std::move(perOp);
    }
    buildNetwork();
    const std::vector<bool> isLow = network.solve();
    std::vector<bool> isKept(graph.nodes.size());
    for (NodeId id = 0; id < graph.nodes.size(); ++id)
      isKept[id] = isFree(id) && !isLow[nodes[id]] && !followsWide(id, isLow);
    PrecisionPlan plan = keepWide(isKept);
    for (NodeId id = 0; id < graph.nodes.size(); ++id)
      isKept[id] = isFree(id) && graph.nodes[id].category == PrecisionCategory::Allow;
    PrecisionPlan wide = keepWide(isKept);
    const double lowSeconds = modelSeconds(graph, plan), wideSeconds = modelSeconds(graph, wide);
    const bool isWorthwhile = lowSeconds <= (1 - kLeastGain) * wideSeconds;
    PrecisionPlan &chosen = isWorthwhile ? plan : wide;
    chosen.lowSeconds = lowSeconds;
    chosen.wideSeconds = wideSeconds;
    chosen.gainsTooLittle = !isWorthwhile && lowSeconds < wideSeconds;
    return std::move(chosen);
  }

private:
  /// An allowed op whose constant the low type does not hold is f32. Whether there are other problems.
  bool refuseConstants() {
    for (const PrecisionProblem &problem : perOp.problems) {
      const PrecisionNode &node = graph.nodes[problem.node];
      if (!problem.value || node.requested || node.statesLow || node.category != PrecisionCategory::Allow)
        return true;
      refused[problem.node] = problem.value;
    }
    return false;
  }

  /// Whether the rule leaves it to the cost: it is low for no other reason than its category and what it follows.
  bool isFree(NodeId id) const {
    const PrecisionNode &node = graph.nodes[id];
    return perOp.decisions[id].precision == low && !node.requested && !node.statesLow && !refused[id];
  }

  /// Whether it is f32 anyway, as one of those that it follows.
  bool followsWide(NodeId id, const std::vector<bool> &isLow) const {
    const PrecisionNode &node = graph.nodes[id];
    return node.category != PrecisionCategory::Allow && llvm::any_of(findFollowed(graph, node), [&](ValueId value) {
             std::optional<NodeId> producer = graph.values[value].producer;
             return producer && (refused[*producer] || (isFree(*producer) && !isLow[nodes[*producer]]));
           });
  }

  /// The type of what is not free, of a value of that type in the input.
  Precision settledType(NodeId id, Precision written) const {
    return refused[id] ? Precision::F32 : perOp.decisions[id].precision.value_or(written);
  }

  void buildNetwork() {
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      nodes.push_back(network.addNode());
      const PrecisionNode &node = graph.nodes[id];
      if (!isFree(id)) {
        const bool isLow = settledType(id, Precision::F32) == low;
        network.addEdge(isLow ? MinimumCut::kSource : nodes[id], isLow ? nodes[id] : MinimumCut::kSink,
                        MinimumCut::kInfinite);
        continue;
      }
      network.addEdge(MinimumCut::kSource, nodes[id], toTicks(node.seconds[indexOf(Precision::F32)]));
      network.addEdge(nodes[id], MinimumCut::kSink, toTicks(node.seconds[indexOf(*low)]));
      if (node.category == PrecisionCategory::Allow)
        continue;
      // What has no producer of a type of its own is low already, or the op would not be.
      for (ValueId value : findFollowed(graph, node))
        if (std::optional<NodeId> producer = graph.values[value].producer;
            producer && (isFree(*producer) || refused[*producer]))
          network.addEdge(nodes[id], nodes[*producer], MinimumCut::kInfinite);
    }
    addCasts();
  }

  /// Where a type that is settled stands in the network: none where it is the other low type.
  std::optional<MinimumCut::Node> sideOf(Precision type) const {
    if (type == *low)
      return MinimumCut::kSource;
    return type == Precision::F32 ? std::optional(MinimumCut::kSink) : std::nullopt;
  }

  /// Two more nodes for each value that may be cast, one for each direction.
  void addCasts() {
    std::vector<MinimumCut::Node> narrowed(graph.values.size(), 0), widened(graph.values.size(), 0);
    const auto take = [&](ValueId id, std::optional<MinimumCut::Node> user) {
      if (narrowed[id] == 0 || !user)
        return;
      if (*user != MinimumCut::kSink)
        network.addEdge(*user, narrowed[id], MinimumCut::kInfinite);
      if (*user != MinimumCut::kSource)
        network.addEdge(widened[id], *user, MinimumCut::kInfinite);
    };
    for (ValueId id = 0; id < graph.values.size(); ++id) {
      const PrecisionValue &value = graph.values[id];
      const int64_t ticks = toTicks(value.castSeconds);
      if (ticks == 0)
        continue;
      narrowed[id] = network.addNode();
      widened[id] = network.addNode();
      const bool isSettled = !value.producer || !isFree(*value.producer);
      const Precision type = value.producer ? settledType(*value.producer, value.type) : value.type;
      const std::optional<MinimumCut::Node> made = isSettled ? sideOf(type) : std::optional(nodes[*value.producer]);
      // From the other low type both ways are casts.
      network.addEdge(narrowed[id], made.value_or(MinimumCut::kSink), ticks);
      network.addEdge(made.value_or(MinimumCut::kSource), widened[id], ticks);
      if (value.isReadAsWritten)
        take(id, sideOf(value.type));
    }
    for (NodeId id = 0; id < graph.nodes.size(); ++id)
      for (ValueId value : graph.nodes[id].operands)
        take(value, isFree(id) ? std::optional(nodes[id]) : sideOf(settledType(id, graph.values[value].type)));
  }

  /// The plan in which these of the free ops are f32, and the others as they follow. What was kept, and what is allowed
  /// and low, is so by its seconds.
  PrecisionPlan keepWide(const std::vector<bool> &isKept) const {
    PrecisionGraph settled = graph;
    for (NodeId id = 0; id < graph.nodes.size(); ++id)
      if (isKept[id] || refused[id])
        settled.nodes[id].requested = Precision::F32;
    PrecisionPlan plan = decidePerOp(settled);
    const Casts casts(graph, plan);
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      PrecisionDecision &decision = plan.decisions[id];
      if (refused[id])
        decision = {Precision::F32, PrecisionRule::OutOfRange, refused[id], *low};
      const bool isChosen = isFree(id) && decision.rule == PrecisionRule::Category;
      if (!isKept[id] && !isChosen)
        continue;
      decision.rule = PrecisionRule::Cost;
      decision.declined = isKept[id] ? *low : Precision::F32;
      decision.seconds = casts.secondsAround(id, *decision.precision);
      decision.declinedSeconds = casts.secondsAround(id, *decision.declined);
    }
    return plan;
  }

  int64_t toTicks(double seconds) const { return std::llround(seconds * ticksPerSecond); }

  const PrecisionGraph &graph;
  PrecisionPlan perOp;
  double ticksPerSecond;
  std::optional<Precision> low;
  std::vector<std::optional<ValueId>> refused; ///< the constant for which an op is f32
  MinimumCut network;
  std::vector<MinimumCut::Node> nodes;
};

} // namespace

PrecisionPlan mp::decideByCost(const PrecisionGraph &graph) { return ByCost(graph).decide(); }

double mp::modelSeconds(const PrecisionGraph &graph, const PrecisionPlan &plan) {
  const Casts casts(graph, plan);
  double seconds = 0;
  bool isScaled = false;
  for (auto [node, decision] : llvm::zip_equal(graph.nodes, plan.decisions)) {
    seconds += node.seconds[indexOf(decision.precision.value_or(Precision::F32))];
    isScaled |= decision.precision == Precision::F16;
  }
  for (ValueId id = 0; id < graph.values.size(); ++id)
    seconds += casts.secondsOf(id);
  return seconds + (isScaled ? graph.lossScalingSeconds : 0);
}
