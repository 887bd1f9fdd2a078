// How GPU code is simulated.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Runtime/Core/SIMTOptions.h"

#include <charconv>

using namespace mp;

namespace {

struct Word {
  std::string_view name;
  void (*set)(SIMTOptions &options);
};

constexpr Word kWords[] = {
    {"races", [](SIMTOptions &o) { o.races = true; }},
    {"uninitialized", [](SIMTOptions &o) { o.uninitialized = true; }},
    {"bounds", [](SIMTOptions &o) { o.bounds = true; }},
    {"checks", [](SIMTOptions &o) { o.races = o.uninitialized = o.bounds = true; }},
    {"hardware-like", [](SIMTOptions &o) { o.arithmetic = MatrixArithmetic::HardwareLike; }},
};

} // namespace

static Status setWord(SIMTOptions &options, std::string_view word) {
  for (const Word &known : kWords)
    if (word == known.name) {
      known.set(options);
      return Status::success();
    }
  constexpr std::string_view kSeed = "seed=";
  if (word.starts_with(kSeed)) {
    const std::string_view digits = word.substr(kSeed.size());
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), options.seed);
    if (error == std::errc() && end == digits.data() + digits.size() && !digits.empty())
      return Status::success();
  }
  return makeError("'", word, "' is none of races, uninitialized, bounds, checks, hardware-like and seed=N");
}

Status mp::setSIMTOptions(SIMTOptions &options, std::string_view text) {
  while (true) {
    const size_t comma = text.find(',');
    if (Status set = setWord(options, text.substr(0, comma)); !set.ok())
      return set;
    if (comma == std::string_view::npos)
      return Status::success();
    text.remove_prefix(comma + 1);
  }
}
