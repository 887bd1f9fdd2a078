// What this processor can do, in LLVM's names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Hardware/HostFeatures.h"
#include "Hardware/Processor.h"
#include "mp/Hardware/CPULevels.h"

#include <algorithm>
#include <optional>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace mp;

// The table

namespace {

enum class Register : uint8_t { A, B, C, D };

/// Register state that the operating system must save for the feature to be usable.
enum class NeedsState : uint8_t { None, AVX, AVX512, AMX };

struct Feature {
  const char *name; // as llvm/TargetParser/X86TargetParser.def spells it
  uint32_t leaf;
  uint32_t subleaf;
  Register reg;
  uint8_t bit;
  NeedsState state;
};

/// One line per feature: where CPUID says so (Intel SDM volume 2A, AMD APM volume 3).
constexpr Feature kFeatures[] = {
    {"cmov", 1, 0, Register::D, 15, NeedsState::None},
    {"cx8", 1, 0, Register::D, 8, NeedsState::None},
    {"mmx", 1, 0, Register::D, 23, NeedsState::None},
    {"fxsr", 1, 0, Register::D, 24, NeedsState::None},
    {"sse", 1, 0, Register::D, 25, NeedsState::None},
    {"sse2", 1, 0, Register::D, 26, NeedsState::None},
    {"sse3", 1, 0, Register::C, 0, NeedsState::None},
    {"pclmul", 1, 0, Register::C, 1, NeedsState::None},
    {"ssse3", 1, 0, Register::C, 9, NeedsState::None},
    {"fma", 1, 0, Register::C, 12, NeedsState::AVX},
    {"cx16", 1, 0, Register::C, 13, NeedsState::None},
    {"sse4.1", 1, 0, Register::C, 19, NeedsState::None},
    {"sse4.2", 1, 0, Register::C, 20, NeedsState::None},
    {"crc32", 1, 0, Register::C, 20, NeedsState::None},
    {"movbe", 1, 0, Register::C, 22, NeedsState::None},
    {"popcnt", 1, 0, Register::C, 23, NeedsState::None},
    {"aes", 1, 0, Register::C, 25, NeedsState::None},
    {"xsave", 1, 0, Register::C, 26, NeedsState::None},
    {"avx", 1, 0, Register::C, 28, NeedsState::AVX},
    {"f16c", 1, 0, Register::C, 29, NeedsState::AVX},
    {"rdrnd", 1, 0, Register::C, 30, NeedsState::None},
    {"fsgsbase", 7, 0, Register::B, 0, NeedsState::None},
    {"bmi", 7, 0, Register::B, 3, NeedsState::None},
    {"avx2", 7, 0, Register::B, 5, NeedsState::AVX},
    {"bmi2", 7, 0, Register::B, 8, NeedsState::None},
    {"invpcid", 7, 0, Register::B, 10, NeedsState::None},
    {"avx512f", 7, 0, Register::B, 16, NeedsState::AVX512},
    {"avx512dq", 7, 0, Register::B, 17, NeedsState::AVX512},
    {"rdseed", 7, 0, Register::B, 18, NeedsState::None},
    {"adx", 7, 0, Register::B, 19, NeedsState::None},
    {"avx512ifma", 7, 0, Register::B, 21, NeedsState::AVX512},
    {"clflushopt", 7, 0, Register::B, 23, NeedsState::None},
    {"clwb", 7, 0, Register::B, 24, NeedsState::None},
    {"avx512cd", 7, 0, Register::B, 28, NeedsState::AVX512},
    {"sha", 7, 0, Register::B, 29, NeedsState::None},
    {"avx512bw", 7, 0, Register::B, 30, NeedsState::AVX512},
    {"avx512vl", 7, 0, Register::B, 31, NeedsState::AVX512},
    {"avx512vbmi", 7, 0, Register::C, 1, NeedsState::AVX512},
    {"avx512vbmi2", 7, 0, Register::C, 6, NeedsState::AVX512},
    {"gfni", 7, 0, Register::C, 8, NeedsState::None},
    {"vaes", 7, 0, Register::C, 9, NeedsState::AVX},
    {"vpclmulqdq", 7, 0, Register::C, 10, NeedsState::AVX},
    {"avx512vnni", 7, 0, Register::C, 11, NeedsState::AVX512},
    {"avx512bitalg", 7, 0, Register::C, 12, NeedsState::AVX512},
    {"avx512vpopcntdq", 7, 0, Register::C, 14, NeedsState::AVX512},
    {"avx512vp2intersect", 7, 0, Register::D, 8, NeedsState::AVX512},
    {"amx-bf16", 7, 0, Register::D, 22, NeedsState::AMX},
    {"avx512fp16", 7, 0, Register::D, 23, NeedsState::AVX512},
    {"amx-tile", 7, 0, Register::D, 24, NeedsState::AMX},
    {"amx-int8", 7, 0, Register::D, 25, NeedsState::AMX},
    {"avxvnni", 7, 1, Register::A, 4, NeedsState::AVX},
    {"avx512bf16", 7, 1, Register::A, 5, NeedsState::AVX512},
    {"amx-fp16", 7, 1, Register::A, 21, NeedsState::AMX},
    {"avxifma", 7, 1, Register::A, 23, NeedsState::AVX},
    {"avxvnniint8", 7, 1, Register::D, 4, NeedsState::AVX},
    {"avxneconvert", 7, 1, Register::D, 5, NeedsState::AVX},
    {"amx-complex", 7, 1, Register::D, 8, NeedsState::AMX},
    {"xsaveopt", 0xD, 1, Register::A, 0, NeedsState::None},
    {"xsavec", 0xD, 1, Register::A, 1, NeedsState::None},
    {"xsaves", 0xD, 1, Register::A, 3, NeedsState::None},
    {"sahf", 0x80000001, 0, Register::C, 0, NeedsState::None},
    {"lzcnt", 0x80000001, 0, Register::C, 5, NeedsState::None},
    {"sse4a", 0x80000001, 0, Register::C, 6, NeedsState::None},
    {"prfchw", 0x80000001, 0, Register::C, 8, NeedsState::None},
    {"64bit", 0x80000001, 0, Register::D, 29, NeedsState::None},
};

} // namespace

