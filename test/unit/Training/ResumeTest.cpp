// Tests of going on from a checkpoint.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Runtime/TemporaryFolder.h"
#include "Runtime/TinyModel.h"
#include "mp/Base/Version.h"
#include "mp/Devices/CPU/CPUDevice.h"
#include "mp/Runtime/Tensors/Files.h"
#include "mp/Runtime/Tensors/Safetensors.h"
#include "mp/Training/Checkpoint.h"
#include "mp/Training/Trainer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <xxhash.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>

using namespace mp;
using namespace mp::executable;
using namespace mp::test;

static std::unique_ptr<Session> makeSession(const TinyModelOptions &options = {}) {
  ErrorOr<std::unique_ptr<Session>> session = Session::create(loadTinyModel(options), std::move(*createCPUDevice({1})));
  EXPECT_TRUE(session.ok()) << session.message();
  return std::move(*session);
}

/// Every file below a folder, with its bytes and the time of its last change.
static std::map<std::string, std::pair<std::string, std::filesystem::file_time_type>>
filesOf(const std::string &folder) {
  std::map<std::string, std::pair<std::string, std::filesystem::file_time_type>> files;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) {
      std::ifstream file(entry.path(), std::ios::binary);
      files[entry.path().string()] = {std::string(std::istreambuf_iterator<char>(file), {}), entry.last_write_time()};
    }
  return files;
}

/// Changes the metadata of a folder's checkpoint, which stays one of the right hash.
static void rewriteMetadata(const std::string &folder,
                            const std::function<void(std::map<std::string, std::string> &)> &change) {
  nlohmann::json manifest = nlohmann::json::parse(std::ifstream(folder + "/manifest.json"));
  std::string path = folder + "/" + std::string(manifest["file"]);
  ErrorOr<Safetensors> file = readSafetensors(path);
  ASSERT_TRUE(file.ok()) << file.message();
  change(file->metadata);
  ASSERT_TRUE(writeSafetensors(path, file->tensors, file->metadata).ok());
  std::vector<std::byte> bytes = *readFile(path);
  XXH128_canonical_t hash;
  XXH128_canonicalFromHash(&hash, XXH3_128bits(bytes.data(), bytes.size()));
  std::string text;
  for (unsigned char byte : hash.digest)
    for (int shift : {4, 0})
      text += "0123456789abcdef"[byte >> shift & 15];
  manifest["xxh3_128"] = text;
  std::ofstream(folder + "/manifest.json") << manifest;
}

namespace {

/// A folder with data, and options that train with a checkpoint.
class Resume : public testing::Test {
protected:
  Resume() {
    writeTinyData(folder / "data", 203, 50);
    options.data = folder / "data";
    options.quiet = true;
    options.checkpoint = folder / "checkpoint";
    options.resume = true;
  }

  TrainResult run(const TinyModelOptions &model = {}) {
    ErrorOr<TrainResult> result = train(*makeSession(model), options);
    EXPECT_TRUE(result.ok()) << result.message();
    return result.ok() ? std::move(*result) : TrainResult();
  }

  std::string message(const TinyModelOptions &model = {}) { return train(*makeSession(model), options).message(); }

  /// Trains until `steps`, in the middle of the second epoch of 25 steps.
  TrainPosition startWith(uint64_t steps, const TinyModelOptions &model = {}) {
    options.steps = steps;
    run(model);
    return readCheckpoint(options.checkpoint)->position;
  }

  /// What going on for two steps says of the checkpoint in `folder`; where it says nothing it ends where it should.
  std::string messageOf(const std::string &checkpoint, const TrainPosition &start, const TinyModelOptions &model) {
    TrainOptions more = options;
    more.checkpoint = checkpoint;
    more.steps = start.step + 2;
    ErrorOr<TrainResult> result = train(*makeSession(model), more);
    if (!result)
      return result.message();
    TrainPosition end = readCheckpoint(checkpoint)->position;
    EXPECT_EQ(result->history.size(), 2u);
    EXPECT_EQ(end.step, start.step + 2);
    EXPECT_EQ(end.batch, start.batch + 2 * start.accumulate);
    return "";
  }

