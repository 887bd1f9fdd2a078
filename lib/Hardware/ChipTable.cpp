// What GPUs can do, as data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Hardware/ChipTable.h"

#include <algorithm>
#include <charconv>
#include <vector>

using namespace mp;

static constexpr unsigned bits(std::initializer_list<ChipFeature> features) {
  unsigned result = 0;
  for (ChipFeature feature : features)
    result |= 1u << static_cast<unsigned>(feature);
  return result;
}

// Each generation keeps what the one before has; "a" names also have what no later chip promises.
static constexpr unsigned kVolta = bits({ChipFeature::Wmma});
static constexpr unsigned kTuring = kVolta | bits({ChipFeature::MmaM16N8K8, ChipFeature::LdMatrix});
static constexpr unsigned kAmpere =
    kTuring | bits({ChipFeature::MmaM16N8K16, ChipFeature::BF16, ChipFeature::TF32, ChipFeature::CpAsync});
static constexpr unsigned kHopper = kAmpere | bits({ChipFeature::StMatrix, ChipFeature::AsyncBarriers});
static constexpr unsigned kHopperA = kHopper | bits({ChipFeature::Wgmma});

static constexpr int64_t operator""_KB(unsigned long long count) { return static_cast<int64_t>(count) << 10; }
static constexpr int64_t operator""_MB(unsigned long long count) { return static_cast<int64_t>(count) << 20; }

// name, capability, PTX, features, shared of block and multiprocessor, threads, blocks
static constexpr ChipFamily kSm70 = {"sm_70", 7, 0, 64, kVolta, 96_KB, 96_KB, 2048, 32},
                            kSm75 = {"sm_75", 7, 5, 65, kTuring, 64_KB, 64_KB, 1024, 16},
                            kSm80 = {"sm_80", 8, 0, 71, kAmpere, 163_KB, 164_KB, 2048, 32},
                            kSm86 = {"sm_86", 8, 6, 71, kAmpere, 99_KB, 100_KB, 1536, 16},
                            kSm89 = {"sm_89", 8, 9, 78, kAmpere, 99_KB, 100_KB, 1536, 24},
                            kSm90 = {"sm_90", 9, 0, 78, kHopper, 227_KB, 228_KB, 2048, 32},
                            kSm90a = {"sm_90a", 9, 0, 80, kHopperA, 227_KB, 228_KB, 2048, 32},
                            kSm100a = {"sm_100a", 10, 0, 86, kHopper, 227_KB, 228_KB, 2048, 32};

/// What mma.sync reaches of the peak that vendors state for Hopper, which is wgmma's: 62.9 % on average, measured by
/// Luo et al., "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture via Microbenchmarking" (arXiv
/// 2402.13499).
static constexpr double kMmaOfHopper = 0.629;

/// Hopper's rates by mma.sync, of so many multiprocessors at that clock. A multiprocessor of a B200 has the same: its
/// peak is tcgen05's, nothing is published for mma.sync, and no less is to be expected.
static constexpr MatrixRates hopperRates(double multiprocessors, double clock) {
  const double f16 = kMmaOfHopper * 4096 * multiprocessors * clock;
  return {f16, f16, f16, f16 / 2};
}

