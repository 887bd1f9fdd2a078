// What a GPU can run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/CUDA/Capability.h"
#include "Devices/CUDA/Driver.h"

#include <algorithm>
#include <charconv>
#include <iterator>

using namespace mp;
using namespace mp::cuda;

bool Capability::runsOn(const Capability &device) const {
  bool same = major == device.major && minor == device.minor;
  if (suffix == 'a')
    return same;
  if (suffix == 'f')
    return major == device.major && minor <= device.minor;
  return same || major < device.major || (major == device.major && minor < device.minor);
}

bool Capability::cubinRunsOn(const Capability &device) const {
  static constexpr std::pair<int, int> kTegra[] = {{7, 2}, {8, 7}, {10, 1}, {11, 0}};
  auto isTegra = [](const Capability &chip) {
    return std::find(std::begin(kTegra), std::end(kTegra), std::pair(chip.major, chip.minor)) != std::end(kTegra);
  };
  if (isTegra(*this) || isTegra(device))
    return major == device.major && minor == device.minor;
  return major == device.major && runsOn(device);
}

std::optional<Capability> cuda::parseChip(std::string_view chip) {
  if (!chip.starts_with("sm_"))
    return std::nullopt;
  chip.remove_prefix(3);
  int number = 0;
  auto [end, error] = std::from_chars(chip.data(), chip.data() + chip.size(), number);
  if (error != std::errc() || number < 10)
    return std::nullopt;
  std::string_view suffix(end, static_cast<size_t>(chip.data() + chip.size() - end));
  if (!suffix.empty() && suffix != "a" && suffix != "f")
    return std::nullopt;
  return Capability{number / 10, number % 10, suffix.empty() ? char(0) : suffix[0]};
}

std::string cuda::formatCapability(const Capability &capability) {
  return std::to_string(capability.major) + "." + std::to_string(capability.minor);
}

std::string cuda::chipOf(const Capability &device) {
  // Chips with instructions of their own begin with Hopper.
  return "sm_" + std::to_string(device.major * 10 + device.minor) + (device.major >= 9 ? "a" : "");
}

namespace {

struct UnitRow {
  ElementType operands;
  ElementType accumulator;
  Capability first; // devices from here
  Capability last;  // to here
  const char *instruction;
};

struct VersionRow {
  int ptx; // 86 is 8.6
  int driver;
};

} // namespace

/// For a pair of types at most one row holds for a device. f32 operands are rounded to TF32.
static constexpr UnitRow kUnits[] = {
    {ElementType::F16, ElementType::F32, {7, 0}, {7, 4}, "wmma"},
    {ElementType::F16, ElementType::F32, {7, 5}, {8, 9}, "mma.sync"},
    {ElementType::F16, ElementType::F32, {9, 0}, {9, 9}, "wgmma"},
    {ElementType::F16, ElementType::F32, {10, 0}, {11, 9}, "tcgen05.mma"},
    {ElementType::F16, ElementType::F32, {12, 0}, {99, 9}, "mma.sync"},
    {ElementType::F16, ElementType::F16, {7, 0}, {7, 4}, "wmma"},
    {ElementType::F16, ElementType::F16, {7, 5}, {8, 9}, "mma.sync"},
    {ElementType::F16, ElementType::F16, {9, 0}, {9, 9}, "wgmma"},
    {ElementType::F16, ElementType::F16, {10, 0}, {11, 9}, "tcgen05.mma"},
    {ElementType::F16, ElementType::F16, {12, 0}, {99, 9}, "mma.sync"},
    {ElementType::BF16, ElementType::F32, {8, 0}, {8, 9}, "mma.sync"},
    {ElementType::BF16, ElementType::F32, {9, 0}, {9, 9}, "wgmma"},
    {ElementType::BF16, ElementType::F32, {10, 0}, {11, 9}, "tcgen05.mma"},
    {ElementType::BF16, ElementType::F32, {12, 0}, {99, 9}, "mma.sync"},
    {ElementType::F32, ElementType::F32, {8, 0}, {8, 9}, "mma.sync, TF32"},
    {ElementType::F32, ElementType::F32, {9, 0}, {9, 9}, "wgmma, TF32"},
    {ElementType::F32, ElementType::F32, {10, 0}, {11, 9}, "tcgen05.mma, TF32"},
    {ElementType::F32, ElementType::F32, {12, 0}, {99, 9}, "mma.sync, TF32"},
    {ElementType::F64, ElementType::F64, {8, 0}, {99, 9}, "mma.sync"},
};

std::vector<MatrixUnit> cuda::matrixUnits(const Capability &device) {
  std::vector<MatrixUnit> units;
  for (const UnitRow &row : kUnits)
    if (row.first.runsOn(device) && device.runsOn(row.last))
      units.push_back({row.operands, row.accumulator, row.instruction});
  return units;
}

/// The first CUDA version whose driver reads a version of PTX, from the PTX ISA's release history.
/// Later versions of PTX have had the number of the CUDA version of their time minus 4.
static constexpr VersionRow kVersions[] = {
    {60, 9000},  {61, 9010},  {62, 9020},  {63, 10000}, {64, 10010}, {65, 10020}, {70, 11000}, {71, 11010}, {72, 11020},
    {73, 11030}, {74, 11040}, {75, 11050}, {76, 11060}, {77, 11070}, {78, 11080}, {80, 12000}, {81, 12010}, {82, 12020},
    {83, 12030}, {84, 12040}, {85, 12050}, {86, 12070}, {87, 12080}, {88, 12090}, {90, 13000},
};

std::optional<int> cuda::driverForPTX(std::string_view text) {
  constexpr std::string_view kDirective = ".version";
  size_t at = text.find(kDirective);
  if (at == std::string_view::npos)
    return std::nullopt;
  text.remove_prefix(at + kDirective.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  int major = 0;
  int minor = 0;
  auto [dot, wrong] = std::from_chars(text.data(), text.data() + text.size(), major);
  if (wrong != std::errc() || dot == text.data() + text.size() || *dot != '.' ||
      std::from_chars(dot + 1, text.data() + text.size(), minor).ec != std::errc())
    return std::nullopt;
  int version = major * 10 + minor;
  for (const VersionRow &row : kVersions)
    if (row.ptx >= version)
      return row.driver;
  return (major + 4) * 1000 + minor * 10;
}

Status cuda::checkDriverForPTX(std::string_view text, int driver) {
  std::optional<int> needed = driverForPTX(text);
  if (!needed || *needed <= driver)
    return Status::success();
  return makeError("the PTX needs a driver for CUDA ", formatVersion(*needed), ", this one is for CUDA ",
                   formatVersion(driver), ": install a newer driver");
}
