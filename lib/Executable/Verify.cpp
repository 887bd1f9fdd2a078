// The meaning of an executable's table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The FlatBuffer is well formed by now; nothing else is known. What is checked here the runtime relies on without
// looking again, so each rule is one that makes an index, a pointer or a size safe, or that two programs agree on a
// name.

#include "Executable/Verify.h"
#include "Executable/Format.h"
#include "mp/Base/Text.h"

#include <algorithm>
#include <set>
#include <tuple>

using namespace mp;
using namespace mp::executable;
using namespace mp::verify;

std::string verify::quoted(const std::string &name) {
  const std::string shown = printable(name);
  return "'" + shown + (shown.size() < name.size() ? "...'" : "'");
}

Status verify::checkText(const std::string &text, const char *what) {
  if (text.size() > kMaxNameBytes)
    return makeError(what, " of ", text.size(), " bytes, expected at most ", kMaxNameBytes);
  if (!isPlainText(text))
    return makeError(what, " ", quoted(text), " holds control characters or is not UTF-8");
  return Status::success();
}

Status verify::checkName(const std::string &name, const char *what) {
  if (name.empty())
    return makeError(what, " is empty");
  return checkText(name, what);
}

Status verify::checkType(const std::unique_ptr<TensorTypeT> &type) {
  if (!type)
    return makeError("has no type");
  if (type->element > ElementType::MAX)
    return makeError("unknown element type ", static_cast<unsigned>(type->element));
  if (type->shape.size() > kMaxRank)
    return makeError("rank ", type->shape.size(), ", expected at most ", kMaxRank);
  std::optional<uint64_t> bytes = byteCount(*type);
  if (!bytes || *bytes > kMaxBytes)
    return makeError(typeName(*type), " has a negative size or too many elements");
  return Status::success();
}

/// Kinds, contents and ranges of blobs; no two share a byte.
static Status checkBlobs(const ExecutableT &table, uint64_t blobsEnd) {
  std::vector<std::pair<uint64_t, size_t>> byOffset;
  for (size_t i = 0; i < table.blobs.size(); ++i) {
    if (!table.blobs[i])
      return makeError("blob ", i, " is null");
    const BlobT &blob = *table.blobs[i];
    if (blob.kind > BlobKind::MAX)
      return makeError("blob ", i, ": unknown kind ", static_cast<unsigned>(blob.kind));
    if (blob.kind == BlobKind::Values && table.version < kFirstWithValues)
      return makeError("blob ", i, " is Values, which version ", table.version, " of the format lacks");
    if (blob.offset % kAlignment != 0)
      return makeError("blob ", i, ": offset ", blob.offset, " is not a multiple of ", kAlignment);
    if (blob.offset < sizeof(format::Header) || blob.offset > blobsEnd || blob.length > blobsEnd - blob.offset)
      return makeError("blob ", i, ": ", blob.length, " bytes at ", blob.offset, " are not between header and table");
    if (blob.length != 0)
      byOffset.emplace_back(blob.offset, i);
  }
  std::sort(byOffset.begin(), byOffset.end());
  for (size_t i = 1; i < byOffset.size(); ++i) {
    const BlobT &before = *table.blobs[byOffset[i - 1].second];
    if (before.offset + before.length > byOffset[i].first)
      return makeError("blobs ", byOffset[i - 1].second, " and ", byOffset[i].second, " overlap");
  }
  return Status::success();
}

/// What a variant has beside its signature and its commands.
static Status checkVariantFields(const ExecutableT &table, const VariantT &variant) {
  if (Status status = checkName(variant.target, "target"); !status.ok())
    return status;
  for (const std::string &feature : variant.features)
    if (Status status = checkName(feature, "feature"); !status.ok())
      return status;
  if (variant.batch < 0)
    return makeError("batch of ", variant.batch, ", expected at least 0");
  if (variant.constants < -1 || variant.constants >= static_cast<int64_t>(table.blobs.size()))
    return makeError("constants in blob ", variant.constants, ", but there are ", table.blobs.size(), " blobs");
  if (variant.constants >= 0 && table.blobs[variant.constants]->kind != BlobKind::Constants)
    return makeError("constants in blob ", variant.constants, ", which is ",
                     EnumNameBlobKind(table.blobs[variant.constants]->kind));
  if (variant.statistics)
    for (const auto &count : variant.statistics->ops_by_type)
      if (!count || !checkText(count->type, "type").ok())
        return makeError("statistics hold a type without a proper name");
  return Status::success();
}