// Vendors' figures for dense operands, where no comment says otherwise. GeForce multiplies with sums in f32 at half of
// the rate of those in f16. The first GPU of a family is the one that code is scheduled for where none is named.
// clang-format off
static constexpr Chip kGPUs[] = {
    // family, name, multiprocessors, clock,
    //    {f16, f16 narrow, bf16, tf32}, f32, f64, bandwidth, cache
    {kSm70, {"V100", 80, 1.53e9, {125e12, 125e12, 0, 0}, 15.7e12, 7.8e12, 900e9, 6_MB}},
    {kSm75, {"T4", 40, 1.59e9, {65e12, 65e12, 0, 0}, 8.1e12, 0.25e12, 320e9, 4_MB}},
    {kSm75, {"RTX-2080-Ti", 68, 1.545e9, {54e12, 108e12, 0, 0}, 13.4e12, 0.42e12, 616e9, 5632_KB}},
    {kSm80, {"A100", 108, 1.41e9, {312e12, 312e12, 312e12, 156e12}, 19.5e12, 9.7e12, 2039e9, 40_MB}},
    {kSm80, {"A30", 56, 1.44e9, {165e12, 165e12, 165e12, 82e12}, 10.3e12, 5.2e12, 933e9, 24_MB}},
    {kSm86, {"A10", 72, 1.695e9, {125e12, 125e12, 125e12, 62.5e12}, 31.2e12, 0.49e12, 600e9, 6_MB}},
    {kSm86, {"A40", 84, 1.74e9, {149.7e12, 149.7e12, 149.7e12, 74.8e12}, 37.4e12, 0.58e12, 696e9, 6_MB}},
    {kSm86, {"RTX-A6000", 84, 1.8e9, {155e12, 155e12, 155e12, 77e12}, 38.7e12, 0.6e12, 768e9, 6_MB}},
    {kSm86, {"RTX-3090", 82, 1.695e9, {71e12, 142e12, 71e12, 35.6e12}, 35.6e12, 0.56e12, 936e9, 6_MB}},
    {kSm89, {"L4", 58, 2.04e9, {121e12, 121e12, 121e12, 60e12}, 30.3e12, 0.47e12, 300e9, 48_MB}},
    {kSm89, {"L40S", 142, 2.52e9, {362e12, 362e12, 362e12, 183e12}, 91.6e12, 1.43e12, 864e9, 96_MB}},
    {kSm89, {"RTX-4090", 128, 2.52e9, {165e12, 330e12, 165e12, 82.6e12}, 82.6e12, 1.29e12, 1008e9, 72_MB}},
    {kSm90, {"H200", 132, 1.83e9, hopperRates(132, 1.83e9), 67e12, 34e12, 4800e9, 60_MB}},
    {kSm90, {"H100-SXM", 132, 1.83e9, hopperRates(132, 1.83e9), 67e12, 34e12, 3350e9, 50_MB}},
    {kSm90, {"H100-PCIe", 114, 1.62e9, hopperRates(114, 1.62e9), 51e12, 26e12, 2000e9, 50_MB}},
    {kSm90a, {"H200", 132, 1.83e9, hopperRates(132, 1.83e9), 67e12, 34e12, 4800e9, 60_MB}},
    {kSm100a, {"B200", 148, 1.86e9, hopperRates(148, 1.86e9), 75e12, 37e12, 8000e9, 126_MB}},
};
// clang-format on

std::span<const Chip> mp::allGPUs() { return kGPUs; }

std::span<const Chip> mp::allChips() {
  static const std::vector<Chip> chips = [] {
    std::vector<Chip> first;
    for (const Chip &row : kGPUs)
      if (first.empty() || first.back().name != row.name)
        first.push_back(row);
    return first;
  }();
  return chips;
}

/// Whether both are the same but for the case of ASCII letters.
static bool isSameName(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

const Chip *mp::findChip(std::string_view name) {
  const Chip *found =
      std::ranges::find_if(kGPUs, [&](const Chip &row) { return row.name == name || isSameName(row.gpu, name); });
  return found == std::end(kGPUs) ? nullptr : found;
}

static void append(std::string &list, std::string_view separator, std::string_view name) {
  list.append(list.empty() ? "" : separator).append(name);
}

std::string mp::chipNames(std::string_view separator) {
  std::string names;
  for (const Chip &chip : allChips())
    append(names, separator, chip.name);
  return names;
}

/// Whether `name` is a compute capability before matrix units, as sm_61.
static bool isBeforeMatrixUnits(std::string_view name) {
  constexpr std::string_view kPrefix = "sm_";
  unsigned number = 0;
  if (!name.starts_with(kPrefix))
    return false;
  auto [end, error] = std::from_chars(name.begin() + kPrefix.size(), name.end(), number);
  return error == std::errc() && end == name.end() && number < 70;
}

std::string mp::explainUnknownChip(std::string_view name) {
  const std::string quoted = "'" + std::string(name) + "'";
  if (isBeforeMatrixUnits(name))
    return "chip " + quoted +
           " is below compute capability 7.0: it has no matrix units, and no kernel is made for it; use target cpu, "
           "or one of " +
           chipNames();
  std::string gpus;
  std::vector<std::string_view> seen;
  for (const Chip &row : kGPUs)
    if (std::ranges::find(seen, row.gpu) == seen.end()) {
      seen.push_back(row.gpu);
      append(gpus, ", ", row.gpu);
    }
  return "unknown chip " + quoted + "; expected one of " + chipNames() + ", or a GPU: " + gpus;
}
