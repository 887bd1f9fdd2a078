// A plan as text, to read, compare, edit and replay.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/PrecisionPlan.h"

using namespace mp;
using llvm::StringRef;

static constexpr StringRef kAsWritten = "as written";

void mp::print(llvm::raw_ostream &os, StringRef function, const PrecisionGraph &graph, const PrecisionPlan &plan) {
  os << "# @" << function << '\n';
  for (NodeId node = 0; node < graph.nodes.size(); ++node)
    os << node << ' ' << graph.nodes[node].name << ' ' << explain(graph, plan, node) << '\n';
}

/// `2 mp.relu f16: clear, ...` for node 2.
static Status replayLine(StringRef line, NodeId id, PrecisionGraph &graph) {
  auto [number, rest] = line.split(' ');
  auto [name, decision] = rest.split(' ');
  StringRef type = decision.split(':').first.trim();
  NodeId found;
  if (number.getAsInteger(10, found) || found != id || id >= graph.nodes.size())
    return makeError("expected the line of op ", id, " of ", graph.nodes.size(), ", found '", line.str(), "'");
  PrecisionNode &node = graph.nodes[id];
  if (name != node.name)
    return makeError("op ", id, " is ", node.name, " here, found '", name.str(), "'");
  if (type == kAsWritten) {
    node.requested = std::nullopt;
    node.low = std::nullopt;
    return Status::success();
  }
  node.requested = symbolizePrecision(type);
  node.requester = "the plan";
  return node.requested ? Status::success()
                        : makeError("expected f16, bf16, f32 or as written, found '", type.str(), "'");
}

Status mp::replay(StringRef plans, StringRef function, PrecisionGraph &graph) {
  std::string header = ("# @" + function).str();
  bool inside = false;
  unsigned number = 0;
  NodeId next = 0;
  while (!plans.empty()) {
    auto [line, rest] = plans.split('\n');
    plans = rest;
    ++number;
    line = line.trim();
    if (line.starts_with("#")) {
      inside = line == header;
      continue;
    }
    if (!inside || line.empty())
      continue;
    if (Status replayed = replayLine(line, next++, graph); !replayed.ok())
      return replayed.in("line " + std::to_string(number));
  }
  if (next != graph.nodes.size())
    return makeError("has ", next, " of the ", graph.nodes.size(), " ops of @", function.str());
  return Status::success();
}
