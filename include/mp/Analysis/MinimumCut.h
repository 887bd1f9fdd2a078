// The cheapest way to part the nodes of a network in two.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_ANALYSIS_MINIMUMCUT_H
#define MP_ANALYSIS_MINIMUMCUT_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

namespace mp {

/// A directed network with a source and a sink. Pushes and relabels, first in, first out, with labels made anew from
/// time to time (Cherkassky, Goldberg, "On implementing the push-relabel method for the maximum flow problem", 1997).
/// On long chains augmenting paths take quadratic time, and so do the highest labels first.
class MinimumCut {
public:
  using Node = uint32_t;
  static constexpr Node kSource = 0, kSink = 1;
  /// The capacity of an edge that no cut may go through. Finite ones must stay below it in sum.
  static constexpr int64_t kInfinite = std::numeric_limits<int64_t>::max() / 4;

  MinimumCut() : edgesOf(2) {}

  Node addNode();
  /// A cut that has `from` on the source's side and `to` on the sink's costs `capacity`.
  void addEdge(Node from, Node to, int64_t capacity);

  /// By node, whether it is on the source's side of a minimum cut; of several, that with fewest nodes there. Once.
  std::vector<bool> solve();

private:
  // Flow goes from the sink to the source, along edges backwards: nodes that the source can still be reached from, in
  // the end, are the fewest that can be on its side.
  struct Edge {
    Node to;
    int64_t rest; // what of the capacity is free; the edge of the other direction is the one beside it
  };

  /// Sets `labels`, the fewest free edges to the source, and makes nodes with an excess active.
  void relabelAll();
  void activate(Node node);
  /// Pushes the excess of a node to nearer ones, until none is left or the source cannot be reached from it.
  void discharge(Node node);
  /// One more than the nearest neighbour's label.
  void relabel(Node node);
  bool isReachable(Node node) const { return labels[node] < edgesOf.size(); }

  std::vector<Edge> edges;
  std::vector<std::vector<uint32_t>> edgesOf;
  std::vector<uint32_t> labels, next;
  std::vector<int64_t> excess;
  std::deque<Node> active;
  size_t relabels = 0; ///< since labels were last made anew
};

} // namespace mp

#endif // MP_ANALYSIS_MINIMUMCUT_H
