// An executable on a device, with its state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Runtime/Core/Session.h"
#include "Runtime/Core/Batches.h"
#include "mp/Base/MicroBatches.h"
#include "mp/Base/Names.h"
#include "mp/Runtime/Core/Initialize.h"

#include <algorithm>

using namespace mp;
using namespace mp::executable;

ErrorOr<std::unique_ptr<Session>> Session::create(std::shared_ptr<const LoadedExecutable> file,
                                                  std::unique_ptr<Device> device) {
  std::unique_ptr<Session> session(new Session());
  session->file = std::move(file);
  session->target = std::move(device);
  const std::set<std::string> derived = session->derivedStates();
  for (const auto &entry : session->table().state) {
    session->stateBlocks.emplace_back();
    if (entry->role != StateRole::Derived || derived.contains(entry->name)) {
      ErrorOr<std::unique_ptr<DeviceMemory>> block = session->target->allocate(*byteCount(*entry->type));
      if (!block)
        return block.status().in("state '" + entry->name + "'");
      session->stateBlocks.back() = std::move(*block);
    }
    session->stateList.push_back(session->stateBlocks.back().get());
  }
  // A file of other machines is refused before anybody works with its state.
  const auto &programs = session->table().programs;
  if (!programs.empty() &&
      std::ranges::none_of(programs, [&](const auto &one) { return session->select(one->name).ok(); }))
    return session->select(programs.front()->name).status();
  return session;
}

/// Of derived state the rows that the variants have which this device runs.
std::set<std::string> Session::derivedStates() const {
  std::set<std::string> names;
  const ProgramT *derive = findProgram(programs::derive);
  if (!derive)
    return names;
  if (ErrorOr<const VariantT *> variant = select(derive->name))
    for (const auto &result : (*variant)->results)
      names.insert(result->name);
  return names;
}

const std::string *Session::metadata(std::string_view key) const {
  for (const auto &pair : table().metadata)
    if (pair->key == key)
      return &pair->value;
  return nullptr;
}

Status Session::initialize(uint64_t seed, FirstValues from) {
  for (const auto &entry : table().state) {
    if (entry->role == StateRole::Derived)
      continue;
    if (auto stored = file->values(*entry); stored && from == FirstValues::Stored) {
      if (Status set = target->upload(*stateList[*findState(entry->name)], 0, *stored); !set.ok())
        return set;
      continue;
    }
    ErrorOr<HostTensor> value = initialValue(*entry, seed);
    if (!value)
      return value.status();
    if (Status set = upload(entry->name, *value); !set.ok())
      return set;
  }
  for (const auto &entry : table().state)
    if (Status copied = copyToPending(entry->name); !copied.ok())
      return copied;
  return runDerive();
}

size_t Session::storedStates() const {
  return static_cast<size_t>(
      std::ranges::count_if(table().state, [](const auto &entry) { return entry->values >= 0; }));
}

std::vector<std::string> Session::stateNames() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < stateList.size(); ++i)
    if (stateList[i])
      names.push_back(table().state[i]->name);
  return names;
}

std::optional<size_t> Session::findState(std::string_view name) const {
  for (size_t i = 0; i < table().state.size(); ++i)
    if (table().state[i]->name == name)
      return i;
  return std::nullopt;
}

ErrorOr<HostTensor> Session::state(std::string_view name) {
  std::optional<size_t> row = findState(name);
  if (!row)
    return makeError("the executable does not have state '", name, "'");
  if (!stateList[*row])
    return makeError("state '", name, "' is derived for code that device ", target->description().name,
                     " does not run");
  ErrorOr<HostTensor> value = zeroTensor(*table().state[*row]->type);
  if (!value)
    return value;
  if (Status read = target->download(*stateList[*row], 0, value->bytes); !read.ok())
    return read.in("state '" + std::string(name) + "'");
  return value;
}

ErrorOr<size_t> Session::checkState(std::string_view name, const HostTensor &value) const {
  std::optional<size_t> row = findState(name);
  if (!row)
    return makeError("the executable does not have state '", name, "'");
  const TensorTypeT &type = *table().state[*row]->type;
  if (value.type != type)
    return makeError("state '", name, "' is ", typeName(type), ", given ", typeName(value.type));
  if (table().state[*row]->role == StateRole::Derived)
    return makeError("state '", name, "' is derived of '", table().state[*row]->derived_of,
                     "'; set that state instead");
  return *row;
}

