// The commands of a variant.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Executable/Verify.h"

#include "mp/Executable/Targets.h"

#include <algorithm>
#include <set>
#include <tuple>

using namespace mp;
using namespace mp::executable;
using namespace mp::verify;

namespace {

/// Checks commands against the memory that the variant has.
class PlanChecker {
public:
  PlanChecker(const ExecutableT &table, const StateIndex &state, const ProgramT &program, const VariantT &variant);

  Status run();

private:
  Status checkSlice(const BufferSlice &slice, bool written);
  Status checkExtent(const BufferSlice &slice, uint64_t size) const;
  Status checkLaunch(const LaunchT &launch);
  Status checkCode(const LaunchT &launch) const;
  Status checkCopy(const CopyT &copy);
  Status checkFill(const FillT &fill);
  Status checkReference() const;

  const ExecutableT &table;
  const ProgramT &program;
  const VariantT &variant;
  std::set<uint32_t> nextStates;     // rows that the variant may write
  std::set<uint32_t> writtenResults; // so far
};

} // namespace

static std::string describe(const BufferSlice &slice) {
  std::ostringstream text;
  text << EnumNameSpace(slice.space()) << " " << slice.index() << " [" << slice.offset() << ", +" << slice.bytes()
       << "]";
  return text.str();
}

static bool isIdentifier(const std::string &text) {
  auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && isLetter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return isLetter(c) || (c >= '0' && c <= '9'); });
}

PlanChecker::PlanChecker(const ExecutableT &table, const StateIndex &state, const ProgramT &program,
                         const VariantT &variant)
    : table(table), program(program), variant(variant) {
  for (const auto &result : variant.results)
    if (result->kind == ResultKind::Next)
      nextStates.insert(state.at(result->name));
}

// Slices

Status PlanChecker::checkExtent(const BufferSlice &slice, uint64_t size) const {
  if (slice.offset() % kAlignment != 0)
    return makeError(describe(slice), ": offset is not a multiple of ", kAlignment);
  if (slice.offset() > size || slice.bytes() > size - slice.offset())
    return makeError(describe(slice), " is outside its ", size, " bytes");
  return Status::success();
}

/// One index into one list, and the extent within what it names. Records results that are written.
Status PlanChecker::checkSlice(const BufferSlice &slice, bool written) {
  auto outside = [&](size_t count) { return makeError(describe(slice), ": expected an index less than ", count); };
  switch (slice.space()) {
  case Space::Arena:
    if (slice.index() != 0)
      return makeError(describe(slice), ": the arena has index 0 only");
    return checkExtent(slice, variant.arena_bytes);
  case Space::Constant:
    if (written)
      return makeError(describe(slice), ": constants are read-only");
    if (slice.index() != 0 || variant.constants < 0)
      return makeError(describe(slice), ": the variant has ",
                       variant.constants < 0 ? "no constants" : "one constants blob");
    return checkExtent(slice, table.blobs[variant.constants]->length);
  case Space::State:
    if (slice.index() >= table.state.size())
      return outside(table.state.size());
    if (written && !nextStates.contains(slice.index()))
      return makeError(describe(slice), ": writes ", quoted(table.state[slice.index()]->name),
                       ", of which no result is the next value");
    return checkExtent(slice, *byteCount(*table.state[slice.index()]->type));
  case Space::Argument:
    if (slice.index() >= variant.arguments.size())
      return outside(variant.arguments.size());
    if (written)
      return makeError(describe(slice), ": arguments are read-only");
    if (variant.arguments[slice.index()]->kind == ArgumentKind::State)
      return makeError(describe(slice), ": the argument is state, which lies in space State");
    return checkExtent(slice, *byteCount(*variant.arguments[slice.index()]->type));
  case Space::Result:
    if (slice.index() >= variant.results.size())
      return outside(variant.results.size());
    if (variant.results[slice.index()]->kind == ResultKind::Next)
      return makeError(describe(slice), ": the result is next state, which lies in space State");
    if (written)
      writtenResults.insert(slice.index());
    return checkExtent(slice, *byteCount(*variant.results[slice.index()]->type));
  }
  return makeError("unknown space ", static_cast<unsigned>(slice.space()));
}

// Overlap

namespace {

/// The bytes of one slice, once, however many buffers have that very slice.
struct Interval {
  Space space;
  uint32_t index;
  uint64_t offset;
  uint64_t bytes;
  bool writes;
  bool inPlace; // every buffer is ReadWrite
  size_t buffers;

  auto slice() const { return std::tuple(space, index, offset, bytes); }
  uint64_t end() const { return offset + bytes; }
};

} // namespace

