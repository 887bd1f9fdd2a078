// A program with memory to run in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Runtime/Core/ProgramRunner.h"

#include <algorithm>
#include <cstring>

using namespace mp;
using namespace mp::executable;

/// Checks what those who cut and pad batches rely on: rows of a batched type are the batch.
static Status checkBatch(const VariantT &variant) {
  auto holds = [&](const TensorTypeT &type) {
    return !type.shape.empty() && type.shape[0] > 0 && type.shape[0] == variant.batch;
  };
  for (const auto &argument : variant.arguments)
    if (argument->batched && !holds(*argument->type))
      return makeError("argument '", argument->name, "' is ", typeName(*argument->type), " in a variant for batch ",
                       variant.batch);
  bool anyArgument = std::any_of(variant.arguments.begin(), variant.arguments.end(),
                                 [](const auto &argument) { return argument->batched; });
  for (const auto &result : variant.results)
    if (result->batched && (!anyArgument || !holds(*result->type)))
      return makeError("result '", result->name, "' is ", typeName(*result->type), " in a variant for batch ",
                       variant.batch);
  return Status::success();
}

ErrorOr<std::unique_ptr<ProgramRunner>> ProgramRunner::create(Device &device, const LoadedExecutable &file,
                                                              const ProgramT &program, const VariantT &variant,
                                                              std::span<DeviceMemory *const> state, unsigned slots) {
  std::unique_ptr<ProgramRunner> runner(new ProgramRunner(device, program, variant, state));
  if (Status batch = checkBatch(variant); !batch.ok())
    return batch.in("program " + program.name);
  ErrorOr<std::unique_ptr<LoadedVariant>> loaded = device.load(file, program, variant);
  if (!loaded)
    return loaded.status();
  runner->loaded = std::move(*loaded);
  runner->slotList.resize(slots);
  for (Slot &slot : runner->slotList)
    if (Status allocated = runner->allocate(slot); !allocated.ok())
      return allocated.in("program " + program.name);
  return runner;
}

/// What the host reads after every step lies where it sees it, so that it waits for that step alone;
/// a large output or gradient does not.
static MemoryKind memoryOf(const ResultT &result) {
  constexpr uint64_t kSmall = 4096;
  bool isScore = result.kind == ResultKind::Loss || result.kind == ResultKind::Metric || result.kind == ResultKind::Log;
  return isScore || *byteCount(*result.type) <= kSmall ? MemoryKind::HostVisible : MemoryKind::Device;
}

Status ProgramRunner::allocate(Slot &slot) {
  auto add = [&](Blocks &blocks, std::vector<DeviceMemory *> &list, const TensorTypeT &type, bool used,
                 MemoryKind kind) -> Status {
    blocks.emplace_back();
    if (used) {
      ErrorOr<std::unique_ptr<DeviceMemory>> block = device.allocate(*byteCount(type), kind);
      if (!block)
        return block.status();
      blocks.back() = std::move(*block);
    }
    list.push_back(blocks.back().get());
    return Status::success();
  };
  for (const auto &argument : variantTable.arguments)
    if (Status added = add(slot.arguments, slot.argumentList, *argument->type, argument->kind != ArgumentKind::State,
                           MemoryKind::Device);
        !added.ok())
      return added.in("argument '" + argument->name + "'");
  for (const auto &result : variantTable.results)
    if (Status added =
            add(slot.results, slot.resultList, *result->type, result->kind != ResultKind::Next, memoryOf(*result));
        !added.ok())
      return added.in("result '" + result->name + "'");
  return Status::success();
}

std::optional<size_t> ProgramRunner::argument(std::string_view name) const {
  for (size_t i = 0; i < variantTable.arguments.size(); ++i)
    if (variantTable.arguments[i]->name == name)
      return i;
  return std::nullopt;
}

std::optional<size_t> ProgramRunner::result(std::string_view name) const {
  for (size_t i = 0; i < variantTable.results.size(); ++i)
    if (variantTable.results[i]->name == name && slotList.front().resultList[i])
      return i;
  return std::nullopt;
}

Status ProgramRunner::setArgument(unsigned slot, size_t index, std::span<const std::byte> bytes) {
  DeviceMemory *block = slotList[slot].argumentList[index];
  if (!block || block->size() != bytes.size())
    return makeError("argument '", variantTable.arguments[index]->name, "' of program ", programTable.name, " takes ",
                     block ? block->size() : 0, " bytes, given ", bytes.size());
  return device.upload(*block, 0, bytes);
}

Status ProgramRunner::enqueue(unsigned slot) {
  Slot &memory = slotList[slot];
  Status queued = loaded->enqueue({state, memory.argumentList, memory.resultList});
  memory.done = device.mark();
  return queued.in("program " + programTable.name);
}

ErrorOr<std::vector<double>> ProgramRunner::timeCommands(unsigned slot) {
  Slot &memory = slotList[slot];
  ErrorOr<std::vector<double>> seconds = loaded->timeCommands({state, memory.argumentList, memory.resultList});
  if (!seconds)
    return seconds.status().in("device " + device.description().name);
  return seconds;
}

Status ProgramRunner::wait(unsigned slot) {
  return device.wait(slotList[slot].done).in("program " + programTable.name);
}

ErrorOr<HostTensor> ProgramRunner::read(unsigned slot, size_t index) {
  if (Status done = wait(slot); !done.ok())
    return done;
  const DeviceMemory *block = slotList[slot].resultList[index];
  ErrorOr<HostTensor> tensor = zeroTensor(*variantTable.results[index]->type);
  if (!tensor)
    return tensor;
  if (const std::byte *view = block->hostView()) {
    if (!tensor->bytes.empty())
      std::memcpy(tensor->bytes.data(), view, tensor->bytes.size());
    return tensor;
  }
  if (Status read = device.download(*block, 0, tensor->bytes); !read.ok())
    return read;
  return tensor;
}

uint64_t ProgramRunner::residentBytes() const {
  uint64_t bytes = loaded->residentBytes();
  for (const Slot &slot : slotList)
    for (const Blocks *blocks : {&slot.arguments, &slot.results})
      for (const std::unique_ptr<DeviceMemory> &block : *blocks)
        bytes += block ? block->size() : 0;
  return bytes;
}
