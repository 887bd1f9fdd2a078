// A small executable that uses every feature.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Executable/Sample.h"

#include <xxhash.h>

#include <cstring>

using namespace mp;
using namespace mp::executable;

// The header as docs/executable.md gives it, written down a second time.
static constexpr size_t kHeaderBytes = 64;
static constexpr size_t kFileBytesAt = 16;
static constexpr size_t kTableOffsetAt = 24;
static constexpr size_t kTableBytesAt = 32;
static constexpr size_t kHashAt = 48;

static std::unique_ptr<TensorTypeT> type(ElementType element, std::vector<int64_t> shape) {
  auto type = std::make_unique<TensorTypeT>();
  type->element = element;
  type->shape = std::move(shape);
  return type;
}

// State

static std::unique_ptr<StateEntryT> state(std::string name, std::unique_ptr<TensorTypeT> type, StateRole role,
                                          std::optional<InitializerKind> kind, double a = 0) {
  auto entry = std::make_unique<StateEntryT>();
  entry->name = std::move(name);
  entry->type = std::move(type);
  entry->role = role;
  if (kind) {
    entry->initializer = std::make_unique<InitializerT>();
    entry->initializer->kind = *kind;
    entry->initializer->a = a;
    entry->initializer->seed = 1;
  }
  return entry;
}

static void addState(ExecutableT &table) {
  auto kernel = [] { return type(ElementType::F32, {8, 4}); };
  table.state.push_back(state("kernel", kernel(), StateRole::Parameter, InitializerKind::GlorotUniform));
  table.state.back()->values = 3;
  table.state.push_back(state("kernel/adam.m", kernel(), StateRole::State, InitializerKind::Zeros));
  table.state.back()->training = true;
  table.state.back()->beside = "kernel";
  table.state.push_back(state("rng", type(ElementType::I64, {2}), StateRole::State, std::nullopt));
  table.state.push_back(
      state("loss_scale", type(ElementType::F32, {}), StateRole::State, InitializerKind::Constant, 65536));
  table.state.push_back(state("kernel.f16", type(ElementType::F16, {8, 4}), StateRole::Derived, std::nullopt));
  table.state.back()->derived_of = "kernel";
  table.state.back()->saved = false;
}

// Signatures

static void addArgument(VariantT &variant, std::string name, std::unique_ptr<TensorTypeT> type, ArgumentKind kind,
                        bool batched = false, bool label = false) {
  auto argument = std::make_unique<ArgumentT>();
  argument->name = std::move(name);
  argument->type = std::move(type);
  argument->kind = kind;
  argument->batched = batched;
  argument->label = label;
  variant.arguments.push_back(std::move(argument));
}

static void addResult(VariantT &variant, std::string name, std::unique_ptr<TensorTypeT> type, ResultKind kind,
                      bool batched = false) {
  auto result = std::make_unique<ResultT>();
  result->name = std::move(name);
  result->type = std::move(type);
  result->kind = kind;
  result->batched = batched;
  variant.results.push_back(std::move(result));
}

static std::unique_ptr<VariantT> variant(std::string target, int64_t batch) {
  auto variant = std::make_unique<VariantT>();
  variant->target = std::move(target);
  variant->batch = batch;
  return variant;
}