  TemporaryFolder folder;
  TrainOptions options;
};

} // namespace

static void expectSame(const std::vector<Score> &scores, const std::vector<Score> &expected) {
  ASSERT_EQ(scores.size(), expected.size());
  for (size_t i = 0; i < scores.size(); ++i) {
    EXPECT_EQ(scores[i].name, expected[i].name);
    EXPECT_EQ(scores[i].value, expected[i].value) << scores[i].name;
  }
}

/// An epoch in parts has the scores of one without: not of the rows after the last resume alone.
TEST_F(Resume, ScoresCoverTheWholeEpoch) {
  for (const TinyModelOptions &model : {TinyModelOptions{}, TinyModelOptions{.accumulate = true, .microBatches = "4"},
                                        TinyModelOptions{.padTraining = true}}) {
    options.lastBatch = model.padTraining ? LastBatch::Pad : LastBatch::Drop;
    options.checkpoint = folder / "whole";
    options.steps.reset();
    options.epochs = 2;
    TrainResult whole = run(model);
    options.checkpoint = folder / "parts";
    options.epochs.reset();
    uint64_t epoch = whole.steps / 2;
    for (uint64_t steps : {uint64_t(2), epoch - 1, epoch, epoch + 3, epoch + 4, whole.steps - 1}) {
      options.steps = steps;
      EXPECT_EQ(run(model).steps, steps);
    }
    options.steps.reset();
    options.epochs = 2;
    TrainResult parts = run(model);
    EXPECT_EQ(parts.history.size(), 1u);
    expectSame(parts.trainScores, whole.trainScores);
    expectSame(parts.testScores, whole.testScores);
    std::filesystem::remove_all(folder / "whole");
    std::filesystem::remove_all(folder / "parts");
  }
}

TEST_F(Resume, PastTheEndNothingChanges) {
  options.log = folder / "checkpoint/log.jsonl";
  std::filesystem::create_directory(options.checkpoint);
  options.epochs = 2;
  TrainResult first = run();
  auto before = filesOf(options.checkpoint);
  ASSERT_EQ(before.size(), 3u);
  auto again = [&] {
    TrainResult result = run();
    EXPECT_EQ(result.steps, 50u);
    EXPECT_TRUE(result.history.empty());
    expectSame(result.trainScores, first.trainScores);
    expectSame(result.testScores, first.testScores);
    EXPECT_EQ(filesOf(options.checkpoint), before);
  };
  again();
  options.epochs = 1;
  again();
  options.epochs.reset();
  for (uint64_t steps : {50, 49, 1}) {
    options.steps = steps;
    again();
  }
}

TEST_F(Resume, AFileSaysWhoseItIs) {
  startWith(30);
  std::unique_ptr<Session> session = makeSession({.policy = "float32"});
  ASSERT_TRUE(saveWeights(folder / "w.safetensors", *session).ok());
  nlohmann::json manifest = nlohmann::json::parse(std::ifstream(options.checkpoint + "/manifest.json"));
  for (const std::string &path : {folder / "w.safetensors", options.checkpoint + "/" + std::string(manifest["file"])}) {
    std::map<std::string, std::string> metadata = readSafetensors(path)->metadata;
    EXPECT_EQ(metadata["producer"], kProducer);
    EXPECT_EQ(metadata["model"], "tiny");
  }
  EXPECT_EQ(*savedPolicy(folder / "w.safetensors"), "float32");
  EXPECT_EQ(*savedPolicy(options.checkpoint), "mixed_float16");
}