Status Session::upload(std::string_view name, const HostTensor &value) {
  ErrorOr<size_t> row = checkState(name, value);
  return row ? target->upload(*stateList[*row], 0, value.bytes) : row.status();
}

Status Session::setState(std::string_view name, const HostTensor &value) {
  if (Status set = upload(name, value); !set.ok())
    return set;
  if (Status copied = copyToPending(name); !copied.ok())
    return copied;
  bool isSource = std::any_of(table().state.begin(), table().state.end(),
                              [&](const auto &entry) { return entry->derived_of == name; });
  return isSource ? runDerive() : Status::success();
}

Status Session::setState(const NamedTensors &values) {
  for (const NamedTensor &value : values)
    if (ErrorOr<size_t> row = checkState(value.name, value.tensor); !row)
      return row.status();
  for (const NamedTensor &value : values)
    if (Status set = upload(value.name, value.tensor); !set.ok())
      return set;
  auto isGiven = [&](const std::string &name) {
    return std::any_of(values.begin(), values.end(), [&](const NamedTensor &value) { return value.name == name; });
  };
  for (const NamedTensor &value : values)
    if (!findPending(value.name) || !isGiven(states::pendingOf(value.name)))
      if (Status copied = copyToPending(value.name); !copied.ok())
        return copied;
  return runDerive();
}

/// The state in which new values of `name` wait: one that training keeps for it, and not one that is called so.
std::optional<size_t> Session::findPending(std::string_view name) const {
  std::optional<size_t> row = findState(states::pendingOf(name));
  return row && table().state[*row]->training && table().state[*row]->beside == name ? row : std::nullopt;
}

/// Lets micro-batches start from what `name` is, where a program has its new values wait.
Status Session::copyToPending(std::string_view name) {
  if (!findProgram(programs::accumulate) || !findPending(name))
    return Status::success();
  ErrorOr<HostTensor> value = state(name);
  return value ? upload(states::pendingOf(name), *value) : value.status();
}

/// Makes all derived state of the parameters, where there is any.
Status Session::runDerive() {
  bool any = false;
  for (size_t row = 0; row < stateList.size(); ++row)
    any |= stateList[row] && table().state[row]->role == StateRole::Derived;
  return any ? run(programs::derive, {}).status() : Status::success();
}

const ProgramT *Session::findProgram(std::string_view name) const {
  for (const auto &program : table().programs)
    if (program->name == name)
      return program.get();
  return nullptr;
}

static bool hasBatch(const VariantT &variant) {
  return std::any_of(variant.arguments.begin(), variant.arguments.end(),
                     [](const auto &argument) { return argument->batched; });
}

static bool changesState(const VariantT &variant) {
  return std::ranges::any_of(variant.results, [](const auto &result) { return isOfAllRows(*result); });
}

