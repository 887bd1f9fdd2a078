// A classifier of 4 pixels, put together by hand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Runtime/TinyModel.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace mp;
using namespace mp::test;
using namespace mp::executable;

namespace {

TensorTypeT type(ElementType element, std::vector<int64_t> shape) {
  TensorTypeT result;
  result.element = element;
  result.shape = std::move(shape);
  return result;
}

/// Rows of the state table, in this order.
enum StateRow : uint32_t {
  WeightsRow,
  LossScaleRow,
  TrackerRow,
  RngRow,
  LearningRateRow,
  ConsecutiveRow,
  SkippedRow,
  GradientSumRow
};

struct StateLine {
  const char *name;
  TensorTypeT type;
  StateRole role;
  InitializerKind kind;
  double value;
};

/// Builds one variant: names come first, then commands refer to them.
class PlanBuilder {
public:
  PlanBuilder(const ExecutableT &table, int64_t batch, const TinyModelOptions &options)
      : table(table), variant(std::make_unique<VariantT>()) {
    variant->target = "cpu";
    variant->features = options.features;
    variant->batch = batch;
    variant->constants = 1;
  }

  BufferSlice input(const char *name, TensorTypeT of, ArgumentKind kind, bool label) {
    auto argument = std::make_unique<ArgumentT>();
    argument->name = name;
    argument->kind = kind;
    argument->label = label;
    argument->batched = true;
    BufferSlice slice(Space::Argument, variant->arguments.size(), 0, *byteCount(of));
    argument->type = std::make_unique<TensorTypeT>(std::move(of));
    variant->arguments.push_back(std::move(argument));
    return slice;
  }

  BufferSlice state(StateRow row, bool next) {
    auto argument = std::make_unique<ArgumentT>();
    argument->name = table.state[row]->name;
    argument->kind = ArgumentKind::State;
    argument->type = std::make_unique<TensorTypeT>(*table.state[row]->type);
    variant->arguments.push_back(std::move(argument));
    if (next)
      addResult(table.state[row]->name.c_str(), *table.state[row]->type, ResultKind::Next, false);
    return BufferSlice(Space::State, row, 0, *byteCount(*table.state[row]->type));
  }

  BufferSlice result(const char *name, TensorTypeT of, ResultKind kind, bool batched = false) {
    BufferSlice slice(Space::Result, variant->results.size(), 0, *byteCount(of));
    addResult(name, of, kind, batched);
    if (std::strcmp(name, "bad") == 0)
      variant->results.back()->names = {"dense.kernel"};
    return slice;
  }

  BufferSlice arena(uint64_t bytes) {
    BufferSlice slice(Space::Arena, 0, variant->arena_bytes, bytes);
    variant->arena_bytes += (bytes + 63) / 64 * 64;
    return slice;
  }

  /// A word of the constants blob, which holds 0, 1, 2, ... at multiples of 64 bytes.
  BufferSlice word(int64_t value) { return BufferSlice(Space::Constant, 0, uint64_t(value) * 64, 4); }

  void launch(const char *symbol, uint64_t grid, std::vector<BufferSlice> reads, std::vector<BufferSlice> updates,
              std::vector<BufferSlice> writes, uint64_t scratch = 0) {
    LaunchT launch;
    launch.kernel = launch.symbol = symbol;
    launch.blob = 0;
    launch.grid = grid;
    launch.scratch_bytes = scratch;
    auto add = [&](const std::vector<BufferSlice> &slices, Access access) {
      for (const BufferSlice &slice : slices)
        launch.buffers.push_back(Buffer(slice, access));
    };
    add(reads, Access::Read);
    add(updates, Access::ReadWrite);
    add(writes, Access::Write);
    push(std::move(launch));
  }

  void copy(BufferSlice source, BufferSlice destination) {
    CopyT copy;
    copy.source = std::make_unique<BufferSlice>(source);
    copy.destination = std::make_unique<BufferSlice>(destination);
    push(std::move(copy));
  }

  void fill(BufferSlice destination, uint64_t pattern, uint8_t bytes) {
    FillT fill;
    fill.destination = std::make_unique<BufferSlice>(destination);
    fill.pattern = pattern;
    fill.pattern_bytes = bytes;
    push(std::move(fill));
  }

  std::unique_ptr<VariantT> take() { return std::move(variant); }

private:
  void addResult(const char *name, const TensorTypeT &of, ResultKind kind, bool batched) {
    auto result = std::make_unique<ResultT>();
    result->name = name;
    result->kind = kind;
    result->batched = batched;
    result->type = std::make_unique<TensorTypeT>(of);
    variant->results.push_back(std::move(result));
  }

