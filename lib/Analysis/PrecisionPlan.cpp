// Which op computes in which type, and why.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/PrecisionPlan.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Format.h"

using namespace mp;
using llvm::APFloat;
using llvm::StringRef;

StringRef mp::stringify(Precision precision) {
  switch (precision) {
  case Precision::F16:
    return "f16";
  case Precision::BF16:
    return "bf16";
  case Precision::F32:
    return "f32";
  }
  llvm_unreachable("unknown precision");
}

std::optional<Precision> mp::symbolizePrecision(StringRef name) {
  for (Precision precision : {Precision::F16, Precision::BF16, Precision::F32})
    if (name == stringify(precision))
      return precision;
  return std::nullopt;
}

Precision mp::widest(Precision a, Precision b) { return a == b ? a : Precision::F32; }

/// A long chain says little: its first links are what the reader can act on.
static constexpr unsigned kLinks = 6;

static const llvm::fltSemantics &semanticsOf(Precision precision) {
  switch (precision) {
  case Precision::F16:
    return APFloat::IEEEhalf();
  case Precision::BF16:
    return APFloat::BFloat();
  case Precision::F32:
    return APFloat::IEEEsingle();
  }
  llvm_unreachable("unknown precision");
}

static APFloat rounded(double value, Precision precision) {
  APFloat result(value);
  bool losesInfo;
  result.convert(semanticsOf(precision), APFloat::rmNearestTiesToEven, &losesInfo);
  return result;
}

std::optional<std::string> mp::describeLoss(const ConstantRange &range, Precision precision) {
  double lost;
  StringRef becomes;
  if (rounded(range.largest, precision).isInfinity()) {
    lost = range.largest;
    becomes = "infinite";
  } else if (range.smallest != 0 && rounded(range.smallest, precision).isZero()) {
    lost = range.smallest;
    becomes = "0";
  } else {
    return std::nullopt;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "constant " << llvm::format("%g", lost) << " becomes " << becomes << " in " << stringify(precision);
  return text;
}

Precision PrecisionPlan::typeOf(const PrecisionGraph &graph, ValueId value) const {
  const PrecisionValue &known = graph.values[value];
  if (!known.producer)
    return known.type;
  return decisions[*known.producer].precision.value_or(known.type);
}

PrecisionPlan mp::decide(const PrecisionGraph &graph, DecisionRule rule) {
  switch (rule) {
  case DecisionRule::PerOp:
    return decidePerOp(graph);
  case DecisionRule::Cost:
    return decideByCost(graph);
  }
  llvm_unreachable("unknown decision rule");
}

std::string mp::formatModelled(double seconds) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (seconds >= 1e-3)
    os << llvm::format("%.3g ms", seconds * 1e3);
  else
    os << llvm::format("%.3g us", seconds * 1e6);
  return text;
}

/// One link of the chain. Returns the node that it names as the next, if it names one.
static std::optional<NodeId> explainLink(llvm::raw_ostream &os, const PrecisionGraph &graph, const PrecisionPlan &plan,
                                         NodeId node) {
  const PrecisionNode &op = graph.nodes[node];
  const PrecisionDecision &decision = plan.decisions[node];
  auto category = [&] {
    os << stringifyPrecisionCategory(op.category);
    if (!op.source.empty())
      os << " (" << op.source << ')';
  };
  switch (decision.rule) {
  case PrecisionRule::Requested:
    os << "asked for by " << op.requester;
    return std::nullopt;
  case PrecisionRule::Category:
    category();
    return std::nullopt;
  case PrecisionRule::Mixed:
    category();
    os << ", f16 and bf16 operands meet";
    return std::nullopt;
  case PrecisionRule::OutOfRange:
    category();
    os << ", but " << *describeLoss(*graph.values[*decision.cause].constant, *decision.declined);
    return std::nullopt;
  case PrecisionRule::Cost:
    category();
    os << ", " << formatModelled(decision.seconds) << " modelled, " << stringify(*decision.declined) << ' '
       << formatModelled(decision.declinedSeconds);
    return std::nullopt;
  case PrecisionRule::Off:
    os << "autocast is off here";
    return std::nullopt;
  case PrecisionRule::Fixed:
    category();
    return std::nullopt;
  case PrecisionRule::Widest:
    category();
    const PrecisionValue &cause = graph.values[*decision.cause];
    if (cause.producer) {
      os << ", follows " << graph.nodes[*cause.producer].name;
      return cause.producer;
    }
    os << ", follows " << cause.name;
    return std::nullopt;
  }
  llvm_unreachable("unknown precision rule");
}

std::string mp::explain(const PrecisionGraph &graph, const PrecisionPlan &plan, NodeId node) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::optional<Precision> precision = plan.decisions[node].precision;
  os << (precision ? stringify(*precision) : "as written") << ": ";
  std::optional<NodeId> next = explainLink(os, graph, plan, node);
  for (unsigned link = 1; next; ++link) {
    if (link == kLinks) {
      os << "; ...";
      break;
    }
    os << "; " << graph.nodes[*next].name << ": ";
    next = explainLink(os, graph, plan, *next);
  }
  return text;
}
