// The cheapest way to part the nodes of a network in two.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_ANALYSIS_MINIMUMCUT_H
#define MP_LIB_ANALYSIS_MINIMUMCUT_H

#include <cstdint>
#include <limits>
#include <vector>

namespace mp {

/// A directed network with a source and a sink. Dinic's algorithm ("Algorithm for solution of a problem of maximum flow
/// in networks with power estimation", 1970).
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
  struct Edge {
    Node to;
    int64_t rest; // what of the capacity is free; the edge back is the one beside it
  };

  /// Sets `level`, the fewest edges with free capacity from the source. Whether the sink is reached.
  bool findLevels();
  /// Sends flow along one path of growing levels. Whether there was one.
  bool augment();

  std::vector<Edge> edges;
  std::vector<std::vector<uint32_t>> edgesOf;
  std::vector<uint32_t> level, next;
};

} // namespace mp

#endif // MP_LIB_ANALYSIS_MINIMUMCUT_H