  template <typename T> void push(T command) {
    auto wrapped = std::make_unique<CommandT>();
    wrapped->what.Set(std::move(command));
    variant->commands.push_back(std::move(wrapped));
  }

  const ExecutableT &table;
  std::unique_ptr<VariantT> variant;
};

} // namespace

static void addState(ExecutableT &table, const TinyModelOptions &options) {
  std::vector<StateLine> lines = {
      {"dense.kernel", type(ElementType::F32, {4, 3}), StateRole::Parameter, InitializerKind::GlorotUniform, 0},
      {"loss_scale", type(ElementType::F32, {}), StateRole::State, InitializerKind::Constant, options.lossScale},
      {"growth_tracker", type(ElementType::I32, {}), StateRole::State, InitializerKind::Zeros, 0},
      {"rng", type(ElementType::I64, {2}), StateRole::State, InitializerKind::Zeros, 0},
      {"learning_rate", type(ElementType::F32, {}), StateRole::State, InitializerKind::Constant, 0.5},
      {"consecutive_skips", type(ElementType::I32, {}), StateRole::State, InitializerKind::Zeros, 0},
      {"skipped_steps", type(ElementType::I64, {}), StateRole::State, InitializerKind::Zeros, 0},
      {"dense.kernel/gradient_sum", type(ElementType::F32, {4, 3}), StateRole::State, InitializerKind::Zeros, 0},
  };
  if (options.moreState) {
    lines.push_back({"hysteresis_tracker", type(ElementType::I32, {}), StateRole::State, InitializerKind::Ones, 0});
    lines.push_back({"adam.step", type(ElementType::I64, {}), StateRole::State, InitializerKind::Zeros, 0});
    lines.push_back({"user.scalar", type(ElementType::F32, {}), StateRole::State, InitializerKind::Zeros, 0});
  }
  for (const StateLine &line : lines) {
    auto entry = std::make_unique<StateEntryT>();
    entry->name = line.name;
    entry->type = std::make_unique<TensorTypeT>(line.type);
    entry->role = line.role;
    entry->training = line.role == StateRole::State && entry->name != "rng" && entry->name != "user.scalar";
    if (entry->name == "dense.kernel/gradient_sum")
      entry->beside = "dense.kernel";
    if (entry->name != "rng") {
      entry->initializer = std::make_unique<InitializerT>();
      entry->initializer->kind = line.kind;
      entry->initializer->a = line.value;
      entry->initializer->seed = 1;
    }
    table.state.push_back(std::move(entry));
  }
}

namespace {

/// The state that apply_update and train_update write, in the order of their buffers.
struct Updated {
  BufferSlice w, scale, tracker, rng, consecutive, skipped;

  explicit Updated(PlanBuilder &b)
      : w(b.state(WeightsRow, true)), scale(b.state(LossScaleRow, true)), tracker(b.state(TrackerRow, true)),
        rng(b.state(RngRow, true)), consecutive(b.state(ConsecutiveRow, true)), skipped(b.state(SkippedRow, true)) {}
};

/// Inputs and results of a program that sees a batch.
struct Batch {
  BufferSlice x, y, loss, accuracy;

  Batch(PlanBuilder &b, int64_t rows)
      : x(b.input("x", type(ElementType::UI8, {rows, 4}), ArgumentKind::Input, false)),
        y(b.input("y", type(ElementType::UI8, {rows}), ArgumentKind::Input, true)),
        loss(b.result("loss", type(ElementType::F32, {}), ResultKind::Loss)),
        accuracy(b.result("accuracy", type(ElementType::F32, {rows}), ResultKind::Metric, true)) {}
};

} // namespace

static constexpr uint64_t kRowScratch = 3 * sizeof(float);

static std::unique_ptr<VariantT> makeTrain(const ExecutableT &table, const TinyModelOptions &options) {
  int64_t rows = options.batches.front();
  PlanBuilder b(table, rows, options);
  Batch batch(b, rows);
  BufferSlice weights = options.padTraining
                            ? b.input("row_weights", type(ElementType::F32, {rows}), ArgumentKind::RowWeights, false)
                            : b.word(0);
  Updated state(b);
  BufferSlice rate = b.state(LearningRateRow, false);
  BufferSlice bad = b.result("bad", type(ElementType::I32, {}), ResultKind::Log);
  BufferSlice used = b.result("loss_scale", type(ElementType::F32, {}), ResultKind::Log);
  BufferSlice z = b.arena(uint64_t(rows) * kRowScratch);
  b.launch("train_row", uint64_t(rows), {batch.x, state.w, state.rng}, {}, {z}, kRowScratch);
  b.launch("train_update", 1, {b.word(rows), b.word(options.padTraining), batch.x, batch.y, weights, z, rate},
           {state.w, state.scale, state.tracker, state.rng, state.consecutive, state.skipped},
           {batch.loss, batch.accuracy, bad, used});
  return b.take();
}

