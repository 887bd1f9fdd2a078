// The cheapest way to part the nodes of a network in two.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/MinimumCut.h"

#include <algorithm>

using namespace mp;

MinimumCut::Node MinimumCut::addNode() {
  edgesOf.emplace_back();
  return static_cast<Node>(edgesOf.size() - 1);
}

void MinimumCut::addEdge(Node from, Node to, int64_t capacity) {
  edgesOf[to].push_back(static_cast<uint32_t>(edges.size()));
  edges.push_back({from, capacity});
  edgesOf[from].push_back(static_cast<uint32_t>(edges.size()));
  edges.push_back({to, 0});
}

void MinimumCut::activate(Node node) {
  if (excess[node] == 0 || !isReachable(node) || node == kSource)
    return;
  active.push_back(node);
}

void MinimumCut::relabelAll() {
  labels.assign(edgesOf.size(), static_cast<uint32_t>(edgesOf.size()));
  labels[kSource] = 0;
  std::vector<Node> reached = {kSource};
  for (size_t i = 0; i < reached.size(); ++i)
    for (uint32_t edge : edgesOf[reached[i]])
      if (const Node node = edges[edge].to; edges[edge ^ 1].rest > 0 && !isReachable(node)) {
        labels[node] = labels[reached[i]] + 1;
        reached.push_back(node);
      }
  next.assign(edgesOf.size(), 0);
  active.clear();
  for (Node node : reached)
    activate(node);
  relabels = 0;
}

void MinimumCut::relabel(Node node) {
  auto nearest = static_cast<uint32_t>(edgesOf.size());
  for (uint32_t edge : edgesOf[node])
    if (edges[edge].rest > 0)
      nearest = std::min(nearest, labels[edges[edge].to] + 1);
  labels[node] = nearest;
  next[node] = 0;
  ++relabels;
}

void MinimumCut::discharge(Node node) {
  while (excess[node] > 0 && isReachable(node)) {
    if (next[node] == edgesOf[node].size()) {
      relabel(node);
      continue;
    }
    const uint32_t edge = edgesOf[node][next[node]];
    const Node to = edges[edge].to;
    if (edges[edge].rest == 0 || labels[node] != labels[to] + 1) {
      ++next[node];
      continue;
    }
    const int64_t pushed = std::min(excess[node], edges[edge].rest);
    edges[edge].rest -= pushed;
    edges[edge ^ 1].rest += pushed;
    excess[node] -= pushed;
    const bool wasIdle = excess[to] == 0;
    excess[to] = std::min(excess[to] + pushed, kInfinite); // more than that cannot reach the source
    if (wasIdle)
      activate(to);
  }
}

std::vector<bool> MinimumCut::solve() {
  excess.assign(edgesOf.size(), 0);
  for (uint32_t edge : edgesOf[kSink]) {
    const Node to = edges[edge].to;
    excess[to] = std::min(excess[to] + edges[edge].rest, kInfinite);
    edges[edge ^ 1].rest += edges[edge].rest;
    edges[edge].rest = 0;
  }
  relabelAll();
  while (!active.empty()) {
    const Node node = active.front();
    active.pop_front();
    discharge(node);
    if (relabels >= edgesOf.size())
      relabelAll();
  }
  relabelAll();
  std::vector<bool> onSourcesSide;
  for (Node node = 0; node < edgesOf.size(); ++node)
    onSourcesSide.push_back(isReachable(node));
  return onSourcesSide;
}
