// Which variant runs on which GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every pair of a chip that code is made for and a GPU that a machine may have, under drivers old and new: the best
// variant that fits runs, and the stand-in, which refuses what a driver refuses, takes it.

#include "Devices/CUDA/Rig.h"
#include "Runtime/TemporaryFolder.h"

#include <algorithm>
#include <filesystem>
#include <utility>

using namespace mp;
using namespace mp::test;
using namespace mp::executable;

namespace {

class CUDAVariants : public CUDATest {};

/// A chip as a target: what code for it may take, and the PTX that it is written in.
struct Target {
  const char *chip;
  int driver; // of CUDA, which reads that PTX
  const char *ptx;
  int sharedBytes;
};

/// The older first.
const Target kTargets[] = {
    {"sm_70", 10010, "6.4", 98304},   {"sm_75", 10020, "6.5", 65536},    {"sm_80", 11010, "7.1", 166912},
    {"sm_86", 11010, "7.1", 101376},  {"sm_89", 11080, "7.8", 101376},   {"sm_90", 11080, "7.8", 232448},
    {"sm_90a", 12000, "8.0", 232448}, {"sm_100a", 12070, "8.6", 232448}, {"sm_120", 12080, "8.7", 101376}};

/// A GPU as its driver describes it, with all targets whose code it runs where shared memory and driver allow.
struct Machine {
  const char *name;
  int major, minor, sharedBytes;
  std::vector<std::string> targets;
};

const Machine kMachines[] = {
    {"V100", 7, 0, 98304, {"sm_70"}},
    {"T4", 7, 5, 65536, {"sm_70", "sm_75"}},
    {"A100", 8, 0, 166912, {"sm_70", "sm_75", "sm_80"}},
    {"A10", 8, 6, 101376, {"sm_70", "sm_75", "sm_80", "sm_86"}},
    {"Orin", 8, 7, 166912, {"sm_70", "sm_75", "sm_80", "sm_86"}},
    {"L4", 8, 9, 101376, {"sm_70", "sm_75", "sm_80", "sm_86", "sm_89"}},
    {"H100", 9, 0, 232448, {"sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a"}},
    {"B200", 10, 0, 232448, {"sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100a"}},
    {"B300", 10, 3, 232448, {"sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90"}},
    {"RTX 5090", 12, 0, 101376, {"sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_120"}}};

/// Adds a variant of program infer with code of a kind for a target, whose kernel takes so much shared memory.
void addVariant(TinyModel &model, const Target &target, int sharedBytes, BlobKind kind = BlobKind::PTX) {
  ProgramT &infer = *model.table.programs.back();
  auto variant = std::make_unique<VariantT>(*infer.variants.front());
  variant->features = {target.chip};
  const std::string entry(reinterpret_cast<const char *>(model.blobs[0].data()), model.blobs[0].size());
  const std::string head = kind == BlobKind::PTX
                               ? std::string(".version ") + target.ptx + "\n.target " + target.chip + "\n"
                               : std::string("cubin ") + target.chip + "\n";
  const std::string text = head + entry.substr(entry.find(".visible"));
  auto bytes = std::as_bytes(std::span(text));
  LaunchT &launch = *variant->commands[0]->what.AsLaunch();
  launch.blob = static_cast<uint32_t>(model.blobs.size());
  launch.shared_bytes = static_cast<uint32_t>(sharedBytes);
  model.blobs.emplace_back(bytes.begin(), bytes.end());
  model.table.blobs.push_back(std::make_unique<BlobT>());
  model.table.blobs.back()->kind = kind;
  infer.variants.push_back(std::move(variant));
}

/// A model of what addVariant added; those that were there are gone.
std::shared_ptr<const LoadedExecutable> finish(TinyModel model) {
  auto &variants = model.table.programs.back()->variants;
  variants.erase(variants.begin());
  return load(std::move(model));
}

} // namespace

