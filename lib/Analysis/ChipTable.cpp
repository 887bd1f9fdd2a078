//===- ChipTable.cpp - what GPUs can do, as data --------------------------------------------------------------===//

#include "mp/Analysis/ChipTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

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
static constexpr unsigned kAmpere = kTuring | bits({ChipFeature::MmaM16N8K16, ChipFeature::BF16, ChipFeature::TF32,
                                                    ChipFeature::CpAsync, ChipFeature::MaxNaN});
static constexpr unsigned kAda = kAmpere | bits({ChipFeature::FP8});
static constexpr unsigned kHopper = kAda | bits({ChipFeature::StMatrix, ChipFeature::AsyncBarriers});
static constexpr unsigned kHopperA = kHopper | bits({ChipFeature::Wgmma});
static constexpr unsigned kBlackwellA = kHopper | bits({ChipFeature::Tcgen05});

static constexpr int64_t operator""_KB(unsigned long long count) { return static_cast<int64_t>(count) << 10; }
static constexpr int64_t operator""_MB(unsigned long long count) { return static_cast<int64_t>(count) << 20; }

// V100 SXM2, T4, A100 SXM 80 GB, A10, L4, H200 SXM (twice), B200: vendors' figures for dense operands.
static constexpr Chip kChips[] = {
    // name, capability, PTX, features, shared of block and SM, SMs, threads, blocks,
    //    {f16, f16 narrow, bf16, tf32, f32, f64}, bandwidth, cache
    {"sm_70", 7, 0, 64, kVolta, 96_KB, 96_KB, 80, 2048, 32, {125e12, 125e12, 0, 0, 15.7e12, 7.8e12}, 900e9, 6_MB},
    {"sm_75", 7, 5, 65, kTuring, 64_KB, 64_KB, 40, 1024, 16, {65e12, 65e12, 0, 0, 8.1e12, 0.25e12}, 320e9, 4_MB},
    {"sm_80",
     8,
     0,
     71,
     kAmpere,
     163_KB,
     164_KB,
     108,
     2048,
     32,
     {312e12, 312e12, 312e12, 156e12, 19.5e12, 9.7e12},
     2039e9,
     40_MB},
    {"sm_86",
     8,
     6,
     71,
     kAmpere,
     99_KB,
     100_KB,
     72,
     1536,
     16,
     {125e12, 125e12, 125e12, 62.5e12, 31.2e12, 0.49e12},
     600e9,
     6_MB},
    {"sm_89",
     8,
     9,
     78,
     kAda,
     99_KB,
     100_KB,
     58,
     1536,
     24,
     {121e12, 121e12, 121e12, 60e12, 30.3e12, 0.47e12},
     300e9,
     48_MB},
    {"sm_90",
     9,
     0,
     78,
     kHopper,
     227_KB,
     228_KB,
     132,
     2048,
     32,
     {989e12, 989e12, 989e12, 494.7e12, 67e12, 34e12},
     4800e9,
     60_MB},
    {"sm_90a",
     9,
     0,
     80,
     kHopperA,
     227_KB,
     228_KB,
     132,
     2048,
     32,
     {989e12, 989e12, 989e12, 494.7e12, 67e12, 34e12},
     4800e9,
     60_MB},
    {"sm_100a",
     10,
     0,
     86,
     kBlackwellA,
     227_KB,
     228_KB,
     148,
     2048,
     32,
     {2250e12, 2250e12, 2250e12, 1125e12, 75e12, 37e12},
     8000e9,
     126_MB},
};

llvm::ArrayRef<Chip> mp::allChips() { return kChips; }

const Chip *mp::findChip(llvm::StringRef name) {
  const Chip *found = llvm::find_if(kChips, [&](const Chip &chip) { return chip.name == name; });
  return found == std::end(kChips) ? nullptr : found;
}

std::string mp::chipNames(llvm::StringRef separator) {
  return llvm::join(llvm::map_range(kChips, [](const Chip &chip) { return chip.name.str(); }), separator);
}

std::string mp::explainUnknownChip(llvm::StringRef name) {
  unsigned number = 0;
  llvm::StringRef rest = name;
  const bool isOld = rest.consume_front("sm_") && !rest.getAsInteger(10, number) && number < 70;
  if (isOld)
    return "chip '" + name.str() +
           "' is below compute capability 7.0: it has no matrix units, and no kernel is made for it; use target cpu, "
           "or "
           "one of " +
           chipNames();
  return "no chip is called '" + name.str() + "'; there are " + chipNames();
}