static std::unique_ptr<VariantT> makeAccumulate(const ExecutableT &table, const TinyModelOptions &options) {
  int64_t rows = options.batches.front();
  PlanBuilder b(table, rows, options);
  Batch batch(b, rows);
  BufferSlice w = b.state(WeightsRow, false);
  BufferSlice scale = b.state(LossScaleRow, false);
  BufferSlice rng = b.state(RngRow, false);
  BufferSlice sum = b.state(GradientSumRow, true);
  BufferSlice z = b.arena(uint64_t(rows) * kRowScratch);
  b.launch("train_row", uint64_t(rows), {batch.x, w, rng}, {}, {z}, kRowScratch);
  b.launch("accumulate_update", 1, {b.word(rows), batch.x, batch.y, z, scale, rng}, {sum},
           {batch.loss, batch.accuracy});
  return b.take();
}

static std::unique_ptr<VariantT> makeApply(const ExecutableT &table, const TinyModelOptions &options) {
  PlanBuilder b(table, options.batches.front(), options);
  Updated state(b);
  BufferSlice sum = b.state(GradientSumRow, true);
  BufferSlice rate = b.state(LearningRateRow, false);
  BufferSlice bad = b.result("bad", type(ElementType::I32, {}), ResultKind::Log);
  BufferSlice used = b.result("loss_scale", type(ElementType::F32, {}), ResultKind::Log);
  b.launch("apply_update", 1, {rate},
           {sum, state.w, state.scale, state.tracker, state.rng, state.consecutive, state.skipped}, {bad, used});
  b.fill(sum, 0, 4);
  return b.take();
}

static std::unique_ptr<VariantT> makeEval(const ExecutableT &table, int64_t rows, const TinyModelOptions &options) {
  PlanBuilder b(table, rows, options);
  Batch batch(b, rows);
  BufferSlice weights = b.input("row_weights", type(ElementType::F32, {rows}), ArgumentKind::RowWeights, false);
  BufferSlice w = b.state(WeightsRow, false);
  BufferSlice z = b.arena(uint64_t(rows) * kRowScratch);
  b.launch("infer_row", uint64_t(rows), {batch.x, w}, {}, {z}, kRowScratch);
  b.launch("evaluate", 1, {b.word(rows), z, batch.y, weights}, {}, {batch.loss, batch.accuracy});
  return b.take();
}

static std::unique_ptr<VariantT> makeInfer(const ExecutableT &table, int64_t rows, const TinyModelOptions &options) {
  PlanBuilder b(table, rows, options);
  BufferSlice x = b.input("x", type(ElementType::UI8, {rows, 4}), ArgumentKind::Input, false);
  BufferSlice w = b.state(WeightsRow, false);
  TensorTypeT logits = type(ElementType::F32, {rows, 3});
  BufferSlice out = b.result("logits", logits, ResultKind::Output, true);
  BufferSlice z = b.arena(*byteCount(logits));
  b.launch("infer_row", uint64_t(rows), {x, w}, {}, {z}, kRowScratch);
  b.copy(z, out);
  return b.take();
}