static void addTrainSignature(VariantT &v) {
  int64_t batch = v.batch;
  addArgument(v, "x", type(ElementType::UI8, {batch, 8}), ArgumentKind::Input, true);
  addArgument(v, "y", type(ElementType::UI8, {batch}), ArgumentKind::Input, true, true);
  addArgument(v, "kernel", type(ElementType::F32, {8, 4}), ArgumentKind::State);
  addArgument(v, "kernel/adam.m", type(ElementType::F32, {8, 4}), ArgumentKind::State);
  addArgument(v, "rng", type(ElementType::I64, {2}), ArgumentKind::State);
  addArgument(v, "loss_scale", type(ElementType::F32, {}), ArgumentKind::State);
  addArgument(v, "kernel.f16", type(ElementType::F16, {8, 4}), ArgumentKind::State);
  addResult(v, "loss", type(ElementType::F32, {}), ResultKind::Loss);
  addResult(v, "accuracy", type(ElementType::F32, {batch}), ResultKind::Metric, true);
  addResult(v, "logits", type(ElementType::F32, {batch, 4}), ResultKind::Output, true);
  addResult(v, "kernel", type(ElementType::F32, {8, 4}), ResultKind::Next);
  addResult(v, "kernel/adam.m", type(ElementType::F32, {8, 4}), ResultKind::Next);
  addResult(v, "rng", type(ElementType::I64, {2}), ResultKind::Next);
  addResult(v, "loss_scale", type(ElementType::F32, {}), ResultKind::Next);
  addResult(v, "bad", type(ElementType::I32, {}), ResultKind::Log);
  v.results.back()->names = {"kernel"};
  addResult(v, "kernel", type(ElementType::F32, {8, 4}), ResultKind::Gradient);
  addResult(v, "kernel.f16", type(ElementType::F16, {8, 4}), ResultKind::Next);
}

// Commands

static LaunchT &addLaunch(VariantT &variant, std::string symbol, uint32_t blob, std::vector<Buffer> buffers) {
  LaunchT launch;
  launch.kernel = "the kernel " + symbol;
  launch.symbol = std::move(symbol);
  launch.blob = blob;
  launch.grid = 1;
  launch.buffers = std::move(buffers);
  variant.commands.push_back(std::make_unique<CommandT>());
  variant.commands.back()->what.Set(std::move(launch));
  return *variant.commands.back()->what.AsLaunch();
}

static void addCopy(VariantT &variant, BufferSlice source, BufferSlice destination) {
  CopyT copy;
  copy.source = std::make_unique<BufferSlice>(source);
  copy.destination = std::make_unique<BufferSlice>(destination);
  variant.commands.push_back(std::make_unique<CommandT>());
  variant.commands.back()->what.Set(std::move(copy));
}

static void addFill(VariantT &variant, BufferSlice destination, uint64_t pattern, uint8_t bytes) {
  FillT fill;
  fill.destination = std::make_unique<BufferSlice>(destination);
  fill.pattern = pattern;
  fill.pattern_bytes = bytes;
  variant.commands.push_back(std::make_unique<CommandT>());
  variant.commands.back()->what.Set(std::move(fill));
}

static std::unique_ptr<VariantT> trainOnCPU(int64_t batch) {
  std::unique_ptr<VariantT> v = variant("cpu", batch);
  uint64_t rows = batch;
  v->features = {"avx2", "fma"};
  v->arena_bytes = 1024 + rows * 16;
  v->constants = 1;
  addTrainSignature(*v);
  BufferSlice logits(Space::Arena, 0, 1024, rows * 16);
  addFill(*v, BufferSlice(Space::Arena, 0, 0, 1024), 0x3f800000, 4);
  addLaunch(*v, "forward", 0,
            {Buffer(BufferSlice(Space::Argument, 0, 0, rows * 8), Access::Read),
             Buffer(BufferSlice(Space::State, 0, 0, 128), Access::Read),
             Buffer(BufferSlice(Space::Constant, 0, 64, 16), Access::Read), Buffer(logits, Access::Write)})
      .grid = rows / 8;
  addCopy(*v, logits, BufferSlice(Space::Result, 2, 0, rows * 16));
  addLaunch(*v, "loss_and_gradient", 0,
            {Buffer(logits, Access::Read), Buffer(BufferSlice(Space::Argument, 1, 0, rows), Access::Read),
             Buffer(BufferSlice(Space::State, 3, 0, 4), Access::Read),
             Buffer(BufferSlice(Space::Result, 0, 0, 4), Access::Write),
             Buffer(BufferSlice(Space::Result, 1, 0, rows * 4), Access::Write),
             Buffer(BufferSlice(Space::Result, 8, 0, 128), Access::Write)})
      .scratch_bytes = 256;
  // In place: kernel and moment are operands and results.
  addLaunch(*v, "adam", 0,
            {Buffer(BufferSlice(Space::State, 0, 0, 128), Access::ReadWrite),
             Buffer(BufferSlice(Space::Result, 8, 0, 128), Access::Read),
             Buffer(BufferSlice(Space::State, 1, 0, 128), Access::ReadWrite),
             Buffer(BufferSlice(Space::State, 0, 0, 128), Access::ReadWrite),
             Buffer(BufferSlice(Space::State, 1, 0, 128), Access::ReadWrite),
             Buffer(BufferSlice(Space::Result, 7, 0, 4), Access::Write)});
  addCopy(*v, BufferSlice(Space::Arena, 0, 64, 16), BufferSlice(Space::State, 2, 0, 16));
  addFill(*v, BufferSlice(Space::State, 3, 0, 4), 0x47800000, 4);
  v->statistics = std::make_unique<StatisticsT>();
  v->statistics->kernels = 3;
  v->statistics->ops_by_type.push_back(std::make_unique<OpCountT>());
  v->statistics->ops_by_type.back()->type = "f32";
  return v;
}

