// Wmma.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/Elements.h"
#include "Devices/SIMT/Functions.h"
#include "Devices/SIMT/MatrixArithmetic.h"

#include <cstring>

using namespace mp;

// PTX ISA 9.7.14, "Matrix multiply-accumulate operation using wmma instructions", m16n16k16

// Which lane holds which element "is unspecified and is target architecture dependent", so it is here as on no chip: a
// kernel that relies on one goes wrong. Fragments of A and B hold each element twice, as 8 words of f16. The layout in
// memory is a part of the fragment's type, so it changes which lane has which element, too.

namespace {

constexpr int kSize = 16;
constexpr int kElements = kSize * kSize;

/// What a fragment is of.
struct FragmentForm {
  SimulatorElement type;
  bool isColumnMajor = false; // A and B only: accumulators are of one type
  bool isAccumulator = true;

  int words() const { return isAccumulator && type == SimulatorElement::F16 ? 4 : 8; }
};

/// Calls visit(row, column, word, half) for what a lane holds.
template <typename Visit> void forEachOfLane(const FragmentForm &form, int lane, Visit visit) {
  const int p = perWord(form.type);
  for (int element = 0; element < form.words() * p; ++element) {
    const int index = (element * 32 + (form.isColumnMajor ? 31 - lane : lane)) % kElements;
    visit(index / kSize, index % kSize, element / p, element % p);
  }
}

/// Calls visit(element's address, word, half) with what a lane holds of a matrix in memory.
template <typename Visit>
void forEachAddress(const FragmentForm &form, bool isColumnMajor, int lane, std::byte *base, uint32_t stride,
                    Visit visit) {
  forEachOfLane(form, lane, [&](int row, int column, int word, int half) {
    const uint64_t major = isColumnMajor ? column : row, minor = isColumnMajor ? row : column;
    visit(base + (major * stride + minor) * bytesOf(form.type), word, half);
  });
}

struct MemoryOperands {
  std::byte *base;
  uint32_t stride;
  uint32_t words[8];
};

} // namespace

/// Address and stride are the same in all lanes; the address is aligned to 32 bytes, each row or column to 16.
static void checkMatrix(const Gathering &warp, SimulatorElement type) {
  const auto &first = warp.operands<MemoryOperands>(0);
  for (unsigned lane = 1; lane < 32; ++lane)
    if (warp.operands<MemoryOperands>(lane).base != first.base ||
        warp.operands<MemoryOperands>(lane).stride != first.stride)
      warp.block.fail(warp.lanes[lane], warp.site, "lanes pass different matrices");
  if (reinterpret_cast<uintptr_t>(first.base) % 32 != 0)
    warp.block.fail(warp.lanes[0], warp.site, "the matrix at ", first.base, " is not aligned to 32 bytes");
  if (first.stride * bytesOf(type) % 16 != 0)
    warp.block.fail(warp.lanes[0], warp.site, "a stride of ", first.stride * bytesOf(type),
                    " bytes, expected a multiple of 16");
}

static void loadTogether(const Gathering &warp) {
  enum { A, B, C }; // NVVM's MMAFrag
  const uint32_t *immediates = warp.site->immediates;
  const bool isColumnMajor = immediates[1] != 0, isAccumulator = immediates[0] == C;
  const FragmentForm form{static_cast<SimulatorElement>(immediates[2]), isColumnMajor && !isAccumulator, isAccumulator};
  checkMatrix(warp, form.type);
  const uint32_t bytes = bytesOf(form.type);
  for (int lane = 0; lane < 32; ++lane) {
    const auto &operands = warp.operands<MemoryOperands>(lane);
    auto *results = static_cast<std::byte *>(warp.lanes[lane].results);
    forEachAddress(form, isColumnMajor, lane, operands.base, operands.stride,
                   [&](const std::byte *address, int word, int half) {
                     warp.block.touch(warp.lanes[lane], warp.site, AccessKind::Read, address, bytes);
                     std::memcpy(results + 4 * word + 2 * half, address, bytes);
                   });
  }
}

void mp::fragmentLoad(const Call &call) { call.meet(~0u, loadTogether, Convergence::Aligned); }

static void storeTogether(const Gathering &warp) {
  const bool isColumnMajor = warp.site->immediates[0] != 0;
  const FragmentForm form{static_cast<SimulatorElement>(warp.site->immediates[1])};
  checkMatrix(warp, form.type);
  const uint32_t bytes = bytesOf(form.type);
  for (int lane = 0; lane < 32; ++lane) {
    const auto &operands = warp.operands<MemoryOperands>(lane);
    const auto *words = reinterpret_cast<const std::byte *>(operands.words);
    forEachAddress(form, isColumnMajor, lane, operands.base, operands.stride,
                   [&](std::byte *address, int word, int half) {
                     warp.block.touch(warp.lanes[lane], warp.site, AccessKind::Write, address, bytes);
                     std::memcpy(address, words + 4 * word + 2 * half, bytes);
                   });
  }
}

void mp::fragmentStore(const Call &call) { call.meet(~0u, storeTogether, Convergence::Aligned); }

static void multiplyTogether(const Gathering &warp) {
  const uint32_t *immediates = warp.site->immediates;
  const FragmentForm formA{SimulatorElement::F16, immediates[0] != 0, false},
      formB{SimulatorElement::F16, immediates[1] != 0, false}, formC{static_cast<SimulatorElement>(immediates[2])},
      formD{static_cast<SimulatorElement>(immediates[3])};
  double a[kElements], b[kElements], c[kElements], halfOfB[kElements / 2], halfOfC[kElements / 2], d[kElements];
  const auto get = [](const FragmentForm &form, int lane, const uint32_t *words, double *matrix) {
    forEachOfLane(form, lane, [&](int row, int column, int word, int half) {
      matrix[row * kSize + column] = getElement(words[word], half, form.type);
    });
  };
  for (int lane = 0; lane < 32; ++lane) {
    const auto *words = static_cast<const uint32_t *>(warp.lanes[lane].operands);
    get(formA, lane, words, a);
    get(formB, lane, words + formA.words(), b);
    get(formC, lane, words + formA.words() + formB.words(), c);
  }
  // Two tiles of 8 columns.
  for (int part = 0; part < 2; ++part) {
    for (int index = 0; index < kElements / 2; ++index) {
      halfOfB[index] = b[index / 8 * kSize + 8 * part + index % 8];
      halfOfC[index] = c[index / 8 * kSize + 8 * part + index % 8];
    }
    double sums[kElements / 2];
    multiplyTile(warp.block.rules(), SimulatorElement::F16, formD.type, kSize, a, halfOfB, halfOfC, sums);
    for (int index = 0; index < kElements / 2; ++index)
      d[index / 8 * kSize + 8 * part + index % 8] = sums[index];
  }
  for (int lane = 0; lane < 32; ++lane) {
    auto *results = static_cast<uint32_t *>(warp.lanes[lane].results);
    forEachOfLane(formD, lane, [&](int row, int column, int word, int half) {
      setElement(results[word], half, formD.type, d[row * kSize + column]);
    });
  }
}

void mp::fragmentMultiply(const Call &call) { call.meet(~0u, multiplyTogether, Convergence::Aligned); }