/// State, arena and buffers at once must be a size that can be added up.
static Status checkMemory(const ExecutableT &table, const VariantT &variant) {
  uint64_t sum = 0;
  auto add = [&](uint64_t bytes) {
    sum += std::min(bytes, kMaxBytes + 1) + kAlignment;
    return sum <= kMaxBytes;
  };
  bool fits = add(variant.arena_bytes);
  for (const auto &entry : table.state)
    fits = fits && add(*byteCount(*entry->type));
  for (const auto &argument : variant.arguments)
    fits = fits && add(*byteCount(*argument->type));
  for (const auto &result : variant.results)
    fits = fits && add(*byteCount(*result->type));
  if (!fits)
    return makeError("arena, state, arguments and results need more than ", kMaxBytes, " bytes");
  return Status::success();
}

static Status checkVariant(const ExecutableT &table, const StateIndex &state, const ProgramT &program,
                           const VariantT &variant) {
  if (Status status = checkVariantFields(table, variant); !status.ok())
    return status;
  if (Status status = checkSignature(table, state, variant); !status.ok())
    return status;
  if (Status status = checkSameSignature(table, state, *program.variants.front(), variant); !status.ok())
    return status;
  if (Status status = checkMemory(table, variant); !status.ok())
    return status;
  return checkPlan(table, state, program, variant);
}

static Status checkProgram(const ExecutableT &table, const StateIndex &state, const ProgramT &program) {
  if (program.variants.empty())
    return makeError("has no variant");
  std::set<std::tuple<std::string, std::vector<std::string>, int64_t>> seen;
  for (size_t i = 0; i < program.variants.size(); ++i) {
    std::string where = "variant " + std::to_string(i);
    if (!program.variants[i])
      return makeError(where, " is null");
    const VariantT &variant = *program.variants[i];
    if (Status status = checkVariant(table, state, program, variant); !status.ok())
      return status.in(where);
    if (!seen.emplace(variant.target, variant.features, variant.batch).second)
      return makeError(where, ": a second one for target ", quoted(variant.target), ", the same features and batch ",
                       variant.batch);
  }
  return Status::success();
}

static Status checkHeadTexts(const ExecutableT &table) {
  for (const auto &[text, what] :
       {std::pair(&table.producer, "producer"), std::pair(&table.model, "model"), std::pair(&table.policy, "policy")})
    if (Status status = checkText(*text, what); !status.ok())
      return status;
  std::set<std::string> keys;
  for (const auto &entry : table.metadata) {
    if (!entry)
      return makeError("an entry of the metadata is null");
    if (Status status = checkName(entry->key, "metadata key"); !status.ok())
      return status;
    if (!keys.insert(entry->key).second)
      return makeError("metadata key ", quoted(entry->key), " appears twice");
    if (Status status = checkText(entry->value, "value"); !status.ok())
      return status.in("metadata key " + quoted(entry->key));
  }
  return Status::success();
}

Status format::checkVersion(uint32_t version, const char *of) {
  if (version >= kOldestExecutableVersion && version <= kExecutableVersion)
    return Status::success();
  return makeError("version ", version, " of the ", of, ", expected ", kOldestExecutableVersion, " to ",
                   kExecutableVersion, "; compile the model again with this Halfstep",
                   version > kExecutableVersion ? ", or take a later one" : "");
}

Status mp::verifyExecutable(const ExecutableT &table, uint64_t blobsEnd) {
  if (Status status = format::checkVersion(table.version, "table"); !status.ok())
    return status;
  if (Status status = checkHeadTexts(table); !status.ok())
    return status;
  if (Status status = checkBlobs(table, blobsEnd); !status.ok())
    return status;
  ErrorOr<StateIndex> state = checkState(table);
  if (!state)
    return state.status();
  if (table.programs.empty())
    return makeError("holds no program");
  std::set<std::string> names;
  for (const auto &program : table.programs) {
    if (!program)
      return makeError("a program is null");
    if (Status status = checkName(program->name, "program name"); !status.ok())
      return status;
    if (!names.insert(program->name).second)
      return makeError("program ", quoted(program->name), " appears twice");
    if (Status status = checkProgram(table, *state, *program); !status.ok())
      return status.in("program " + quoted(program->name));
  }
  return checkDerivedState(table, *state);
}
