// Training on the CUDA device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stand-in runs the very kernels that device cpu runs, as late as it may: where the order of
// uploads, steps and reads were another than on the CPU, bits would be.

#include "Devices/CUDA/Rig.h"
#include "Runtime/TemporaryFolder.h"
#include "mp/Devices/CPU/CPUDevice.h"
#include "mp/Training/Trainer.h"

using namespace mp;
using namespace mp::test;

namespace {

class CUDATraining : public CUDATest {
protected:
  CUDATraining() {
    writeTinyData(folder / "data", 203, 50);
    options.data = folder / "data";
    options.quiet = true;
    options.epochs = 3;
  }

  /// Trains a model on both devices and compares all there is.
  void compare(const TinyModelOptions &model) {
    std::unique_ptr<Session> gpu = makeSession(model);
    std::unique_ptr<Session> cpu =
        std::move(*Session::create(loadTinyModel(model), std::move(*createCPUDevice({.threads = 1}))));
    ErrorOr<TrainResult> actual = train(*gpu, options);
    ErrorOr<TrainResult> expected = train(*cpu, options);
    ASSERT_TRUE(actual.ok()) << actual.message();
    ASSERT_TRUE(expected.ok()) << expected.message();
    ASSERT_EQ(actual->history.size(), expected->history.size());
    for (size_t i = 0; i < actual->history.size(); ++i) {
      EXPECT_EQ(actual->history[i].loss, expected->history[i].loss) << "step " << i;
      EXPECT_EQ(actual->history[i].bad, expected->history[i].bad) << "step " << i;
      EXPECT_EQ(actual->history[i].lossScale, expected->history[i].lossScale) << "step " << i;
    }
    EXPECT_EQ(actual->skipped, expected->skipped);
    for (size_t i = 0; i < expected->testScores.size(); ++i)
      EXPECT_EQ(actual->testScores[i].value, expected->testScores[i].value);
    for (const auto &entry : gpu->table().state)
      EXPECT_EQ(gpu->state(entry->name)->bytes, cpu->state(entry->name)->bytes) << entry->name;
  }

  TemporaryFolder folder;
  TrainOptions options;
};

} // namespace

TEST_F(CUDATraining, HasTheBitsOfTheCPU) {
  compare({.lossScale = 16777216}); // some steps are skipped
  // Three sets of inputs each of train_step and eval, captured once.
  EXPECT_EQ(count("cuStreamBeginCapture_v2"), 6u);
  EXPECT_GT(count("cuGraphLaunch"), 75u);
}

TEST_F(CUDATraining, AccumulatesAsTheCPUDoes) {
  options.accumulate = 4;
  compare({.accumulate = true});
  EXPECT_EQ(count("cuStreamBeginCapture_v2"), 3u * 4 + 3 + 3);
}

/// Steps are in the queue while older ones run: the host asks for nothing that is not over.
TEST_F(CUDATraining, ReadsLate) {
  std::unique_ptr<Session> session = makeSession({});
  ASSERT_TRUE(train(*session, options).ok());
  // Only state is read by a copy: loss, metrics and flags lie where the host sees them.
  EXPECT_LE(count("cuMemcpyDtoHAsync_v2"), 8u);
}