static std::vector<Interval> intervals(const std::vector<Buffer> &buffers) {
  std::vector<Interval> all;
  for (const Buffer &buffer : buffers) {
    const BufferSlice &slice = buffer.slice();
    if (slice.bytes() != 0)
      all.push_back({slice.space(), slice.index(), slice.offset(), slice.bytes(), buffer.access() != Access::Read,
                     buffer.access() == Access::ReadWrite, 1});
  }
  std::sort(all.begin(), all.end(), [](const Interval &a, const Interval &b) { return a.slice() < b.slice(); });
  std::vector<Interval> merged;
  for (const Interval &next : all) {
    if (merged.empty() || merged.back().slice() != next.slice()) {
      merged.push_back(next);
      continue;
    }
    merged.back().writes |= next.writes;
    merged.back().inPlace &= next.inPlace;
    ++merged.back().buffers;
  }
  return merged;
}

/// Blocks run in any order, so what one buffer writes no other may have; except in place, see Access in the schema.
static Status checkOverlap(const std::vector<Buffer> &buffers) {
  auto text = [](const Interval &i) { return describe(BufferSlice(i.space, i.index, i.offset, i.bytes)); };
  const Interval *longest = nullptr;       // reaches furthest in the present space and index
  const Interval *longestWriter = nullptr; // the same among those that are written
  std::vector<Interval> sorted = intervals(buffers);
  for (const Interval &next : sorted) {
    if (next.writes && next.buffers > 1 && !next.inPlace)
      return makeError(text(next), " is written and in another buffer, and not all of them are ReadWrite");
    if (longest && (longest->space != next.space || longest->index != next.index))
      longest = longestWriter = nullptr;
    const Interval *conflict = next.writes ? longest : longestWriter;
    if (conflict && conflict->end() > next.offset)
      return makeError(text(*conflict), " and ", text(next), " overlap, and one is written");
    if (!longest || next.end() > longest->end())
      longest = &next;
    if (next.writes && (!longestWriter || next.end() > longestWriter->end()))
      longestWriter = &next;
  }
  return Status::success();
}

// Commands

static std::string joinKinds(std::span<const BlobKind> kinds) {
  std::string text;
  for (BlobKind kind : kinds)
    text += (text.empty() ? "" : " or ") + std::string(EnumNameBlobKind(kind));
  return text;
}

/// Code of the target's kind, in blocks of a size that the target has.
Status PlanChecker::checkCode(const LaunchT &launch) const {
  if (launch.blob >= table.blobs.size())
    return makeError("code in blob ", launch.blob, ", but there are ", table.blobs.size(), " blobs");
  const TargetFormat &target = targetFormat(variant.target);
  BlobKind kind = table.blobs[launch.blob]->kind;
  if (std::find(target.code.begin(), target.code.end(), kind) == target.code.end())
    return makeError("code in blob ", launch.blob, ", which is ", EnumNameBlobKind(kind), ", expected ",
                     joinKinds(target.code));
  if (!target.isGPU && (launch.threads != 1 || launch.shared_bytes != 0 || launch.cluster != 1))
    return makeError("blocks of ", launch.threads, " threads with ", launch.shared_bytes,
                     " bytes of shared memory in clusters of ", launch.cluster, " for target ", quoted(variant.target),
                     ", which is not a GPU");
  if (target.isGPU && launch.scratch_bytes != 0)
    return makeError("scratch of ", launch.scratch_bytes, " bytes, a GPU's blocks have shared memory");
  if (launch.threads == 0 || launch.threads > kMaxThreads)
    return makeError("blocks of ", launch.threads, " threads, expected 1 to ", kMaxThreads);
  if (launch.shared_bytes > kMaxSharedBytes)
    return makeError("shared memory of ", launch.shared_bytes, " bytes, expected at most ", kMaxSharedBytes);
  if (launch.shared_bytes % kSharedGranule != 0)
    return makeError("shared memory of ", launch.shared_bytes, " bytes, expected a multiple of ", kSharedGranule);
  if (!target.isGPU && launch.buffers_in_memory)
    return makeError("buffers in memory for target ", quoted(variant.target), ", which is not a GPU");
  if (target.isGPU && !launch.buffers_in_memory && launch.buffers.size() > kMaxParameterBytes / sizeof(uint64_t))
    return makeError(launch.buffers.size(), " buffers as parameters, expected at most ",
                     kMaxParameterBytes / sizeof(uint64_t), "; more need buffers_in_memory");
  if (launch.cluster == 0 || launch.cluster > kMaxCluster)
    return makeError("clusters of ", launch.cluster, " blocks, expected 1 to ", kMaxCluster);
  if (launch.grid % launch.cluster != 0)
    return makeError("grid of ", launch.grid, " is not a multiple of clusters of ", launch.cluster);
  return Status::success();
}

Status PlanChecker::checkLaunch(const LaunchT &launch) {
  if (Status status = checkName(launch.kernel, "kernel name"); !status.ok())
    return status;
  if (!isIdentifier(launch.symbol) || launch.symbol.size() > kMaxNameBytes)
    return makeError("symbol is not a C identifier");
  if (Status status = checkCode(launch); !status.ok())
    return status;
  if (launch.grid == 0 || launch.grid > kMaxGrid)
    return makeError("grid of ", launch.grid, ", expected 1 to ", kMaxGrid);
  if (launch.scratch_bytes > kMaxScratchBytes)
    return makeError("scratch of ", launch.scratch_bytes, " bytes, expected at most ", kMaxScratchBytes);
  for (size_t i = 0; i < launch.buffers.size(); ++i) {
    std::string where = "buffer " + std::to_string(i);
    Access access = launch.buffers[i].access();
    if (access > Access::MAX)
      return makeError("unknown access ", static_cast<unsigned>(access)).in(where);
    if (Status status = checkSlice(launch.buffers[i].slice(), access != Access::Read); !status.ok())
      return status.in(where);
  }
  return checkOverlap(launch.buffers);
}

