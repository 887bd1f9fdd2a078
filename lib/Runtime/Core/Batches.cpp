// Any number of rows through a program of one batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Runtime/Core/Batches.h"

#include "mp/Base/Names.h"

#include <algorithm>
#include <cstring>

using namespace mp;
using namespace mp::executable;

/// A batched type as a caller may give it: "tensor<?x784xui8>".
static std::string openName(const ArgumentT &argument) {
  std::string name = typeName(*argument.type);
  if (!argument.batched)
    return name;
  size_t begin = name.find('<') + 1;
  return name.replace(begin, name.find('x', begin) - begin, "?");
}

/// Whether `given` is the argument's type but for the number of rows.
static bool fits(const ArgumentT &argument, const TensorTypeT &given) {
  TensorTypeT expected = *argument.type;
  if (argument.batched && !given.shape.empty() && !expected.shape.empty())
    expected.shape[0] = given.shape[0];
  return expected == given;
}

static std::string inputNames(const VariantT &variant) {
  std::string names;
  for (const auto &argument : variant.arguments)
    if (argument->kind == ArgumentKind::Input)
      names += (names.empty() ? "'" : ", '") + argument->name + "'";
  return names.empty() ? "none" : names;
}

ErrorOr<std::optional<int64_t>> mp::checkInputs(std::string_view program, const VariantT &variant,
                                                const NamedTensors &inputs) {
  auto takes = [&](const ArgumentT &argument, const std::string &name) {
    return argument.kind != ArgumentKind::State && argument.name == name;
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string &name = inputs[i].name;
    if (std::none_of(variant.arguments.begin(), variant.arguments.end(),
                     [&](const auto &argument) { return takes(*argument, name); }))
      return makeError("program ", program, " has no input '", name, "'; its inputs: ", inputNames(variant));
    if (findTensor(inputs, name) != &inputs[i].tensor)
      return makeError("input '", name, "' is given twice");
  }
  std::optional<int64_t> rows;
  const std::string *rowsOf = nullptr;
  for (const auto &argument : variant.arguments) {
    if (argument->kind == ArgumentKind::State)
      continue;
    const HostTensor *given = findTensor(inputs, argument->name);
    if (!given && argument->kind == ArgumentKind::RowWeights)
      continue;
    if (!given)
      return makeError("input '", argument->name, "' of program ", program, " is missing");
    if (!fits(*argument, given->type))
      return makeError("input '", argument->name, "' is ", typeName(given->type), ", expected ", openName(*argument));
    if (!argument->batched)
      continue;
    if (rows && *rows != given->type.shape[0])
      return makeError("input '", argument->name, "' has ", given->type.shape[0], " rows, input '", *rowsOf, "' has ",
                       *rows);
    rows = given->type.shape[0];
    rowsOf = &argument->name;
  }
  if (rows && *rows == 0)
    return makeError("input '", *rowsOf, "' has no rows");
  return rows;
}

namespace {

/// Rows first .. first+count-1 of the caller's.
struct Chunk {
  int64_t first;
  int64_t count;
};

} // namespace

bool mp::isOfAllRows(const ResultT &result) { return result.kind == ResultKind::Next && result.name != states::rng; }

/// Fails where a chunk is not a whole batch and a result would be wrong then.
static Status checkChunks(const ProgramRunner &runner, int64_t rows) {
  const VariantT &variant = runner.variant();
  bool padded = rows % variant.batch != 0;
  if (rows == variant.batch)
    return Status::success();
  bool weighted = std::any_of(variant.arguments.begin(), variant.arguments.end(),
                              [](const auto &a) { return a->kind == ArgumentKind::RowWeights; });
  for (const auto &result : variant.results) {
    if (isOfAllRows(*result))
      return makeError("program ", runner.program().name, " changes state and takes exactly ", variant.batch,
                       " rows, given ", rows);
    bool joins = result->batched || result->kind == ResultKind::Next ||
                 (result->kind == ResultKind::Loss && (weighted || !padded));
    if (!joins)
      return makeError("result '", result->name, "' of program ", runner.program().name,
                       " is not per row; the program takes exactly ", variant.batch, " rows, given ", rows,
                       "; compile it for that batch size");
  }
  return Status::success();
}