TEST_F(Resume, AnotherPolicyOnlyIfToldSo) {
  startWith(30);
  auto before = filesOf(options.checkpoint);
  options.steps = 32;
  EXPECT_EQ(message({.policy = "float32"}),
            options.checkpoint + ": was made with policy 'mixed_float16', this run has 'float32'; go on with the other "
                                 "one by --change-policy");
  EXPECT_EQ(filesOf(options.checkpoint), before);
  options.changePolicy = true;
  EXPECT_EQ(run({.policy = "float32"}).history.size(), 2u);
  EXPECT_EQ(readCheckpoint(options.checkpoint)->policy, "float32");
  options.resume = false;
  EXPECT_EQ(message(), "--change-policy needs --resume");
}

/// What training images are changed by is part of the run.
TEST_F(Resume, TheSameAugmentationOnly) {
  options.augment = *parseAugmentation("crop:1,flip");
  startWith(30);
  EXPECT_EQ(readCheckpoint(options.checkpoint)->position.augment, "flip,crop:1");
  auto before = filesOf(options.checkpoint);
  options.steps = 32;
  options.augment = {};
  EXPECT_EQ(message(), options.checkpoint + ": was made with --augment=flip,crop:1, this run has no --augment");
  options.augment = *parseAugmentation("flip");
  EXPECT_EQ(message(), options.checkpoint + ": was made with --augment=flip,crop:1, this run has --augment=flip");
  EXPECT_EQ(filesOf(options.checkpoint), before);
  options.augment = *parseAugmentation("flip,crop:1");
  EXPECT_EQ(run().history.size(), 2u);
  rewriteMetadata(options.checkpoint, [](auto &metadata) { metadata.erase("augment"); });
  options.steps = 33;
  EXPECT_EQ(message(), options.checkpoint + ": was made with no --augment, this run has --augment=flip,crop:1");
}

static constexpr const char *kMadeWith =
    "; go on with the model, the optimizer and the loss scale that it was made with";

/// State that the run does not have would be lost.
TEST_F(Resume, NoStateIsDropped) {
  startWith(30);
  nlohmann::json manifest = nlohmann::json::parse(std::ifstream(options.checkpoint + "/manifest.json"));
  std::string path = options.checkpoint + "/" + std::string(manifest["file"]);
  ErrorOr<Safetensors> file = readSafetensors(path);
  file->tensors.push_back(file->tensors.front());
  file->tensors.back().name = "w/adam.m";
  ASSERT_TRUE(writeSafetensors(path, file->tensors, file->metadata).ok());
  rewriteMetadata(options.checkpoint, [](auto &) {});
  options.steps = 31;
  EXPECT_EQ(message(), options.checkpoint + ": has a tensor 'w/adam.m', which this run does not" + kMadeWith);
}

/// State of the scaler is not there after a policy that does not scale; other state must be.
TEST_F(Resume, AnotherPolicyBringsItsScaler) {
  startWith(30, {.policy = "float32"});
  nlohmann::json manifest = nlohmann::json::parse(std::ifstream(options.checkpoint + "/manifest.json"));
  std::string path = options.checkpoint + "/" + std::string(manifest["file"]);
  auto without = [&](const std::string &name) {
    ErrorOr<Safetensors> file = readSafetensors(path);
    std::erase_if(file->tensors, [&](const NamedTensor &tensor) { return tensor.name == name; });
    ASSERT_TRUE(writeSafetensors(path, file->tensors, file->metadata).ok());
    rewriteMetadata(options.checkpoint, [](auto &) {});
  };
  without("loss_scale");
  options.steps = 31;
  EXPECT_EQ(message({.policy = "float32"}), options.checkpoint + ": has no tensor 'loss_scale'" + kMadeWith);
  options.changePolicy = true;
  std::unique_ptr<Session> session = makeSession({.lossScale = 64});
  ErrorOr<TrainResult> result = train(*session, options);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result->history.front().lossScale, 64);

  std::filesystem::remove_all(options.checkpoint);
  options.changePolicy = false;
  startWith(30, {.policy = "float32"});
  manifest = nlohmann::json::parse(std::ifstream(options.checkpoint + "/manifest.json"));
  path = options.checkpoint + "/" + std::string(manifest["file"]);
  without("learning_rate");
  options.changePolicy = true;
  EXPECT_EQ(message(), options.checkpoint + ": has no tensor 'learning_rate'" + kMadeWith);
}

