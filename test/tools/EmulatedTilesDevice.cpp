// The device cpu of a machine with tiles of AMX, on machines without.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linker gives every call of mp::hostFeatures to what is here (--wrap), so that a program of ours runs code with
// tiles as it would there. Where the processor has tiles, or lacks more than those, nothing changes.

#include "AMX/EmulatedTiles.h"

using namespace mp;
using namespace mp::test;

const std::vector<std::string> &featuresOfProcessor() asm("__real__ZN2mp12hostFeaturesB5cxx11Ev");
const std::vector<std::string> &featuresWithTiles() asm("__wrap__ZN2mp12hostFeaturesB5cxx11Ev");

const std::vector<std::string> &featuresWithTiles() {
  static const std::vector<std::string> features = [] {
    std::vector<std::string> all = featuresOfProcessor();
    const CPULevel &level = *findCPULevel("amx-fp16");
    if (findTiles(level, all) != TileSource::Emulation)
      return all;
    static const EmulatedTiles emulated;
    for (std::string_view feature : level.features)
      if (EmulatedTiles::provides(feature))
        all.emplace_back(feature);
    return all;
  }();
  return features;
}
