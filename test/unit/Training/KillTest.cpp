// A training process that is killed, again and again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Runtime/TemporaryFolder.h"
#include "Runtime/TinyModel.h"
#include "mp/Devices/CPU/CPUDevice.h"
#include "mp/Runtime/Tensors/Files.h"
#include "mp/Training/Checkpoint.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <random>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>

using namespace mp;
using namespace mp::test;
using Clock = std::chrono::steady_clock;

extern char **environ;

namespace {

/// mp-exec, training with a checkpoint after every step.
class Process {
public:
  Process(const TemporaryFolder &folder, const std::string &checkpoint) {
    std::string words[] = {MP_EXEC,
                           "train",
                           folder / "m.mpx",
                           "--data=" + folder / "data",
                           "--steps=30",
                           "--checkpoint=" + checkpoint,
                           "--checkpoint-every=1",
                           "--resume",
                           "--quiet",
                           "--threads=1"};
    std::vector<char *> arguments;
    for (std::string &word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1 /* O_WRONLY */, 0);
    EXPECT_EQ(posix_spawn(&id, MP_EXEC, &actions, nullptr, arguments.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
  }

  void kill() { ::kill(id, SIGKILL); }

  /// Waits for the end; whether it came by itself and well.
  bool endsWell() {
    int status = 0;
    EXPECT_EQ(::waitpid(id, &status, 0), id);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

private:
  pid_t id = -1;
};

} // namespace

/// The manifest, which has the step and the hash of every bit of the state.
static std::string manifestOf(const std::string &checkpoint) {
  ErrorOr<std::vector<std::byte>> bytes = readFile(checkpoint + "/manifest.json");
  EXPECT_TRUE(bytes.ok()) << bytes.message();
  return bytes.ok() ? std::string(reinterpret_cast<const char *>(bytes->data()), bytes->size()) : "";
}

/// The step of the checkpoint, which must be whole; 0 where there is none yet.
static uint64_t wholeStep(const std::string &checkpoint) {
  if (!hasCheckpoint(checkpoint))
    return 0;
  ErrorOr<std::unique_ptr<Session>> session =
      Session::create(loadTinyModel({.lossScale = 16777216}), std::move(*createCPUDevice({1})));
  ErrorOr<Checkpoint> read = readCheckpoint(checkpoint);
  EXPECT_TRUE(read.ok()) << read.message();
  if (!read.ok())
    return 0;
  Status restored = restoreCheckpoint(*read, **session);
  EXPECT_TRUE(restored.ok()) << restored.message();
  return read->position.step;
}

/// 20 kills, 200 with HALFSTEP_LONG, at moments spread evenly over the length of a run: after each
/// the last whole checkpoint is there, none is lost, and the end has the bits of a run that was left
/// alone.
TEST(Kill, LeavesTheLastWholeCheckpoint) {
  TemporaryFolder folder;
  TinyModel model = makeTinyModel({.lossScale = 16777216});
  ASSERT_TRUE(writeExecutable(folder / "m.mpx", std::move(model.table), model.blobs).ok());
  writeTinyData(folder / "data", 203, 50);
  Clock::time_point start = Clock::now();
  ASSERT_TRUE(Process(folder, folder / "whole").endsWell());
  double length = std::chrono::duration<double>(Clock::now() - start).count();
  std::string expected = manifestOf(folder / "whole");

  int wanted = std::getenv("HALFSTEP_LONG") ? 200 : 20;
  std::mt19937 random(1);
  std::string checkpoint = folder / "killed";
  uint64_t step = 0;
  for (int kills = 0; kills < wanted;) {
    Process process(folder, checkpoint);
    double seconds = std::uniform_real_distribution<double>(0, length)(random);
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    process.kill();
    bool finished = process.endsWell();
    uint64_t now = wholeStep(checkpoint);
    EXPECT_GE(now, step);
    step = now;
    kills += !finished;
    if (!finished)
      continue;
    EXPECT_EQ(manifestOf(checkpoint), expected);
    std::filesystem::remove_all(checkpoint);
    step = 0;
  }
  ASSERT_TRUE(Process(folder, checkpoint).endsWell());
  EXPECT_EQ(manifestOf(checkpoint), expected);
}
