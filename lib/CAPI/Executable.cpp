// Executables for C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CAPI/Bytes.h"
#include "CAPI/SessionHandle.h"
#include "CAPI/Status.h"
#include "CAPI/Structs.h"
#include "CAPI/Tensors.h"

#include "mp/Base/WholeFile.h"
#include "mp/Training/Statistics.h"

#include <algorithm>
#include <set>

using namespace mp;
using namespace mp::executable;

const void *mpBytesData(const MpBytes *bytes) { return bytes ? bytes->span().data() : nullptr; }
size_t mpBytesSize(const MpBytes *bytes) { return bytes ? bytes->span().size() : 0; }
void mpBytesDestroy(MpBytes *bytes) { delete bytes; }

static Status keep(ErrorOr<LoadedExecutable> read, MpExecutable **executable) {
  if (!read)
    return read.status();
  *executable = new MpExecutable{std::make_shared<const LoadedExecutable>(std::move(*read))};
  return Status::success();
}

MpStatus *mpExecutableRead(const char *path, MpExecutable **executable) {
  return guarded([&]() -> Status {
    for (Status given : {needs(path, "path"), needs(executable, "executable")})
      if (!given.ok())
        return given;
    return keep(readExecutable(std::string(path)), executable);
  });
}

MpStatus *mpExecutableReadBytes(const void *bytes, size_t size, MpExecutable **executable) {
  return guarded([&]() -> Status {
    for (Status given : {needs(size ? bytes : "", "bytes"), needs(executable, "executable")})
      if (!given.ok())
        return given;
    return keep(readExecutable(std::span(static_cast<const std::byte *>(bytes), size)), executable);
  });
}

const void *mpExecutableData(const MpExecutable *executable, size_t *size) {
  if (!executable)
    return nullptr;
  std::span<const std::byte> bytes = executable->file->file.span();
  if (size)
    *size = bytes.size();
  return bytes.data();
}

void mpExecutableDestroy(MpExecutable *executable) { delete executable; }

const char *mpExecutableText(const MpExecutable *executable, const char *key) {
  if (!executable || !key)
    return nullptr;
  const ExecutableT &table = executable->file->table;
  std::string_view wanted = key;
  for (auto [name, text] : {std::pair{"model", &table.model}, {"policy", &table.policy}, {"producer", &table.producer}})
    if (wanted == name)
      return text->c_str();
  for (const auto &entry : table.metadata)
    if (wanted == entry->key)
      return entry->value.c_str();
  return nullptr;
}

int64_t mpExecutableProgramCount(const MpExecutable *executable) {
  return executable ? static_cast<int64_t>(executable->file->table.programs.size()) : 0;
}

const char *mpExecutableProgram(const MpExecutable *executable, int64_t index) {
  if (index < 0 || index >= mpExecutableProgramCount(executable))
    return nullptr;
  return executable->file->table.programs[static_cast<size_t>(index)]->name.c_str();
}

static MpValue describe(const std::string &name, const char *role, const TensorTypeT &type, bool batched) {
  return {sizeof(MpValue),
          name.c_str(),
          role,
          static_cast<MpElementType>(type.element),
          batched,
          static_cast<int64_t>(type.shape.size()),
          type.shape.data(),
          0};
}

static const char *roleOf(const ArgumentT &argument) {
  if (argument.kind == ArgumentKind::RowWeights)
    return "row_weights";
  return argument.label ? "label" : "input";
}

static const char *roleOf(ResultKind kind) {
  switch (kind) {
  case ResultKind::Loss:
    return "loss";
  case ResultKind::Output:
    return "output";
  case ResultKind::Metric:
    return "metric";
  case ResultKind::Next:
    return "next";
  case ResultKind::Gradient:
    return "gradient";
  case ResultKind::Log:
    return "log";
  }
  return "";
}

static const char *roleOf(StateRole role) {
  switch (role) {
  case StateRole::Parameter:
    return "parameter";
  case StateRole::State:
    return "state";
  case StateRole::Derived:
    return "derived";
  }
  return "";
}

/// The first variant of a program, or null.
static const VariantT *firstVariant(const ExecutableT &table, const char *program) {
  auto found = std::ranges::find_if(table.programs, [&](const auto &one) { return program && one->name == program; });
  return found == table.programs.end() || (*found)->variants.empty() ? nullptr : (*found)->variants.front().get();
}

/// The values of a kind; nothing where there is no such program.
static std::optional<std::vector<MpValue>> valuesOf(const MpExecutable *executable, MpValueKind kind,
                                                    const char *program) {
  std::vector<MpValue> values;
  const ExecutableT &table = executable->file->table;
  if (kind == MP_STATE) {
    for (const auto &entry : table.state) {
      values.push_back(describe(entry->name, roleOf(entry->role), *entry->type, false));
      values.back().stored = entry->values >= 0;
    }
    return values;
  }
  const VariantT *found = firstVariant(table, program);
  if (!found)
    return std::nullopt;
  const VariantT &variant = *found;
  if (kind == MP_INPUTS) {
    for (const auto &argument : variant.arguments)
      if (argument->kind != ArgumentKind::State)
        values.push_back(describe(argument->name, roleOf(*argument), *argument->type, argument->batched));
    return values;
  }
  for (const auto &result : variant.results)
    if (result->kind != ResultKind::Next)
      values.push_back(describe(result->name, roleOf(result->kind), *result->type, result->batched));
  return values;
}