/// A scalar's value, whether no run leaves it there, and what the message calls it.
static std::vector<double> edgesOf(ElementType element) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (element == ElementType::F32)
    return {std::nan(""), infinity, -infinity, 0, -1, std::numeric_limits<float>::max()};
  double most = element == ElementType::I32 ? std::numeric_limits<int32_t>::max() : 9.2e18;
  return {0, -1, -most, most};
}

static bool isLegal(const std::string &name, double value) {
  if (name == "loss_scale")
    return std::isfinite(value) && value > 0;
  if (name == "learning_rate")
    return std::isfinite(value) && value >= 0;
  if (name == "hysteresis_tracker")
    return value >= 0;
  return name == "user.scalar" || value == 0; // counts, which are at most the steps done
}

TEST_F(Resume, EveryScalarAtItsEdges) {
  const TinyModelOptions model = {.moreState = true};
  TrainPosition start = startWith(30, model);
  std::unique_ptr<Session> session = makeSession(model);
  ASSERT_TRUE(restoreCheckpoint(*readCheckpoint(options.checkpoint), *session).ok());
  unsigned cases = 0;
  for (const auto &entry : session->table().state) {
    HostTensor good = *session->state(entry->name);
    if (good.count() != 1)
      continue;
    for (double edge : edgesOf(entry->type->element)) {
      ASSERT_TRUE(session->setState(entry->name, scalarTensor(entry->type->element, edge)).ok());
      ASSERT_TRUE(saveCheckpoint(folder / "edge", *session, start).ok());
      std::string said = messageOf(folder / "edge", start, model);
      EXPECT_EQ(said.empty(), isLegal(entry->name, edge)) << entry->name << " = " << edge << ": " << said;
      bool isNamed = said.starts_with((folder / "edge") + ": state '" + entry->name + "' is ");
      EXPECT_TRUE(said.empty() || isNamed) << said;
      Status loaded = loadState(folder / "edge", *makeSession(model));
      EXPECT_EQ(loaded.ok(), said.empty() || said.find("expected at most") != std::string::npos) << loaded.message();
      EXPECT_TRUE(loadWeights(folder / "edge", *makeSession(model)).ok()); // which takes none of them
      std::filesystem::remove_all(folder / "edge");
      cases += 1;
    }
    ASSERT_TRUE(session->setState(entry->name, good).ok());
  }
  EXPECT_EQ(cases, 6u * 3 + 4u * 5);
}

TEST_F(Resume, AGeneratorIsTheRuns) {
  TrainPosition start = startWith(30);
  std::unique_ptr<Session> session = makeSession();
  ASSERT_TRUE(restoreCheckpoint(*readCheckpoint(options.checkpoint), *session).ok());
  HostTensor good = *session->state("rng");
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (auto [element, value, expected] : {std::tuple(size_t(0), int64_t(1), "state 'rng' has seed 1, the run has 0"),
                                          {0, -1, "state 'rng' has seed 18446744073709551615, the run has 0"},
                                          {1, -1, "state 'rng' is -1, expected a count of at least 0"},
                                          {1, kMost, "state 'rng' is 9223372036854775807, expected at most 30"},
                                          {1, 31, "state 'rng' is 31, expected at most 30"},
                                          {1, 0, ""}}) {
    HostTensor bad = good;
    bad.values<int64_t>()[element] = value;
    ASSERT_TRUE(session->setState("rng", bad).ok());
    ASSERT_TRUE(saveCheckpoint(folder / "edge", *session, start).ok());
    std::string said = messageOf(folder / "edge", start, {});
    EXPECT_EQ(said.find(expected), *expected ? (folder / "edge").size() + 2 : 0) << said;
    EXPECT_EQ(said.empty(), !*expected) << said;
    std::filesystem::remove_all(folder / "edge");
  }
}