/// Compares what machines under a driver for this version of CUDA run of a file with variants for all targets, each of
/// which takes `takesAll` or nothing of its chip's shared memory.
static void expectBest(const std::shared_ptr<const LoadedExecutable> &file, bool takesAll, int driver,
                       const std::string &library) {
  const ProgramT &infer = *file->table.programs.back();
  for (const Machine &machine : kMachines) {
    SCOPED_TRACE(std::string(machine.name) + ", CUDA " + std::to_string(driver));
    openStandIn(library).settings = {
        .version = driver, .major = machine.major, .minor = machine.minor, .sharedBytes = machine.sharedBytes};
    ErrorOr<std::unique_ptr<Device>> device = createCUDADevice({}, library);
    ASSERT_TRUE(device.ok()) << device.message();
    const Target *best = nullptr;
    for (size_t i = 0; i < infer.variants.size(); ++i) {
      const Target &target = kTargets[i];
      const bool isFor =
          std::find(machine.targets.begin(), machine.targets.end(), target.chip) != machine.targets.end();
      const bool fits = isFor && target.driver <= driver && (!takesAll || target.sharedBytes <= machine.sharedBytes);
      if (fits)
        best = &target;
      EXPECT_EQ((*device)->canRun(*file, *infer.variants[i]).ok(), fits) << target.chip;
      ErrorOr<std::unique_ptr<LoadedVariant>> loaded = (*device)->load(*file, infer, *infer.variants[i]);
      EXPECT_EQ(loaded.ok(), fits) << target.chip << ": " << loaded.message();
    }
    ErrorOr<std::unique_ptr<Session>> session = Session::create(file, std::move(*device));
    ErrorOr<const VariantT *> selected = (*session)->select("infer");
    ASSERT_TRUE(selected.ok()) << selected.message();
    EXPECT_EQ((*selected)->features.front(), best->chip);
  }
}

TEST_F(CUDAVariants, TheBestThatFitsRuns) {
  TemporaryFolder folder;
  for (const bool takesAll : {false, true}) {
    TinyModel model = makeGPUModel();
    for (const Target &target : kTargets)
      addVariant(model, target, takesAll ? target.sharedBytes : 0);
    std::shared_ptr<const LoadedExecutable> file = finish(std::move(model));
    for (int driver : {11080, 12000, 12080}) {
      // A library's version is asked for once.
      const std::string library = folder / ("driver" + std::to_string(driver) + ".so");
      std::filesystem::copy_file(STAND_IN, library, std::filesystem::copy_options::skip_existing);
      expectBest(file, takesAll, driver, library);
    }
  }
}

TEST_F(CUDAVariants, WhereNoneFitsTheErrorSaysWhyOfEach) {
  TinyModel model = makeGPUModel();
  addVariant(model, kTargets[2], 166912);
  addVariant(model, kTargets[5], 0);
  addVariant(model, {"sm_75", 12080, "8.7", 0}, 0);
  addVariant(model, kTargets[0], 0, BlobKind::Cubin);
  standIn.settings.minor = 6;
  standIn.settings.sharedBytes = 101376;
  ErrorOr<std::unique_ptr<Session>> session = Session::create(finish(std::move(model)), makeDevice());
  const std::string gpu = "device cuda:0 (Stand-in, compute capability 8.6, driver for CUDA 12.4)";
  EXPECT_EQ((*session)->select("infer").message(),
            "program infer does not have a variant that fits; variant for nvptx:sm_80 and batch 8: kernel infer_row "
            "needs 166912 "
            "bytes of shared memory, a block on cuda:0 has 101376; variant for nvptx:sm_90 and batch 8: needs sm_90, " +
                gpu +
                " runs code for sm_86 and older chips; variant for nvptx:sm_75 and batch 8: the PTX needs a driver for "
                "CUDA 12.8, this one is for CUDA 12.4: install a newer driver; variant for nvptx:sm_70 and batch 8: a "
                "cubin for sm_70, which does not run on compute capability 8.6, that of " +
                gpu);
}

