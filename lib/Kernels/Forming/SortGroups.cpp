// What groups read, and an order in which they can run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Forming/Groups.h"

#include <queue>

using namespace mlir;
using namespace mp;

std::vector<SmallVector<unsigned>> mp::getReads(const Grouping &grouping) {
  std::vector<SmallVector<unsigned>> reads(grouping.getGroups().size());
  for (unsigned group = 0; group < reads.size(); ++group) {
    llvm::SetVector<unsigned> producers;
    for (Value input : grouping.getInputs(group))
      if (std::optional<unsigned> producer = grouping.getProducer(input))
        producers.insert(*producer);
    reads[group] = producers.takeVector();
  }
  return reads;
}

std::vector<unsigned> mp::sortByReads(ArrayRef<SmallVector<unsigned>> reads, function_ref<GroupRank(unsigned)> rankOf) {
  std::vector<unsigned> waiting(reads.size()), sorted;
  std::vector<SmallVector<unsigned>> readers(reads.size());
  using Entry = std::pair<GroupRank, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  for (unsigned group = 0; group < reads.size(); ++group) {
    waiting[group] = reads[group].size();
    for (unsigned read : reads[group])
      readers[read].push_back(group);
    if (waiting[group] == 0)
      ready.emplace(rankOf(group), group);
  }
  while (!ready.empty()) {
    const unsigned group = ready.top().second;
    ready.pop();
    sorted.push_back(group);
    for (unsigned reader : readers[group])
      if (--waiting[reader] == 0)
        ready.emplace(rankOf(reader), reader);
  }
  assert(sorted.size() == reads.size() && "groups depend on each other in a circle");
  return sorted;
}
