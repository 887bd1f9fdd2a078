// The cheapest way to part the nodes of a network in two.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Analysis/MinimumCut.h"

#include <algorithm>

using namespace mp;

static constexpr uint32_t kUnreached = std::numeric_limits<uint32_t>::max();

MinimumCut::Node MinimumCut::addNode() {
  edgesOf.emplace_back();
  return static_cast<Node>(edgesOf.size() - 1);
}

void MinimumCut::addEdge(Node from, Node to, int64_t capacity) {
  edgesOf[from].push_back(static_cast<uint32_t>(edges.size()));
  edges.push_back({to, capacity});
  edgesOf[to].push_back(static_cast<uint32_t>(edges.size()));
  edges.push_back({from, 0});
}

bool MinimumCut::findLevels() {
  level.assign(edgesOf.size(), kUnreached);
  std::vector<Node> reached = {kSource};
  level[kSource] = 0;
  for (size_t i = 0; i < reached.size(); ++i)
    for (uint32_t edge : edgesOf[reached[i]])
      if (edges[edge].rest > 0 && level[edges[edge].to] == kUnreached) {
        level[edges[edge].to] = level[reached[i]] + 1;
        reached.push_back(edges[edge].to);
      }
  return level[kSink] != kUnreached;
}

bool MinimumCut::augment() {
  std::vector<uint32_t> path; // edges from the source
  Node node = kSource;
  while (node != kSink) {
    uint32_t &i = next[node];
    const std::vector<uint32_t> &own = edgesOf[node];
    while (i < own.size() && !(edges[own[i]].rest > 0 && level[edges[own[i]].to] == level[node] + 1))
      ++i;
    if (i < own.size()) {
      path.push_back(own[i]);
      node = edges[own[i]].to;
      continue;
    }
    if (path.empty())
      return false;
    // A dead end: the edge that led here is passed over.
    node = edges[path.back() ^ 1].to;
    path.pop_back();
    ++next[node];
  }
  int64_t flow = kInfinite;
  for (uint32_t edge : path)
    flow = std::min(flow, edges[edge].rest);
  for (uint32_t edge : path) {
    edges[edge].rest -= flow;
    edges[edge ^ 1].rest += flow;
  }
  return true;
}

std::vector<bool> MinimumCut::solve() {
  while (findLevels()) {
    next.assign(edgesOf.size(), 0);
    while (augment()) {
    }
  }
  std::vector<bool> onSourcesSide;
  for (uint32_t reached : level)
    onSourcesSide.push_back(reached != kUnreached);
  return onSourcesSide;
}
