// The state table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Executable/Verify.h"

#include <cmath>
#include <limits>
#include <set>

using namespace mp;
using namespace mp::executable;
using namespace mp::verify;

static bool isFloat(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16 || type == ElementType::F32 || type == ElementType::F64;
}

/// Whether the runtime may convert `value` to the type: float types take all values, integers only their own.
static bool holds(ElementType type, double value) {
  if (isFloat(type))
    return true;
  if (value != std::trunc(value)) // also NaN
    return false;
  switch (type) {
  case ElementType::I1:
    return value == 0 || value == 1;
  case ElementType::UI8:
    return value >= 0 && value <= 255;
  case ElementType::I32:
    return value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max();
  default:
    return value >= -0x1p63 && value < 0x1p63;
  }
}

static Status checkInitializer(const InitializerT &initializer, ElementType type) {
  if (initializer.kind > InitializerKind::MAX)
    return makeError("unknown initializer ", static_cast<unsigned>(initializer.kind));
  const char *name = EnumNameInitializerKind(initializer.kind);
  if (initializer.kind == InitializerKind::Zeros || initializer.kind == InitializerKind::Ones)
    return Status::success();
  if (initializer.kind == InitializerKind::Constant) {
    if (!holds(type, initializer.a))
      return makeError("constant ", initializer.a, " is not a value of ", elementName(type));
    return Status::success();
  }
  if (!isFloat(type))
    return makeError("initializer ", name, " needs a float type, found ", elementName(type));
  if (!std::isfinite(initializer.a) || !std::isfinite(initializer.b))
    return makeError("initializer ", name, " with parameters that are not finite");
  if (initializer.kind == InitializerKind::Normal && initializer.b < 0)
    return makeError("initializer Normal with standard deviation ", initializer.b);
  if (initializer.kind == InitializerKind::Uniform && initializer.a > initializer.b)
    return makeError("initializer Uniform from ", initializer.a, " to ", initializer.b);
  return Status::success();
}

/// A state row without initializer is a random generator's: the runtime sets it to (seed, 0).
static bool isGenerator(const StateEntryT &entry) {
  return entry.role == StateRole::State && entry.type->element == ElementType::I64 &&
         entry.type->shape == std::vector<int64_t>{2};
}

static bool isLow(ElementType type) { return type == ElementType::F16 || type == ElementType::BF16; }

/// What is derived has its parameter's shape. Packed it is panels of it, of which only the code knows more.
static Status checkDerivedType(const StateEntryT &entry, const TensorTypeT &source) {
  if (Status status = checkText(entry.layout, "layout"); !status.ok())
    return status;
  const std::vector<int64_t> &shape = entry.type->shape;
  if (entry.layout.empty() ? isLow(entry.type->element) && shape == source.shape
                           : isLow(entry.type->element) && source.shape.size() >= 2 && shape.size() == 4 &&
                                 *elementCount(*entry.type) >= *elementCount(source))
    return Status::success();
  return makeError("is ", typeName(*entry.type), " and derived of ", typeName(source), ", expected ",
                   entry.layout.empty() ? "its shape"
                                        : "at least as many elements of four dimensions, of a matrix or filters",
                   " in f16 or bf16");
}

/// What a row starts from is a blob of its own, as long as its type says; blobs and types have been checked.
static Status checkValues(const StateEntryT &entry, const ExecutableT &table, std::set<int32_t> &used) {
  if (entry.values == -1)
    return Status::success();
  if (entry.values < 0 || entry.values >= static_cast<int64_t>(table.blobs.size()))
    return makeError("starts from blob ", entry.values, ", but there are ", table.blobs.size(), " blobs");
  const BlobT &blob = *table.blobs[static_cast<size_t>(entry.values)];
  if (blob.kind != BlobKind::Values)
    return makeError("starts from blob ", entry.values, ", which is ", EnumNameBlobKind(blob.kind));
  if (entry.role == StateRole::Derived)
    return makeError("is derived and starts from values");
  if (blob.length != *byteCount(*entry.type))
    return makeError("is ", typeName(*entry.type), " and starts from ", blob.length, " bytes, expected ",
                     *byteCount(*entry.type));
  if (!used.insert(entry.values).second)
    return makeError("starts from blob ", entry.values, ", which is another state's");
  return Status::success();
}

static Status checkEntry(const StateEntryT &entry, const ExecutableT &table, const StateIndex &index) {
  if (entry.role > StateRole::MAX)
    return makeError("unknown role ", static_cast<unsigned>(entry.role));
  if (entry.training ? entry.role != StateRole::State || !entry.initializer : !entry.beside.empty())
    return makeError(entry.training ? "is training's own, and no state with an initializer"
                                    : "is kept beside another, and not training's own");
  if (!entry.beside.empty() && !index.contains(entry.beside))
    return makeError("is kept beside ", quoted(entry.beside), ", which is not there");
  if (entry.role == StateRole::Derived) {
    auto parameter = index.find(entry.derived_of);
    if (parameter == index.end() || table.state[parameter->second]->role != StateRole::Parameter)
      return makeError("derived of ", quoted(entry.derived_of), ", which is not a parameter");
    if (entry.initializer || entry.saved)
      return makeError("derived state has an initializer or is saved");
    return checkDerivedType(entry, *table.state[parameter->second]->type);
  }
  if (!entry.layout.empty())
    return makeError("has a layout, but its role is ", EnumNameStateRole(entry.role));
  if (!entry.derived_of.empty())
    return makeError("derived of ", quoted(entry.derived_of), ", but its role is ", EnumNameStateRole(entry.role));
  if (!entry.initializer && !isGenerator(entry))
    return makeError("has no initializer");
  return entry.initializer ? checkInitializer(*entry.initializer, entry.type->element) : Status::success();
}

ErrorOr<StateIndex> verify::checkState(const ExecutableT &table) {
  StateIndex index;
  for (const auto &entry : table.state) {
    if (!entry)
      return makeError("a state is null");
    if (Status status = checkName(entry->name, "state name"); !status.ok())
      return status;
    if (!index.emplace(entry->name, index.size()).second)
      return makeError("state ", quoted(entry->name), " appears twice");
  }
  // All types before what is derived of one that may come later.
  for (const auto &entry : table.state)
    if (Status status = checkType(entry->type); !status.ok())
      return status.in("state " + quoted(entry->name));
  std::set<int32_t> used;
  for (const auto &entry : table.state) {
    if (Status status = checkEntry(*entry, table, index); !status.ok())
      return status.in("state " + quoted(entry->name));
    if (Status status = checkValues(*entry, table, used); !status.ok())
      return status.in("state " + quoted(entry->name));
  }
  return index;
}
