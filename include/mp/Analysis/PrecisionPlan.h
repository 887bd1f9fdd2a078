// Which op computes in which type, and why.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Deciding is apart from rewriting, and knows no IR: a graph of plain values goes in, a plan comes out. Every decision
// procedure has the same form, so that they are interchangeable and tested without building an op.
//
//   x ─┐                 graph: values x, w (f32), z, y; nodes mp.matmul (x, w -> z), mp.relu (z -> y)
//      matmul ─ z ─ relu ─ y
//   w ─┘                 plan:  mp.matmul f16, by its category allow; mp.relu f16, follows z, that is mp.matmul

#ifndef MP_ANALYSIS_PRECISIONPLAN_H
#define MP_ANALYSIS_PRECISIONPLAN_H

#include "mp/Base/Status.h"
#include "mp/IR/Interfaces.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mp {

/// An element type among which autocast chooses. f64 is not one: it is never narrowed.
enum class Precision : uint8_t { F16, BF16, F32 };

/// `f16`, `bf16` or `f32`.
llvm::StringRef stringify(Precision precision);
std::optional<Precision> symbolizePrecision(llvm::StringRef name);

/// The narrowest precision that holds every value of both: f16 and bf16 make f32.
Precision widest(Precision a, Precision b);

/// The finite elements of a constant whose magnitudes are largest and, 0 apart, smallest; 0 where there is none.
struct ConstantRange {
  double largest = 0;
  double smallest = 0;
  /// Whether all elements are one number, so that the constant takes the type of the op that uses it.
  bool isNumber = false;
};

/// What is lost when a constant is rounded to `precision`: "constant 1e+06 becomes infinite in f16", or nothing if each
/// element but 0 and infinities stays finite and not 0.
std::optional<std::string> describeLoss(const ConstantRange &range, Precision precision);

using ValueId = uint32_t;
using NodeId = uint32_t;

/// A float tensor of the program, or an attribute that is a value of an op's element type.
struct PrecisionValue {
  /// The type it has in the input.
  Precision type = Precision::F32;
  /// The node whose precision it takes; none for an argument, a constant and a result that keeps its type.
  std::optional<NodeId> producer;
  std::optional<ConstantRange> constant;
  /// What explanations call it where it has no producer: "argument #0".
  std::string name = "a value";
  /// Whether it has no dimensions.
  bool isScalar = false;
  /// Whether something takes it in the type that it has in the input: an operand that does not follow, a return.
  bool isReadAsWritten = false;
  /// Modelled seconds of a cast of it in a step, with that of its gradient; 0 where it is not modelled.
  double castSeconds = 0;
};

/// An op, as far as its precision is concerned.
struct PrecisionNode {
  std::string name;
  PrecisionCategory category = PrecisionCategory::Fixed;
  /// What gave it this category where that was not its own definition: "deny=mp.add".
  std::string source;
  /// The low type where the op stands; none where autocast is off.
  std::optional<Precision> low;
  /// What an attribute on the op, or a plan that is replayed, asks for.
  std::optional<Precision> requested;
  llvm::StringRef requester = "mp.precision";
  /// Whether `low` is what a region around the op states, so that no procedure chooses another.
  bool statesLow = false;
  /// Modelled seconds in a step, forward and backward, by Precision; 0 where it is not modelled.
  std::array<double, 3> seconds = {};
  /// The operands and results that take the precision of the op.
  llvm::SmallVector<ValueId, 3> operands;
  llvm::SmallVector<ValueId, 1> results;
  /// The attributes that are values of its element type, constants all; no value of the program stands behind them.
  llvm::SmallVector<ValueId, 0> attributes;
  /// The values whose widest type an op of category infer, clear or promote takes; none where it is that of its
  /// operands. They are arguments, or results of nodes in front.
  llvm::SmallVector<ValueId, 0> followed;
};

/// A program as decision procedures see it; nodes stand after those whose results they take.
struct PrecisionGraph {
  std::vector<PrecisionValue> values;
  std::vector<PrecisionNode> nodes;
  /// Constants are clamped to what a type holds, instead of overriding a category or being refused.
  bool clampConstants = false;
  /// Scalars have no say in the widest type among values that have dimensions, as in PyTorch's type promotion.
  bool scalarsFollow = false;
  /// Modelled seconds that f16 adds to a step: loss scaling.
  double lossScalingSeconds = 0;
};