static std::string listNumbers(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

/// "batch 8", "batches 8, 32"; empty for none.
static std::string listBatches(const std::vector<int64_t> &batches) {
  if (batches.empty())
    return "";
  return (batches.size() == 1 ? "batch " : "batches ") + listNumbers(batches);
}

namespace {

/// Why variants do not fit. Those for the same machine have the same reason, and differ in their batch.
class Misfits {
public:
  void add(const VariantT &variant, const std::string &reason) {
    std::string machine = variant.target;
    for (const std::string &feature : variant.features)
      machine += (&feature == &variant.features.front() ? ":" : ",") + feature;
    auto known =
        std::ranges::find_if(rows, [&](const Row &row) { return row.machine == machine && row.reason == reason; });
    if (known == rows.end())
      known = rows.insert(rows.end(), {std::move(machine), reason, {}});
    if (hasBatch(variant))
      known->batches.push_back(variant.batch);
  }

  /// "; variant for cpu:avx2 and batches 8, 32: needs avx2, ..."
  std::string describe() const {
    std::string text;
    for (const Row &row : rows) {
      const std::string batches = listBatches(row.batches);
      text += "; variant for " + row.machine + (batches.empty() ? "" : " and " + batches) + ": " + row.reason;
    }
    return text.empty() ? "; it has none" : text;
  }

private:
  struct Row {
    std::string machine, reason;
    std::vector<int64_t> batches;
  };
  std::vector<Row> rows;
};

} // namespace

std::vector<int64_t> Session::batches(std::string_view name) const {
  std::set<int64_t> found;
  if (const ProgramT *program = findProgram(name))
    for (const auto &variant : program->variants)
      if (hasBatch(*variant) && target->canRun(*file, *variant).ok())
        found.insert(variant->batch);
  return {found.begin(), found.end()};
}

std::optional<int64_t> Session::batchFor(std::string_view program, uint64_t rows) const {
  const std::vector<int64_t> all = batches(program);
  for (int64_t batch : all)
    if (static_cast<uint64_t>(batch) >= rows)
      return batch;
  return all.empty() ? std::nullopt : std::optional(all.back());
}

ErrorOr<const VariantT *> Session::select(std::string_view name, std::optional<int64_t> batch) const {
  const ProgramT *program = findProgram(name);
  if (!program) {
    std::string names;
    for (const auto &other : table().programs)
      names += (names.empty() ? "" : ", ") + other->name;
    return makeError("the executable does not have program ", name, "; it has ", names.empty() ? "none" : names);
  }
  const VariantT *best = nullptr;
  Misfits misfits;
  for (const auto &variant : program->variants) {
    Status able = target->canRun(*file, *variant);
    if (!able.ok())
      misfits.add(*variant, able.message());
    else if (batch && hasBatch(*variant) && variant->batch != *batch)
      continue;
    else if (!best || std::pair(target->preference(*variant), variant->batch) >
                          std::pair(target->preference(*best), best->batch))
      best = variant.get();
  }
  if (best)
    return best;
  if (const std::vector<int64_t> others = batches(name); !others.empty())
    return makeError("program ", name, " does not have code for batch ", *batch, "; it has it for ",
                     listBatches(others));
  return makeError("program ", name, " does not have a variant that fits", misfits.describe());
}

ErrorOr<std::unique_ptr<ProgramRunner>> Session::load(std::string_view program, std::optional<int64_t> batch,
                                                      unsigned slots) {
  ErrorOr<const VariantT *> variant = select(program, batch);
  if (!variant)
    return variant.status();
  return ProgramRunner::create(*target, *file, *findProgram(program), **variant, stateList, slots);
}

ErrorOr<ProgramRunner *> Session::cachedRunner(std::string_view name, std::optional<int64_t> rows) {
  const ProgramT *program = findProgram(name);
  ErrorOr<const VariantT *> variant = select(name, rows ? batchFor(name, static_cast<uint64_t>(*rows)) : std::nullopt);
  if (!variant)
    return variant.status();
  for (const std::unique_ptr<ProgramRunner> &runner : runners)
    if (&runner->variant() == *variant)
      return runner.get();
  ErrorOr<std::unique_ptr<ProgramRunner>> runner =
      ProgramRunner::create(*target, *file, *program, **variant, stateList, 1);
  if (!runner)
    return runner.status();
  runners.push_back(std::move(*runner));
  return runners.back().get();
}

ErrorOr<NamedTensors> Session::run(std::string_view name, const NamedTensors &inputs) {
  ErrorOr<const VariantT *> any = select(name);
  if (!any)
    return any.status();
  ErrorOr<std::optional<int64_t>> rows = checkInputs(name, **any, inputs);
  if (!rows)
    return rows.status();
  if (*rows && changesState(**any)) {
    const std::vector<int64_t> known = batches(name);
    if (std::ranges::find(known, **rows) == known.end())
      return makeError("program ", name, " changes state and takes exactly one batch: it has code for ",
                       listBatches(known), ", given ", **rows, " rows");
  }
  ErrorOr<ProgramRunner *> runner = cachedRunner(name, *rows);
  if (!runner)
    return runner.status();
  return runInBatches(**runner, inputs, *rows);
}

uint64_t Session::residentBytes() const {
  uint64_t bytes = 0;
  for (const std::unique_ptr<DeviceMemory> &block : stateBlocks)
    bytes += block ? block->size() : 0;
  for (const std::unique_ptr<ProgramRunner> &runner : runners)
    bytes += runner->residentBytes();
  return bytes;
}