/// A position that the steps done do not lead to is refused: believed, an epoch would have no end.
TEST_F(Resume, EveryNumberOfThePositionAtItsEdges) {
  TrainPosition start = startWith(30);
  const std::pair<const char *, std::pair<uint64_t TrainPosition::*, const char *>> fields[] = {
      {"step", {&TrainPosition::step, "is at step "}},
      {"epoch", {&TrainPosition::epoch, ", epoch "}},
      {"batch", {&TrainPosition::batch, ", batch "}},
      {"seed", {&TrainPosition::seed, "was made with seed "}},
      {"rows", {&TrainPosition::rows, "was made with rows of data "}},
      {"batch_size", {&TrainPosition::batchSize, "was made with batch size "}},
      {"accumulate", {&TrainPosition::accumulate, "was made with accumulate "}},
      {"steps_per_epoch", {&TrainPosition::stepsPerEpoch, "was made with steps per epoch "}}};
  for (const auto &[name, field] : fields) {
    auto [member, text] = field;
    for (uint64_t edge : {uint64_t(0), start.*member - 1, start.*member + 1, uint64_t(INT64_MAX), UINT64_MAX}) {
      if (edge == start.*member)
        continue;
      rewriteMetadata(options.checkpoint, [&](auto &metadata) { metadata[name] = std::to_string(edge); });
      std::string said = messageOf(options.checkpoint, start, {});
      EXPECT_NE(said.find(text + std::to_string(edge)), std::string::npos) << name << " = " << edge << ": " << said;
    }
    for (const char *edge : {"", "-1", "nan", "inf", "1e3", " 5", "18446744073709551616"}) {
      rewriteMetadata(options.checkpoint, [&](auto &metadata) { metadata[name] = edge; });
      EXPECT_EQ(messageOf(options.checkpoint, start, {}),
                options.checkpoint + ": '" + name + "' in its metadata is not a number");
    }
    rewriteMetadata(options.checkpoint, [&](auto &metadata) { metadata.erase(name); });
    EXPECT_EQ(messageOf(options.checkpoint, start, {}), options.checkpoint + ": has no '" + name + "' in its metadata");
    rewriteMetadata(options.checkpoint, [&](auto &metadata) { metadata[name] = std::to_string(start.*member); });
  }
  EXPECT_EQ(messageOf(options.checkpoint, start, {}), "");
}

/// A sum of losses may be anything; without it the epoch's score would be wrong.
TEST_F(Resume, EverySumAtItsEdges) {
  TrainPosition start = startWith(30);
  for (const char *name : {"sum:loss", "sum:metric:accuracy"}) {
    for (const char *edge : {"nan", "inf", "0", "-1", "1.7976931348623157e+308"}) {
      rewriteMetadata(options.checkpoint, [&](auto &metadata) { metadata[name] = edge; });
      std::filesystem::copy(options.checkpoint, folder / "edge");
      EXPECT_EQ(messageOf(folder / "edge", start, {}), "");
      std::filesystem::remove_all(folder / "edge");
    }
    rewriteMetadata(options.checkpoint, [&](auto &metadata) { metadata[name] = "many"; });
    EXPECT_EQ(messageOf(options.checkpoint, start, {}),
              options.checkpoint + ": '" + name + "' in its metadata is not a number");
    rewriteMetadata(options.checkpoint, [&](auto &metadata) { metadata.erase(name); });
    EXPECT_EQ(messageOf(options.checkpoint, start, {}), options.checkpoint + ": has no '" + name + "' in its metadata");
    rewriteMetadata(options.checkpoint, [&](auto &metadata) { metadata[name] = "1"; });
  }
}

