// What there can be code for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Executable/Targets.h"

#include <algorithm>

using namespace mp;
using executable::BlobKind;

static constexpr BlobKind kNative[] = {BlobKind::NativeCode};
static constexpr BlobKind kForGPU[] = {BlobKind::PTX, BlobKind::Cubin};
static constexpr BlobKind kSimulated[] = {BlobKind::SimulatedCode};
static constexpr BlobKind kText[] = {BlobKind::ProgramText};

static constexpr TargetFormat kFormats[] = {
    // name, code, isGPU, runsText
    {targets::cpu, kNative, false, false},
    {targets::nvptx, kForGPU, true, false},
    {targets::simt, kSimulated, true, false},
    {targets::reference, kText, false, true},
};

const TargetFormat &mp::targetFormat(std::string_view name) {
  const TargetFormat *found = std::ranges::find(kFormats, name, &TargetFormat::name);
  return found == std::end(kFormats) ? kFormats[0] : *found;
}
