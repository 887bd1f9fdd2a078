// What this processor is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/CPU/Features.h"
#include "mp/Hardware/HostFeatures.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

using namespace mp;

#if defined(__x86_64__)
std::string mp::hostModel() {
  std::array<uint32_t, 12> words = {};
  for (uint32_t i = 0; i < 3; ++i)
    if (!__get_cpuid(0x80000002 + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2], &words[4 * i + 3]))
      return "x86-64 processor";
  char text[sizeof(words) + 1] = {};
  std::memcpy(text, words.data(), sizeof(words));
  std::string name = text;
  size_t begin = name.find_first_not_of(' ');
  return begin == std::string::npos ? "x86-64 processor" : name.substr(begin, name.find_last_not_of(' ') - begin + 1);
}
#else
std::string mp::hostModel() { return "processor"; }
#endif

std::vector<MatrixUnit> mp::hostMatrixUnits() {
  struct Row {
    const char *feature;
    MatrixUnit unit;
  };
  static const Row kRows[] = {
      {"amx-bf16", {ElementType::BF16, ElementType::F32, "amx-bf16"}},
      {"amx-fp16", {ElementType::F16, ElementType::F32, "amx-fp16"}},
      {"amx-int8", {ElementType::UI8, ElementType::I32, "amx-int8"}},
      {"avx512bf16", {ElementType::BF16, ElementType::F32, "avx512bf16"}},
      {"avx512fp16", {ElementType::F16, ElementType::F16, "avx512fp16"}},
      {"avx512vnni", {ElementType::UI8, ElementType::I32, "avx512vnni"}},
      {"fma", {ElementType::F32, ElementType::F32, "fma"}},
  };
  std::vector<MatrixUnit> units;
  for (const Row &row : kRows)
    for (const std::string &feature : hostFeatures())
      if (feature == row.feature)
        units.push_back(row.unit);
  return units;
}
