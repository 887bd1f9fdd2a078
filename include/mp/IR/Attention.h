// The sizes of attention.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_ATTENTION_H
#define MP_IR_ATTENTION_H

#include <cstdint>

namespace mp {

/// `heads` of queries share `groups` of keys and values: query head h has those of head h / (heads / groups).
// q [2x4x8x16], k [2x2x9x16], v [2x2x9x12]: batch 2, heads 4, groups 2, queries 8, keys 9, depth 16, columns 12
struct AttentionSizes {
  int64_t batch, heads, groups, queries, keys;
  int64_t depth;   ///< of a query and a key
  int64_t columns; ///< of a value

  /// Heads of queries that share one of keys.
  int64_t shared() const { return heads / groups; }
};

} // namespace mp

#endif // MP_IR_ATTENTION_H