TEST_F(CUDAVariants, ACubinRunsWithinItsMajorVersion) {
  TinyModel model = makeGPUModel();
  addVariant(model, kTargets[2], 0, BlobKind::Cubin);
  addVariant(model, kTargets[0], 0);
  std::shared_ptr<const LoadedExecutable> file = finish(std::move(model));
  for (auto [major, minor, chip] : {std::tuple(8, 0, "sm_80"), std::tuple(8, 9, "sm_80"), std::tuple(9, 0, "sm_70")}) {
    standIn.settings.major = major;
    standIn.settings.minor = minor;
    ErrorOr<std::unique_ptr<Session>> session = Session::create(file, makeDevice());
    ErrorOr<const VariantT *> selected = (*session)->select("infer");
    ASSERT_TRUE(selected.ok()) << selected.message();
    EXPECT_EQ((*selected)->features.front(), chip);
    EXPECT_TRUE((*session)->device().load(*file, *file->table.programs.back(), **selected).ok());
  }
}

// Buffers in memory

/// The model's kernel train_update, which has so many buffers, and one that gets them from the array that it is given.
static constexpr size_t kBuffers = 17;
static void (*trainUpdate)(void **, int64_t);
static void trainUpdateInMemory(void **buffers, int64_t block) {
  void **list = static_cast<void **>(buffers[0]);
  std::vector<void *> own(list, list + kBuffers);
  trainUpdate(own.data(), block);
}

TEST_F(CUDAVariants, BuffersInMemoryAreThoseOfTheRun) {
  TinyModel model = makeGPUModel();
  std::string ptx(reinterpret_cast<const char *>(model.blobs[0].data()), model.blobs[0].size());
  const size_t at = ptx.find(".entry train_update(");
  ASSERT_NE(at, std::string::npos);
  const size_t open = ptx.find('(', at), close = ptx.find(')', at);
  ptx.replace(open, close - open + 1, "(.param .u64 train_update_param_0)");
  auto bytes = std::as_bytes(std::span(ptx));
  model.blobs[0] = {bytes.begin(), bytes.end()};
  for (auto &command : model.table.programs[0]->variants[0]->commands)
    if (LaunchT *launch = command->what.AsLaunch(); launch && launch->symbol == "train_update") {
      EXPECT_EQ(launch->buffers.size(), kBuffers);
      launch->buffers_in_memory = true;
    }
  trainUpdate = std::exchange(standIn.kernels["train_update"].code, trainUpdateInMemory);

  auto train = [](Session &session) {
    EXPECT_EQ(session.initialize(1).message(), "");
    ErrorOr<std::unique_ptr<ProgramRunner>> step = session.load("train_step", {}, 2);
    EXPECT_TRUE(step.ok()) << step.message();
    std::vector<std::byte> losses;
    for (unsigned i = 0; i < 6; ++i) {
      std::vector<std::byte> input(*byteCount(*(*step)->variant().arguments[0]->type), std::byte(10 * i));
      EXPECT_EQ((*step)->setArgument(i % 2, 0, input).message(), "");
      EXPECT_EQ((*step)->enqueue(i % 2).message(), "");
      HostTensor loss = *(*step)->read(i % 2, *(*step)->result("loss"));
      losses.insert(losses.end(), loss.bytes.begin(), loss.bytes.end());
    }
    HostTensor weights = *session.state("dense.kernel");
    losses.insert(losses.end(), weights.bytes.begin(), weights.bytes.end());
    return losses;
  };
  ErrorOr<std::unique_ptr<Session>> session = Session::create(load(std::move(model)), makeDevice());
  const std::vector<std::byte> found = train(**session);
  EXPECT_EQ(count("cuStreamBeginCapture_v2"), 2u);
  standIn.kernels["train_update"].code = trainUpdate;
  EXPECT_EQ(found, train(*makeSession()));
}
