// What a program of an executable holds and needs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Training/Statistics.h"

#include "mp/Base/Names.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace mp;
using namespace mp::executable;

static uint64_t bytesOf(const ExecutableT &table, StateRole role) {
  uint64_t bytes = 0;
  for (const auto &entry : table.state)
    if (entry->role == role)
      bytes += byteCount(*entry->type).value_or(0);
  return bytes;
}

/// Of derived state a session has what the code for its target and features derives.
static uint64_t bytesOfDerived(const ExecutableT &table, const VariantT &ofSession) {
  uint64_t bytes = 0;
  for (const auto &program : table.programs)
    for (const auto &variant : program->variants)
      if (program->name == programs::derive && variant->target == ofSession.target &&
          variant->features == ofSession.features)
        for (const auto &result : variant->results)
          bytes += byteCount(*result->type).value_or(0);
  return bytes;
}

std::vector<std::pair<std::string, uint64_t>> mp::memoryByKind(const ExecutableT &table, const VariantT &variant,
                                                               uint64_t residentBytes) {
  std::vector<std::pair<std::string, uint64_t>> kinds = {
      {"parameters", bytesOf(table, StateRole::Parameter)},
      {"optimizer and loss scale", bytesOf(table, StateRole::State)},
      {"weights in the low type", bytesOfDerived(table, variant)},
      {"values between kernels", variant.arena_bytes},
  };
  uint64_t known = 0;
  for (const auto &[kind, bytes] : kinds)
    known += bytes;
  if (residentBytes > known)
    kinds.emplace_back("inputs, results and code", residentBytes - known);
  std::erase_if(kinds, [](const auto &kind) { return kind.second == 0; });
  return kinds;
}

std::string mp::statisticsJson(const ExecutableT &table, const VariantT &variant, uint64_t residentBytes) {
  nlohmann::ordered_json types = nlohmann::ordered_json::object(), memory = nlohmann::ordered_json::array();
  if (variant.statistics)
    for (const auto &row : variant.statistics->ops_by_type)
      types[row->type] = row->count;
  for (const auto &[kind, bytes] : memoryByKind(table, variant, residentBytes))
    memory.push_back({{"kind", kind}, {"bytes", bytes}});
  const auto kernels = std::ranges::count_if(variant.commands, [](const auto &one) { return one->what.AsLaunch(); });
  const nlohmann::ordered_json document = {{"ops_by_type", std::move(types)},
                                           {"casts", variant.statistics ? variant.statistics->casts : 0},
                                           {"kernels", kernels},
                                           {"batch", variant.batch},
                                           {"memory", std::move(memory)}};
  return document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}