FeatureNames mp::namesOfFeatures(const Processor &processor) {
  auto has = [&](const Feature &feature) {
    const auto registers = processor.cpuid(feature.leaf, feature.subleaf);
    return bool(registers[static_cast<size_t>(feature.reg)] >> feature.bit & 1);
  };
  constexpr Feature kSavesState = {"osxsave", 1, 0, Register::C, 27, NeedsState::None};
  const uint64_t saved = has(kSavesState) ? processor.savedState() : 0;
  std::optional<bool> mayUseTiles;
  auto isUsable = [&](NeedsState state) {
    switch (state) {
    case NeedsState::None:
      return true;
    case NeedsState::AVX:
      return (saved & 0x6) == 0x6;
    case NeedsState::AVX512:
      return (saved & 0xE6) == 0xE6;
    case NeedsState::AMX:
      if (!mayUseTiles)
        mayUseTiles = (saved & 0x60000) == 0x60000 && processor.askForTiles();
      return *mayUseTiles;
    }
    return false;
  };
  FeatureNames names;
  for (const Feature &feature : kFeatures)
    if (has(feature))
      (isUsable(feature.state) ? names.usable : names.refused).push_back(feature.name);
  return names;
}

// This processor

#if defined(__x86_64__)
static std::array<uint32_t, 4> cpuid(uint32_t leaf, uint32_t subleaf) {
  std::array<uint32_t, 4> registers = {};
  if (!__get_cpuid_count(leaf, subleaf, &registers[0], &registers[1], &registers[2], &registers[3]))
    return {};
  return registers;
}

static uint64_t savedState() {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

/// Linux gives tile registers to a process that asks for them, once for all its threads.
static bool askForTiles() {
  constexpr long kRequestPermission = 0x1023; // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;              // XFEATURE_XTILEDATA
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

static const FeatureNames &ofThisProcessor() {
  static const FeatureNames names = namesOfFeatures({cpuid, savedState, askForTiles});
  return names;
}
#else
static const FeatureNames &ofThisProcessor() {
  static const FeatureNames names;
  return names;
}
#endif

const std::vector<std::string> &mp::hostFeatures() { return ofThisProcessor().usable; }

const std::vector<std::string> &mp::refusedFeatures() { return ofThisProcessor().refused; }

// Levels

std::string mp::describeRefusedLevel(std::span<const std::string> usable, std::span<const std::string> refused,
                                     std::string_view maker) {
  auto isUsable = [&](std::string_view feature) { return std::ranges::count(usable, feature) > 0; };
  auto isRefused = [&](std::string_view feature) { return std::ranges::count(refused, feature) > 0; };
  const CPULevel &taken = highestCPULevel(isUsable, maker);
  const CPULevel &highest =
      highestCPULevel([&](std::string_view feature) { return isUsable(feature) || isRefused(feature); }, maker);
  if (&highest == &taken)
    return "";
  std::string missing;
  for (std::string_view feature : highest.features)
    if (isRefused(feature))
      missing.append(missing.empty() ? "" : ", ").append(feature);
  return "code is for cpu:" + std::string(taken.name) + ", not cpu:" + std::string(highest.name) +
         ", since the operating system refuses this process " + missing + " of the processor";
}