/// One launch whose buffers are the signature; state that has a next value is there twice, ReadWrite.
static void addReferenceLaunch(VariantT &v, const ExecutableT &table, std::string program) {
  auto slice = [&](bool isState, Space space, uint32_t index, const std::string &name, const TensorTypeT &type) {
    for (uint32_t i = 0; isState && i < table.state.size(); ++i)
      if (table.state[i]->name == name)
        return BufferSlice(Space::State, i, 0, *byteCount(type));
    return BufferSlice(space, index, 0, *byteCount(type));
  };
  auto hasNext = [&](const std::string &name) {
    for (const auto &result : v.results)
      if (result->kind == ResultKind::Next && result->name == name)
        return true;
    return false;
  };
  auto isRead = [&](const std::string &name) {
    for (const auto &argument : v.arguments)
      if (argument->kind == ArgumentKind::State && argument->name == name)
        return true;
    return false;
  };
  std::vector<Buffer> buffers;
  for (uint32_t i = 0; i < v.arguments.size(); ++i) {
    const ArgumentT &a = *v.arguments[i];
    bool isState = a.kind == ArgumentKind::State;
    buffers.push_back(Buffer(slice(isState, Space::Argument, i, a.name, *a.type),
                             isState && hasNext(a.name) ? Access::ReadWrite : Access::Read));
  }
  for (uint32_t i = 0; i < v.results.size(); ++i) {
    const ResultT &r = *v.results[i];
    bool isNext = r.kind == ResultKind::Next;
    buffers.push_back(Buffer(slice(isNext, Space::Result, i, r.name, *r.type),
                             isNext && isRead(r.name) ? Access::ReadWrite : Access::Write));
  }
  addLaunch(v, std::move(program), 2, std::move(buffers));
}

static std::unique_ptr<ProgramT> program(std::string name) {
  auto program = std::make_unique<ProgramT>();
  program->name = std::move(name);
  return program;
}