/// Why an op has its precision. Rules with a cause name the value from which it came.
enum class PrecisionRule : uint8_t {
  Requested,  ///< an attribute on the op, or a plan that is replayed
  Category,   ///< allow: the low type; deny: f32
  Widest,     ///< the widest of its operands, that of `cause`
  Mixed,      ///< f16 and bf16 operands meet in f32
  OutOfRange, ///< f32, since the constant `cause` does not fit the type it would get
  Cost,       ///< its category allows the low type, the modelled seconds of a step chose
  Off,        ///< as written: autocast is off here
  Fixed,      ///< as written: its category is fixed, or no operand is a float
};

struct PrecisionDecision {
  /// The type of the operands and results that follow; none if they stay as written.
  std::optional<Precision> precision;
  PrecisionRule rule = PrecisionRule::Fixed;
  std::optional<ValueId> cause;
  /// The type which the constant `cause` does not fit, or which `Cost` did not choose.
  std::optional<Precision> declined;
  /// Of `Cost`: the op and the casts around it in the chosen type, and in the declined one with all else as it is.
  double seconds = 0, declinedSeconds = 0;
};

/// A request that cannot be had.
struct PrecisionProblem {
  NodeId node;
  /// The constant at fault, if one is.
  std::optional<ValueId> value;
  std::string message;
};

/// A decision for each node, or problems. A plan with problems is not to be followed.
struct PrecisionPlan {
  std::vector<PrecisionDecision> decisions;
  std::vector<PrecisionProblem> problems;
  /// By cost: the modelled seconds of a step with low types where they are faster, and with none.
  double lowSeconds = 0, wideSeconds = 0;
  /// By cost: low types were faster, but by less than `kLeastGain`, and are not used.
  bool gainsTooLittle = false;

  /// The type that a value has under this plan.
  Precision typeOf(const PrecisionGraph &graph, ValueId value) const;
};

/// How each op's precision is decided.
enum class DecisionRule {
  PerOp, ///< each op by its own category and the types of its operands, as PyTorch does
  Cost,  ///< the same, but an op is low only where the modelled step is then faster
};

/// Decides every node's precision by `rule`.
PrecisionPlan decide(const PrecisionGraph &graph, DecisionRule rule);

/// PyTorch's rule: allow gives the low type, deny f32; all others take the widest type of their operands, where a
/// constant that is one number has no say, as numbers of Python; with `scalarsFollow` nor does any other scalar where
/// an operand has dimensions (PyTorch's zero-dimensional tensors). An op that would narrow a constant beyond its range
/// is f32 instead, or a problem if its category or a request gives it no choice.
PrecisionPlan decidePerOp(const PrecisionGraph &graph);

/// What `decidePerOp` leaves free, by cost: of all plans in which a subset of the ops that it makes low are low, each
/// only where those that it follows are, the one whose `modelSeconds` are least; where several are, that with fewest
/// low ops. It is a minimum cut (Greig, Porteous, Seheult 1989, as of two labels): one side is low, the capacities are
/// the seconds of ops and casts. Where the step gains less than `kLeastGain` by it, no op is low: a model errs. What a
/// request, a region or a constant settles stays in every case. Chains and layers take time linear in their length; the
/// worst case of the cut, O(V^2 sqrt E), is not known to occur.
PrecisionPlan decideByCost(const PrecisionGraph &graph);

/// What of a step low types must save. Modelled gains of 3 to 6 % were measured as losses of up to 19 %, those of 8 %
/// and more as gains.
inline constexpr double kLeastGain = 0.08;

/// The modelled seconds of a step under `plan`: its ops, one cast for each value and type that it needs, and loss
/// scaling where there is f16.
double modelSeconds(const PrecisionGraph &graph, const PrecisionPlan &plan);

/// Modelled seconds for readers: `12.5 us`, three digits.
std::string formatModelled(double seconds);

/// A decision and the chain of its causes: "f16: clear, follows mp.matmul; mp.matmul: allow".
std::string explain(const PrecisionGraph &graph, const PrecisionPlan &plan, NodeId node);

/// Writes the line `# @function` and one line per node: its number, its name and `explain`.
void print(llvm::raw_ostream &os, llvm::StringRef function, const PrecisionGraph &graph, const PrecisionPlan &plan);

/// Makes what such lines say of `function` requests to its nodes: `2 mp.relu f16: ...` asks for f16, `as written` turns
/// autocast off for the node; what follows the colon is not read. An error, with the line's number, if the lines are
/// not those of the nodes, one for each and in order.
Status replay(llvm::StringRef plans, llvm::StringRef function, PrecisionGraph &graph);

} // namespace mp

#endif // MP_ANALYSIS_PRECISIONPLAN_H