int64_t mpExecutableValueCount(const MpExecutable *executable, MpValueKind kind, const char *program) {
  std::optional<std::vector<MpValue>> values;
  if (executable)
    values = valuesOf(executable, kind, program);
  return values ? static_cast<int64_t>(values->size()) : -1;
}

MpStatus *mpExecutableValue(const MpExecutable *executable, MpValueKind kind, const char *program, int64_t index,
                            MpValue *value) {
  return guarded([&]() -> Status {
    for (Status given : {needs(executable, "executable"), needs(value, "value")})
      if (!given.ok())
        return given;
    std::optional<std::vector<MpValue>> values = valuesOf(executable, kind, program);
    if (!values)
      return makeError("the executable has no program '", program ? program : "", "'");
    if (index < 0 || index >= static_cast<int64_t>(values->size()))
      return makeError("value ", index, " of ", values->size());
    giveTo(*value, (*values)[static_cast<size_t>(index)]);
    return Status::success();
  });
}

/// The batches of a program's variants.
static std::set<int64_t> batchesOf(const MpExecutable *executable, const char *program) {
  std::set<int64_t> batches;
  if (!executable || !program)
    return batches;
  for (const auto &one : executable->file->table.programs)
    for (const auto &variant : one->variants)
      if (one->name == program &&
          std::ranges::any_of(variant->arguments, [](const auto &argument) { return argument->batched; }))
        batches.insert(variant->batch);
  return batches;
}

int64_t mpExecutableBatchCount(const MpExecutable *executable, const char *program) {
  return static_cast<int64_t>(batchesOf(executable, program).size());
}

int64_t mpExecutableBatch(const MpExecutable *executable, const char *program, int64_t index) {
  const std::set<int64_t> batches = batchesOf(executable, program);
  return index >= 0 && index < static_cast<int64_t>(batches.size()) ? *std::next(batches.begin(), index) : -1;
}

MpStatus *mpExecutableWithValues(const MpExecutable *executable, const char *const *names, const MpTensor *values,
                                 size_t count, MpExecutable **result) {
  return guarded([&]() -> Status {
    for (Status given :
         {needs(executable, "executable"), needs(count && !names ? nullptr : executable, "names"),
          needs(count && !values ? nullptr : executable, "values"), needs(result, "the place for the result")})
      if (!given.ok())
        return given;
    std::vector<StateValues> stored;
    for (size_t i = 0; i < count; ++i) {
      if (Status given = needs(names[i], "a state's name"); !given.ok())
        return given;
      ErrorOr<DataArray> view = viewOfC(values[i], names[i]);
      if (!view)
        return view.status();
      stored.push_back({names[i], std::move(view->type), view->bytes});
    }
    ErrorOr<FileBytes> bytes = serializeWithValues(*executable->file, stored);
    return bytes ? keep(readExecutable(bytes->span()), result) : bytes.status();
  });
}

MpStatus *mpExecutableWrite(const MpExecutable *executable, const char *path) {
  return guarded([&]() -> Status {
    for (Status given : {needs(executable, "executable"), needs(path, "path")})
      if (!given.ok())
        return given;
    const std::span<const std::byte> whole[] = {executable->file->file.span()};
    return writeWholeFile(path, whole, TemporaryName::Unique);
  });
}

MpStatus *mpExecutableStatistics(const MpExecutable *executable, const char *program, uint64_t residentBytes,
                                 MpBytes **json) {
  return guarded([&]() -> Status {
    for (Status given : {needs(executable, "executable"), needs(program, "program"), needs(json, "json")})
      if (!given.ok())
        return given;
    const ExecutableT &table = executable->file->table;
    const VariantT *variant = firstVariant(table, program);
    if (!variant)
      return makeError("the executable has no program '", program, "'");
    *json = new MpBytes{statisticsJson(table, *variant, residentBytes), {}};
    return Status::success();
  });
}

MpStatus *mpSessionStatistics(MpSession *session, const char *program, uint64_t residentBytes, MpBytes **json) {
  return guarded([&]() -> Status {
    for (Status given : {needs(session, "session"), needs(program, "program"), needs(json, "json")})
      if (!given.ok())
        return given;
    return alone(*session, [&](Session &own) {
      ErrorOr<const VariantT *> variant = own.select(program);
      if (variant)
        *json = new MpBytes{statisticsJson(own.table(), **variant, residentBytes), {}};
      return variant.status();
    });
  });
}