ExecutableT sample::table() {
  ExecutableT table;
  table.version = kExecutableVersion;
  table.producer = "the unit tests";
  table.model = "sample";
  table.policy = "float32";
  addState(table);
  for (BlobKind kind : {BlobKind::NativeCode, BlobKind::Constants, BlobKind::ProgramText, BlobKind::Values}) {
    table.blobs.push_back(std::make_unique<BlobT>());
    table.blobs.back()->kind = kind;
  }
  // Where the writer will put them, so that the table can also be verified by itself.
  uint64_t offset = kHeaderBytes;
  for (size_t i = 0; i < table.blobs.size(); ++i) {
    table.blobs[i]->offset = offset;
    table.blobs[i]->length = blobs()[i].size();
    offset += (blobs()[i].size() + 63) / 64 * 64;
  }

  std::unique_ptr<ProgramT> train = program("train_step");
  train->variants.push_back(trainOnCPU(16));
  train->variants.push_back(trainOnCPU(32));
  train->variants.push_back(variant("reference", 16));
  addTrainSignature(*train->variants.back());
  addReferenceLaunch(*train->variants.back(), table, "train_step");
  table.programs.push_back(std::move(train));

  std::unique_ptr<ProgramT> eval = program("eval");
  eval->variants.push_back(variant("reference", 16));
  VariantT &v = *eval->variants.back();
  addArgument(v, "x", type(ElementType::UI8, {16, 8}), ArgumentKind::Input, true);
  addArgument(v, "row_weights", type(ElementType::F32, {16}), ArgumentKind::RowWeights, true);
  addArgument(v, "kernel", type(ElementType::F32, {8, 4}), ArgumentKind::State);
  addResult(v, "loss", type(ElementType::F32, {}), ResultKind::Loss);
  addReferenceLaunch(v, table, "eval");
  table.programs.push_back(std::move(eval));

  std::unique_ptr<ProgramT> derive = program("derive");
  derive->variants.push_back(variant("cpu", 0));
  VariantT &d = *derive->variants.back();
  d.features = {"avx2", "fma"};
  addArgument(d, "kernel", type(ElementType::F32, {8, 4}), ArgumentKind::State);
  addResult(d, "kernel.f16", type(ElementType::F16, {8, 4}), ResultKind::Next);
  addLaunch(d, "derive", 0,
            {Buffer(BufferSlice(Space::State, 0, 0, 128), Access::Read),
             Buffer(BufferSlice(Space::State, 4, 0, 64), Access::Write)});
  derive->variants.push_back(variant("reference", 0));
  derive->variants.back()->arguments.push_back(std::make_unique<ArgumentT>(*d.arguments[0]));
  derive->variants.back()->results.push_back(std::make_unique<ResultT>(*d.results[0]));
  addReferenceLaunch(*derive->variants.back(), table, "derive");
  table.programs.push_back(std::move(derive));

  table.metadata.push_back(std::make_unique<KeyValueT>());
  table.metadata.back()->key = "optimizer";
  table.metadata.back()->value = "adam";
  return table;
}

// Bytes

std::vector<sample::Bytes> sample::blobs() {
  std::vector<Bytes> blobs(4);
  for (int i = 0; i < 100; ++i)
    blobs[0].push_back(std::byte(i));
  blobs[1].assign(128, std::byte(7));
  for (char c : std::string("module {}"))
    blobs[2].push_back(std::byte(c));
  blobs[3].assign(128, std::byte(63)); // of the kernel
  return blobs;
}

template <typename T> static void put(sample::Bytes &bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(value));
}

void sample::rehash(Bytes &file) {
  Bytes others(file.begin(), file.begin() + kHashAt);
  others.insert(others.end(), file.begin() + kHeaderBytes, file.end());
  XXH128_canonical_t hash;
  XXH128_canonicalFromHash(&hash, XXH3_128bits(others.data(), others.size()));
  std::memcpy(file.data() + kHashAt, hash.digest, sizeof(hash.digest));
}

uint64_t sample::tableOffset(const Bytes &file) {
  uint64_t offset;
  std::memcpy(&offset, file.data() + kTableOffsetAt, sizeof(offset));
  return offset;
}

sample::Bytes sample::withTable(const Bytes &file, std::span<const std::byte> table) {
  Bytes result(file.begin(), file.begin() + tableOffset(file));
  result.insert(result.end(), table.begin(), table.end());
  put<uint64_t>(result, kFileBytesAt, result.size());
  put<uint64_t>(result, kTableBytesAt, table.size());
  rehash(result);
  return result;
}

sample::Bytes sample::unverifiedFile(ExecutableT table) {
  static const Bytes whole = [] {
    ErrorOr<FileBytes> file = serializeExecutable(sample::table(), sample::blobs());
    return file ? Bytes(file->data(), file->data() + file->size()) : Bytes();
  }();
  flatbuffers::FlatBufferBuilder builder;
  FinishExecutableBuffer(builder, executable::Executable::Pack(builder, &table));
  return withTable(whole, std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())));
}
