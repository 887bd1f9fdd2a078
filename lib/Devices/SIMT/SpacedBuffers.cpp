// A launch's buffers, far from one another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/SpacedBuffers.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace mp;

/// What margins are filled with: a NaN in every float type, as shared memory is, but no number that kernels store.
static constexpr std::byte kUntouched{0xfb};

ErrorOr<SpacedBuffers> SpacedBuffers::make(std::span<SimulatedBuffer> buffers, std::span<void *const> pointers) {
  constexpr uint64_t kPage = 4096;
  SpacedBuffers spaced;
  spaced.buffers = buffers;
  std::vector<uint64_t> offsets; // of the copy's first margin
  uint64_t total = kReach;
  const auto paged = [](uint64_t bytes) { return (bytes + 2 * kMargin + kPage - 1) / kPage * kPage; };
  for (size_t index = 0; index < buffers.size(); ++index) {
    const auto twin = std::find(pointers.begin(), pointers.begin() + static_cast<ptrdiff_t>(index), pointers[index]);
    const auto first = static_cast<size_t>(twin - pointers.begin());
    const bool isTwin = first < index && buffers[first].bytes == buffers[index].bytes;
    offsets.push_back(isTwin ? offsets[first] : total);
    if (!isTwin)
      total += paged(buffers[index].bytes) + kReach;
  }
  ErrorOr<Mapping> memory = reserveAddresses(total);
  if (!memory)
    return memory.status();
  spaced.memory = std::move(*memory);
  for (size_t index = 0; index < buffers.size(); ++index) {
    SimulatedBuffer &buffer = buffers[index];
    std::byte *margin = spaced.memory.data() + offsets[index], *copy = margin + kMargin;
    if (Status opened = openAddresses(margin, paged(buffer.bytes)); !opened.ok())
      return opened;
    std::fill_n(margin, kMargin, kUntouched);
    std::fill_n(copy + buffer.bytes, kMargin, kUntouched);
    spaced.originals.push_back(std::exchange(buffer.data, copy));
    if (buffer.bytes != 0)
      std::memcpy(copy, spaced.originals.back(), buffer.bytes);
    spaced.addresses.push_back(copy);
  }
  return spaced;
}

Status SpacedBuffers::checkMargins() const {
  for (size_t index = 0; index < buffers.size(); ++index) {
    const std::byte *data = buffers[index].data, *end = data + buffers[index].bytes;
    for (const std::byte *margin : {data - kMargin, end})
      for (const std::byte *at = margin; at < margin + kMargin; ++at)
        if (*at != kUntouched)
          return makeError("writes byte ", at - data, " of buffer ", index, ", which has ", buffers[index].bytes,
                           ", by an access that is not reported");
  }
  return Status::success();
}

void SpacedBuffers::copyBack() const {
  for (size_t index = 0; index < buffers.size(); ++index)
    if (buffers[index].isWritable && buffers[index].bytes != 0)
      std::memcpy(originals[index], buffers[index].data, buffers[index].bytes);
}