static std::vector<std::byte> readBytes(const char *path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::byte> result(bytes.size());
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

/// Words 0 .. count-1, each at a multiple of 64 bytes.
static std::vector<std::byte> makeWords(int32_t count) {
  std::vector<std::byte> bytes(size_t(count) * 64);
  for (int32_t i = 0; i < count; ++i)
    std::memcpy(bytes.data() + size_t(i) * 64, &i, sizeof(i));
  return bytes;
}

static void addProgram(ExecutableT &table, const char *name, std::vector<std::unique_ptr<VariantT>> variants) {
  auto program = std::make_unique<ProgramT>();
  program->name = name;
  program->variants = std::move(variants);
  table.programs.push_back(std::move(program));
}

static void addProgram(ExecutableT &table, const char *name, std::unique_ptr<VariantT> variant) {
  std::vector<std::unique_ptr<VariantT>> variants;
  variants.push_back(std::move(variant));
  addProgram(table, name, std::move(variants));
}

static void addMetadata(ExecutableT &table, const char *key, const std::string &value) {
  auto pair = std::make_unique<KeyValueT>();
  pair->key = key;
  pair->value = value;
  table.metadata.push_back(std::move(pair));
}

/// The same plan for a GPU, with its code in `blob`: a kernel has its scratch itself.
static std::unique_ptr<VariantT> retarget(const VariantT &variant, uint32_t blob) {
  auto gpu = std::make_unique<VariantT>(variant);
  gpu->target = "nvptx";
  gpu->features = {"sm_70"};
  for (auto &command : gpu->commands)
    if (LaunchT *launch = command->what.AsLaunch()) {
      launch->blob = blob;
      launch->scratch_bytes = 0;
      launch->threads = 32;
    }
  return gpu;
}

static void addGPUVariants(TinyModel &model) {
  uint32_t blob = static_cast<uint32_t>(model.blobs.size());
  model.blobs.push_back(readBytes(TINY_MODEL_PTX));
  model.table.blobs.push_back(std::make_unique<BlobT>());
  model.table.blobs.back()->kind = BlobKind::PTX;
  for (auto &program : model.table.programs)
    for (size_t i = 0, count = program->variants.size(); i < count; ++i)
      program->variants.push_back(retarget(*program->variants[i], blob));
}

TinyModel mp::test::makeTinyModel(const TinyModelOptions &options) {
  TinyModel model;
  ExecutableT &table = model.table;
  table.producer = "test";
  table.model = "tiny";
  table.policy = options.policy;
  for (BlobKind kind : {BlobKind::NativeCode, BlobKind::Constants}) {
    table.blobs.push_back(std::make_unique<BlobT>());
    table.blobs.back()->kind = kind;
  }
  int64_t largest = 1;
  for (int64_t rows : options.batches)
    largest = std::max(largest, rows);
  model.blobs = {readBytes(TINY_MODEL_KERNELS), makeWords(static_cast<int32_t>(largest) + 1)};

  addState(table, options);
  if (options.accumulate) {
    addProgram(table, "accumulate", makeAccumulate(table, options));
    addProgram(table, "apply", makeApply(table, options));
  } else {
    addProgram(table, "train_step", makeTrain(table, options));
  }
  std::vector<std::unique_ptr<VariantT>> evals, infers;
  for (int64_t rows : options.batches) {
    evals.push_back(makeEval(table, rows, options));
    infers.push_back(makeInfer(table, rows, options));
  }
  addProgram(table, "eval", std::move(evals));
  addProgram(table, "infer", std::move(infers));
  addMetadata(table, "classes:y", "3");
  const std::pair<const char *, const std::string &> metadata[] = {{"skip_limit", options.skipLimit},
                                                                   {"raise_error_at_min_scale", options.minScale},
                                                                   {"micro_batches", options.microBatches}};
  for (const auto &[key, value] : metadata)
    if (!value.empty())
      addMetadata(table, key, value);
  if (options.gpu)
    addGPUVariants(model);
  return model;
}

std::shared_ptr<const LoadedExecutable> mp::test::loadTinyModel(const TinyModelOptions &options) {
  TinyModel model = makeTinyModel(options);
  ErrorOr<FileBytes> bytes = serializeExecutable(std::move(model.table), model.blobs);
  if (!bytes) {
    std::fprintf(stderr, "%s\n", bytes.message().c_str());
    std::abort();
  }
  ErrorOr<LoadedExecutable> loaded = readExecutable(bytes->span());
  if (!loaded) {
    std::fprintf(stderr, "%s\n", loaded.message().c_str());
    std::abort();
  }
  return std::make_shared<const LoadedExecutable>(std::move(*loaded));
}

static void writeWord(std::ofstream &file, uint32_t word) {
  for (int shift = 24; shift >= 0; shift -= 8)
    file.put(static_cast<char>(word >> shift));
}

/// Class 2 where the last pixel is bright, else the brighter of the first two.
static void writeSplit(const std::string &folder, const std::string &prefix, unsigned rows) {
  std::ofstream images(folder + "/" + prefix + "-images-idx3-ubyte", std::ios::binary);
  std::ofstream labels(folder + "/" + prefix + "-labels-idx1-ubyte", std::ios::binary);
  for (uint32_t word : {uint32_t(0x803), rows, uint32_t(2), uint32_t(2)})
    writeWord(images, word);
  for (uint32_t word : {uint32_t(0x801), rows})
    writeWord(labels, word);
  uint32_t random = static_cast<uint32_t>(rows) * 2654435761u + 1;
  for (unsigned row = 0; row < rows; ++row) {
    uint8_t pixels[4];
    for (uint8_t &pixel : pixels) {
      random = random * 1664525u + 1013904223u;
      pixel = static_cast<uint8_t>(random >> 24);
    }
    images.write(reinterpret_cast<const char *>(pixels), sizeof(pixels));
    labels.put(pixels[3] > 170 ? 2 : pixels[0] < pixels[1]);
  }
}

void mp::test::writeTinyData(const std::string &folder, unsigned trainRows, unsigned testRows) {
  std::filesystem::create_directories(folder);
  writeSplit(folder, "train", trainRows);
  writeSplit(folder, "t10k", testRows);
}
