// Ldmatrix, stmatrix and mma.sync.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/Elements.h"
#include "Devices/SIMT/Functions.h"
#include "Devices/SIMT/MatrixArithmetic.h"

#include <cstring>

using namespace mp;

// PTX ISA 9.7.14, "Warp-level matrix load instruction: ldmatrix" and "Warp-level matrix store instruction: stmatrix"

// Row r of matrix m lies at the address that lane 8 m + r passes, 16 bytes long. Lane l holds, in word m, elements
// 2 (l % 4) and 2 (l % 4) + 1 of row l / 4; transposed, of column l / 4.

static constexpr unsigned kMatrixRowBytes = 16;

/// The address of element (row, column) of matrix `matrix` among the addresses that lanes passed.
static std::byte *elementAt(const Gathering &warp, unsigned matrix, unsigned row, unsigned column) {
  return warp.operands<std::byte *>(8 * matrix + row) + 2 * column;
}

/// Calls visit(element in memory, lane, word, half) for each element of `count` matrices.
template <typename Visit>
static void forEachElement(const Gathering &warp, unsigned count, bool isTransposed, Visit visit) {
  for (unsigned matrix = 0; matrix < count; ++matrix)
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned half = 0; half < 2; ++half) {
        const unsigned row = lane / 4, column = 2 * (lane % 4) + half;
        visit(isTransposed ? elementAt(warp, matrix, column, row) : elementAt(warp, matrix, row, column), lane, matrix,
              half);
      }
}

static void touchRows(const Gathering &warp, unsigned count, AccessKind kind) {
  for (unsigned lane = 0; lane < 8 * count; ++lane) {
    const auto *row = warp.operands<const std::byte *>(lane);
    if (reinterpret_cast<uintptr_t>(row) % kMatrixRowBytes != 0)
      warp.block.fail(warp.lanes[lane], warp.site, "the row at ", row, " is not aligned to 16 bytes");
    warp.block.touchShared(warp.lanes[lane], warp.site, kind, row, kMatrixRowBytes);
  }
}

static void loadTogether(const Gathering &warp) {
  const unsigned count = warp.site->immediates[0];
  touchRows(warp, count, AccessKind::Read);
  forEachElement(warp, count, warp.site->immediates[1] != 0,
                 [&](const std::byte *element, unsigned lane, unsigned word, unsigned half) {
                   auto *result = static_cast<std::byte *>(warp.lanes[lane].results);
                   std::memcpy(result + 4 * word + 2 * half, element, 2);
                 });
}

void mp::loadMatrix(const Call &call) { call.meet(~0u, loadTogether, Convergence::Aligned); }

static void storeTogether(const Gathering &warp) {
  const unsigned count = warp.site->immediates[0];
  touchRows(warp, count, AccessKind::Write);
  forEachElement(warp, count, warp.site->immediates[1] != 0,
                 [&](std::byte *element, unsigned lane, unsigned word, unsigned half) {
                   const auto *words = static_cast<const std::byte *>(warp.lanes[lane].operands) + sizeof(void *);
                   std::memcpy(element, words + 4 * word + 2 * half, 2);
                 });
}

void mp::storeMatrix(const Call &call) { call.meet(~0u, storeTogether, Convergence::Aligned); }

// PTX ISA 9.7.14, "Matrix Fragments for mma.m16n8k4", "... m16n8k8" and "... m16n8k16"

// With g = lane / 4, t = lane % 4 and p elements in a word, element h of word w is
//   of A   row g + 8 (w % 2), column p t + h + 4 p (w / 2)
//   of B   row p t + h + 4 p w, column g
//   of C   row g + 8 i, column 2 t + j: word 2 i + j in f32, half j of word i in f16.

namespace {

/// One instruction's shape and types.
struct MultiplyForm {
  int k;
  SimulatorElement operands, c, d;

  explicit MultiplyForm(const SimulatorSite &site)
      : k(static_cast<int>(site.immediates[0])), operands(static_cast<SimulatorElement>(site.immediates[1])),
        c(static_cast<SimulatorElement>(site.immediates[2])), d(static_cast<SimulatorElement>(site.immediates[3])) {}

  int wordsOfA() const { return 16 * k / perWord(operands) / 32; }
  int wordsOfB() const { return 8 * k / perWord(operands) / 32; }
};

} // namespace

static void getA(const MultiplyForm &form, int lane, const uint32_t *words, double *a) {
  const int p = perWord(form.operands), g = lane / 4, t = lane % 4;
  for (int w = 0; w < form.wordsOfA(); ++w)
    for (int h = 0; h < p; ++h)
      a[(g + 8 * (w % 2)) * form.k + p * t + h + 4 * p * (w / 2)] = getElement(words[w], h, form.operands);
}

static void getB(const MultiplyForm &form, int lane, const uint32_t *words, double *b) {
  const int p = perWord(form.operands), g = lane / 4, t = lane % 4;
  for (int w = 0; w < form.wordsOfB(); ++w)
    for (int h = 0; h < p; ++h)
      b[(p * t + h + 4 * p * w) * 8 + g] = getElement(words[w], h, form.operands);
}

/// Calls visit(index in the 16 x 8 matrix, word, half) for what a lane holds of C or D.
template <typename Visit> static void forEachSum(SimulatorElement type, int lane, Visit visit) {
  const int p = perWord(type);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      visit((lane / 4 + 8 * i) * 8 + 2 * (lane % 4) + j, (2 * i + j) / p, (2 * i + j) % p);
}

static void multiplyTogether(const Gathering &warp) {
  const MultiplyForm form(*warp.site);
  double a[16 * 16], b[16 * 8], c[16 * 8], d[16 * 8];
  for (int lane = 0; lane < 32; ++lane) {
    const auto *words = static_cast<const uint32_t *>(warp.lanes[lane].operands);
    getA(form, lane, words, a);
    getB(form, lane, words + form.wordsOfA(), b);
    const uint32_t *sums = words + form.wordsOfA() + form.wordsOfB();
    forEachSum(form.c, lane, [&](int index, int word, int half) { c[index] = getElement(sums[word], half, form.c); });
  }
  multiplyTile(warp.block.rules(), form.operands, form.d, form.k, a, b, c, d);
  for (int lane = 0; lane < 32; ++lane) {
    auto *results = static_cast<uint32_t *>(warp.lanes[lane].results);
    forEachSum(form.d, lane, [&](int index, int word, int half) { setElement(results[word], half, form.d, d[index]); });
  }
}

void mp::multiply(const Call &call) { call.meet(~0u, multiplyTogether, Convergence::Aligned); }