Status PlanChecker::checkCopy(const CopyT &copy) {
  if (!copy.source || !copy.destination)
    return makeError("has no source or no destination");
  if (Status status = checkSlice(*copy.source, /*written=*/false); !status.ok())
    return status.in("source");
  if (Status status = checkSlice(*copy.destination, /*written=*/true); !status.ok())
    return status.in("destination");
  if (copy.source->bytes() != copy.destination->bytes())
    return makeError(copy.source->bytes(), " bytes to ", copy.destination->bytes());
  return checkOverlap({Buffer(*copy.source, Access::Read), Buffer(*copy.destination, Access::Write)});
}

Status PlanChecker::checkFill(const FillT &fill) {
  if (!fill.destination)
    return makeError("has no destination");
  if (Status status = checkSlice(*fill.destination, /*written=*/true); !status.ok())
    return status.in("destination");
  uint64_t bytes = fill.pattern_bytes;
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
    return makeError("pattern of ", bytes, " bytes, expected 1, 2, 4 or 8");
  if (fill.destination->bytes() % bytes != 0)
    return makeError(fill.destination->bytes(), " bytes are not a multiple of a pattern of ", bytes);
  return Status::success();
}

/// The reference device runs a whole program: one launch whose buffers are the signature.
Status PlanChecker::checkReference() const {
  const LaunchT *launch = variant.commands.size() == 1 ? variant.commands[0]->what.AsLaunch() : nullptr;
  if (!launch || launch->symbol != program.name || launch->grid != 1 || launch->scratch_bytes != 0 ||
      launch->buffers.size() != variant.arguments.size() + variant.results.size())
    return makeError("target ", quoted(variant.target), " is one launch of symbol ", quoted(program.name),
                     ", of grid 1, with a buffer for each argument and result");
  auto wrong = [](size_t i) {
    return makeError("buffer ", i, " is not the whole argument or result at that position");
  };
  auto matches = [&](size_t i, Space space, size_t index, const std::string &stateName, const TensorTypeT &type) {
    const BufferSlice &slice = launch->buffers[i].slice();
    bool isState = space == Space::State;
    return slice.space() == space && slice.offset() == 0 && slice.bytes() == *byteCount(type) &&
           (isState ? table.state[slice.index()]->name == stateName : slice.index() == index);
  };
  for (size_t i = 0; i < variant.arguments.size(); ++i) {
    const ArgumentT &argument = *variant.arguments[i];
    Space space = argument.kind == ArgumentKind::State ? Space::State : Space::Argument;
    if (!matches(i, space, i, argument.name, *argument.type) || launch->buffers[i].access() == Access::Write)
      return wrong(i);
  }
  for (size_t i = 0; i < variant.results.size(); ++i) {
    const ResultT &result = *variant.results[i];
    Space space = result.kind == ResultKind::Next ? Space::State : Space::Result;
    size_t buffer = variant.arguments.size() + i;
    if (!matches(buffer, space, i, result.name, *result.type) || launch->buffers[buffer].access() == Access::Read)
      return wrong(buffer);
  }
  return Status::success();
}

Status PlanChecker::run() {
  for (size_t i = 0; i < variant.commands.size(); ++i) {
    std::string where = "command " + std::to_string(i);
    if (!variant.commands[i] || !variant.commands[i]->what.value || variant.commands[i]->what.type > CommandKind::MAX)
      return makeError(where, ": unknown kind");
    const CommandKindUnion &what = variant.commands[i]->what;
    Status status;
    if (const LaunchT *launch = what.AsLaunch())
      status = checkLaunch(*launch).in("launch of " + quoted(launch->kernel));
    else if (const CopyT *copy = what.AsCopy())
      status = checkCopy(*copy).in("copy");
    else if (const FillT *fill = what.AsFill())
      status = checkFill(*fill).in("fill");
    if (!status.ok())
      return status.in(where);
  }
  if (targetFormat(variant.target).runsText)
    if (Status status = checkReference(); !status.ok())
      return status;
  for (uint32_t i = 0; i < variant.results.size(); ++i)
    if (const ResultT &result = *variant.results[i];
        result.kind != ResultKind::Next && *byteCount(*result.type) != 0 && !writtenResults.contains(i))
      return makeError("result ", i, " ", quoted(result.name), " is never written");
  return Status::success();
}

Status verify::checkPlan(const ExecutableT &table, const StateIndex &state, const ProgramT &program,
                         const VariantT &variant) {
  return PlanChecker(table, state, program, variant).run();
}