/// The bytes of a chunk, padded with zeros to `size`; `storage` holds them where it must.
static std::span<const std::byte> chunkOf(const HostTensor &tensor, Chunk chunk, uint64_t size,
                                          std::vector<std::byte> &storage) {
  uint64_t rowBytes = tensor.bytes.size() / static_cast<uint64_t>(tensor.type.shape[0]);
  std::span<const std::byte> bytes =
      std::span<const std::byte>(tensor.bytes)
          .subspan(static_cast<uint64_t>(chunk.first) * rowBytes, static_cast<uint64_t>(chunk.count) * rowBytes);
  if (bytes.size() == size)
    return bytes;
  storage.assign(size, std::byte(0));
  if (!bytes.empty())
    std::memcpy(storage.data(), bytes.data(), bytes.size());
  return storage;
}

static Status setArguments(ProgramRunner &runner, const NamedTensors &inputs, Chunk chunk) {
  for (size_t i = 0; i < runner.variant().arguments.size(); ++i) {
    const ArgumentT &argument = *runner.variant().arguments[i];
    if (argument.kind == ArgumentKind::State)
      continue;
    std::vector<std::byte> storage;
    uint64_t size = *byteCount(*argument.type);
    std::span<const std::byte> bytes;
    if (const HostTensor *given = findTensor(inputs, argument.name)) {
      bytes = argument.batched ? chunkOf(*given, chunk, size, storage) : given->bytes;
    } else {
      storage.resize(size);
      for (int64_t row = 0; row < chunk.count; ++row)
        storeElement(storage, argument.type->element, static_cast<uint64_t>(row), 1);
      bytes = storage;
    }
    if (Status set = runner.setArgument(0, i, bytes); !set.ok())
      return set;
  }
  return Status::success();
}

/// Adds one chunk's result to what was joined so far: rows behind rows, a loss by its rows.
static void join(HostTensor &joined, const HostTensor &part, const ResultT &result, Chunk chunk, int64_t rows) {
  if (result.batched) {
    uint64_t rowBytes = part.bytes.size() / static_cast<uint64_t>(part.type.shape[0]);
    joined.type.shape = part.type.shape;
    joined.type.shape[0] = chunk.first + chunk.count;
    joined.bytes.insert(joined.bytes.end(), part.bytes.begin(),
                        part.bytes.begin() + chunk.count * static_cast<int64_t>(rowBytes));
    return;
  }
  if (chunk.count == rows) {
    joined = part;
    return;
  }
  if (joined.bytes.empty())
    joined = {part.type, std::vector<std::byte>(part.bytes.size())};
  double share = static_cast<double>(chunk.count) / static_cast<double>(rows);
  for (uint64_t i = 0; i < part.count(); ++i)
    storeElement(joined.bytes, joined.type.element, i, elementAt(joined, i) + share * elementAt(part, i));
}

ErrorOr<NamedTensors> mp::runInBatches(ProgramRunner &runner, const NamedTensors &inputs, std::optional<int64_t> rows) {
  const VariantT &variant = runner.variant();
  if (rows)
    if (Status whole = checkChunks(runner, *rows); !whole.ok())
      return whole;

  NamedTensors joined;
  for (const auto &result : variant.results)
    if (result->kind != ResultKind::Next)
      joined.push_back({result->name, {*result->type, {}}});

  // Without batched arguments there is one chunk and nothing to join.
  int64_t total = rows.value_or(1);
  int64_t step = rows ? variant.batch : 1;
  for (Chunk chunk{0, std::min(step, total)}; chunk.count > 0;
       chunk = {chunk.first + chunk.count, std::min(step, total - chunk.first - chunk.count)}) {
    if (Status set = setArguments(runner, inputs, chunk); !set.ok())
      return set;
    if (Status queued = runner.enqueue(0); !queued.ok())
      return queued;
    size_t out = 0;
    for (size_t i = 0; i < variant.results.size(); ++i) {
      if (variant.results[i]->kind == ResultKind::Next)
        continue;
      ErrorOr<HostTensor> part = runner.read(0, i);
      if (!part)
        return part.status();
      join(joined[out++].tensor, *part, *variant.results[i], chunk, total);
    }
  }
  // A program without results is waited for all the same.
  if (Status done = runner.wait(0); !done.ok())
    return done;
  return joined;
}