/// Training that is asked to stop ends after its step, with a checkpoint that the rest makes the same of.
TEST_F(Resume, StopsAfterAStep) {
  options.steps = 40;
  std::string whole = folder / "whole";
  std::swap(options.checkpoint, whole);
  TrainResult expected = run();
  EXPECT_FALSE(expected.stopped);
  std::swap(options.checkpoint, whole);
  // The evaluation of the first epoch asks as each of its batches, too.
  for (unsigned most : {0, 1, 10, 15, 3}) {
    unsigned asked = 0;
    options.shouldStop = [&] { return asked++ >= most; };
    TrainResult part = run();
    EXPECT_TRUE(part.stopped);
    EXPECT_EQ(readCheckpoint(options.checkpoint)->position.step, part.steps);
    EXPECT_LE(part.history.size(), most);
  }
  options.shouldStop = nullptr;
  expectSame(run().trainScores, expected.trainScores);
  EXPECT_EQ(filesOf(options.checkpoint).begin()->second.first, filesOf(whole).begin()->second.first);
}

/// The last evaluation of an epoch that is stopped, since its last step is, is made up for by the run that goes on.
TEST_F(Resume, AStoppedEvaluationIsMadeUpFor) {
  for (const TinyModelOptions &model : {TinyModelOptions{}, TinyModelOptions{.accumulate = true, .microBatches = "4"},
                                        TinyModelOptions{.padTraining = true}}) {
    options.lastBatch = model.padTraining ? LastBatch::Pad : LastBatch::Drop;
    struct Told {
      std::vector<EpochRecord> epochs;
      std::vector<std::string> evaluations; ///< lines of the log
    };
    auto runTold = [&](const std::string &name, std::optional<uint64_t> stopAt, Told &told) {
      bool stops = false;
      options.checkpoint = folder / name;
      options.log = folder / (name + ".jsonl");
      options.onStep = [&](const StepRecord &step) {
        stops = step.step == stopAt;
        return true;
      };
      options.shouldStop = [&] { return stops; };
      options.onEpoch = [&](const EpochRecord &epoch) {
        told.epochs.push_back(epoch);
        return true;
      };
      TrainResult result = run(model);
      told.evaluations.clear();
      std::ifstream log(options.log);
      for (std::string line; std::getline(log, line);)
        if (line.find("test_loss") != std::string::npos)
          told.evaluations.push_back(line);
      return result;
    };
    options.epochs = 3;
    Told whole, parts;
    const uint64_t epoch = runTold("whole", {}, whole).steps / 3;
    ASSERT_EQ(whole.evaluations.size(), 3u);
    for (uint64_t stopAt : {epoch, 3 * epoch}) {
      TrainResult stopped = runTold("parts", stopAt, parts);
      EXPECT_TRUE(stopped.stopped);
      EXPECT_EQ(stopped.steps, stopAt);
      EXPECT_EQ(parts.epochs.size(), stopAt / epoch - 1);
    }
    TrainResult last = runTold("parts", {}, parts);
    EXPECT_FALSE(last.stopped);
    EXPECT_TRUE(last.history.empty());
    EXPECT_EQ(parts.evaluations, whole.evaluations);
    ASSERT_EQ(parts.epochs.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(parts.epochs[i].epoch, whole.epochs[i].epoch);
      EXPECT_EQ(parts.epochs[i].step, whole.epochs[i].step);
      expectSame(parts.epochs[i].trainScores, whole.epochs[i].trainScores);
      expectSame(parts.epochs[i].testScores, whole.epochs[i].testScores);
    }
    // Once: the checkpoint is the one of a run that nobody stopped.
    EXPECT_EQ(filesOf(folder / "parts").begin()->second.first, filesOf(folder / "whole").begin()->second.first);
    for (const char *name : {"whole", "parts"}) {
      std::filesystem::remove_all(folder / name);
      std::filesystem::remove(folder / (std::string(name) + ".jsonl"));
    }
  }
}
