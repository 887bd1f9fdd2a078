// What rows of the state start from.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Executable/Format.h"
#include "Executable/Verify.h"

#include <algorithm>

using namespace mp;
using namespace mp::executable;

Status format::checkElements(const TensorTypeT &type, std::span<const std::byte> bytes) {
  if (type.element != ElementType::I1)
    return Status::success();
  // Code takes any other byte for anything.
  for (std::byte value : bytes)
    if (value > std::byte(1))
      return makeError("starts from ", std::to_integer<int>(value), ", which is not a value of i1");
  return Status::success();
}

namespace {

/// A table and the blobs that it names.
struct Content {
  ExecutableT table;
  std::vector<std::span<const std::byte>> blobs;
};

} // namespace

/// The content of a file without the blobs of values that no row starts from.
static Content withoutUnused(const LoadedExecutable &executable, ExecutableT table) {
  std::vector<bool> isUsed(executable.table.blobs.size());
  for (size_t i = 0; i < isUsed.size(); ++i)
    isUsed[i] = executable.table.blobs[i]->kind != BlobKind::Values;
  for (const auto &entry : table.state)
    if (entry->values >= 0)
      isUsed[static_cast<size_t>(entry->values)] = true;
  Content kept{std::move(table), {}};
  kept.table.blobs.clear();
  std::vector<int32_t> numbers(isUsed.size(), -1);
  for (size_t i = 0; i < isUsed.size(); ++i) {
    if (!isUsed[i])
      continue;
    numbers[i] = static_cast<int32_t>(kept.blobs.size());
    kept.table.blobs.push_back(std::make_unique<BlobT>(*executable.table.blobs[i]));
    kept.blobs.push_back(executable.blob(i));
  }
  auto renumber = [&](auto &index) { index = static_cast<std::decay_t<decltype(index)>>(numbers[index]); };
  for (const auto &entry : kept.table.state)
    if (entry->values >= 0)
      renumber(entry->values);
  for (const auto &program : kept.table.programs)
    for (const auto &variant : program->variants) {
      if (variant->constants >= 0)
        renumber(variant->constants);
      for (const auto &command : variant->commands)
        if (LaunchT *launch = command->what.AsLaunch())
          renumber(launch->blob);
    }
  return kept;
}

ErrorOr<FileBytes> mp::serializeWithValues(const LoadedExecutable &executable, const std::vector<StateValues> &values) {
  ExecutableT table = executable.table;
  std::vector<std::pair<StateEntryT *, const StateValues *>> rows;
  for (const StateValues &value : values) {
    auto row = std::ranges::find_if(table.state, [&](const auto &entry) { return entry->name == value.name; });
    if (row == table.state.end())
      return makeError("the executable does not have state ", verify::quoted(value.name));
    StateEntryT &entry = **row;
    const std::string state = "state " + verify::quoted(value.name);
    if (std::ranges::count(rows, &entry, [](const auto &known) { return known.first; }))
      return makeError(state, " is given twice");
    if (entry.role == StateRole::Derived)
      return makeError(state, " is derived of ", verify::quoted(entry.derived_of), "; give that state instead");
    if (*entry.type != value.type || value.bytes.size() != byteCount(value.type))
      return makeError(state, " is ", typeName(*entry.type), ", given ", typeName(value.type), " of ",
                       value.bytes.size(), " bytes");
    if (Status held = format::checkElements(value.type, value.bytes); !held.ok())
      return held.in(state);
    rows.emplace_back(&entry, &value);
    entry.values = -1;
  }
  Content content = withoutUnused(executable, std::move(table));
  for (const auto &[entry, value] : rows) {
    entry->values = static_cast<int32_t>(content.blobs.size());
    content.table.blobs.push_back(std::make_unique<BlobT>());
    content.table.blobs.back()->kind = BlobKind::Values;
    content.blobs.push_back(value->bytes);
  }
  return serializeExecutable(std::move(content.table), content.blobs);
}
