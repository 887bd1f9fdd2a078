// Tests of training.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Training/Trainer.h"
#include "Runtime/TemporaryFolder.h"
#include "Runtime/TinyModel.h"
#include "mp/Devices/CPU/CPUDevice.h"
#include "mp/Runtime/Tensors/Safetensors.h"
#include "mp/Training/Benchmark.h"
#include "mp/Training/Checkpoint.h"
#include "mp/Training/Data/BatchLoader.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <set>

using namespace mp;
using namespace mp::test;

static std::unique_ptr<Session> makeSession(const TinyModelOptions &options = {}, unsigned threads = 1) {
  ErrorOr<std::unique_ptr<Session>> session =
      Session::create(loadTinyModel(options), std::move(*createCPUDevice({threads})));
  EXPECT_TRUE(session.ok()) << session.message();
  return std::move(*session);
}

/// All saved state, one behind the other.
static std::vector<std::byte> stateOf(Session &session) {
  std::vector<std::byte> bytes;
  for (const auto &entry : session.table().state) {
    HostTensor value = *session.state(entry->name);
    bytes.insert(bytes.end(), value.bytes.begin(), value.bytes.end());
  }
  return bytes;
}

static std::vector<nlohmann::json> readLog(const std::string &path) {
  std::vector<nlohmann::json> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    lines.push_back(nlohmann::json::parse(line));
  return lines;
}

namespace {

/// A folder with data, and options that use them.
class Trainer : public testing::Test {
protected:
  Trainer() {
    writeTinyData(folder / "data", 203, 50);
    options.data = folder / "data";
    options.quiet = true;
    options.learningRate = 0.5;
  }

  TrainResult run(Session &session) {
    ErrorOr<TrainResult> result = train(session, options);
    EXPECT_TRUE(result.ok()) << result.message();
    return result.ok() ? std::move(*result) : TrainResult();
  }

  std::string message(Session &session) { return train(session, options).message(); }

  TemporaryFolder folder;
  TrainOptions options;
};

} // namespace

TEST_F(Trainer, Learns) {
  std::unique_ptr<Session> session = makeSession();
  options.epochs = 20;
  TrainResult result = run(*session);
  EXPECT_EQ(result.steps, 20u * 25);
  EXPECT_EQ(result.rows, 203u);
  EXPECT_EQ(result.testRows, 50u);
  EXPECT_EQ(result.droppedRows, 3u);
  EXPECT_EQ(result.history.size(), result.steps);
  EXPECT_GT(*TrainResult::find(result.testScores, "accuracy"), 0.65); // a third is chance
  EXPECT_LT(*TrainResult::find(result.testScores, "loss"), 0.3);
  EXPECT_GT(result.secondsPerStep, 0);
  EXPECT_GT(result.residentBytes, 0u);
}

/// Loss and accuracy of an evaluation are those of one batch that holds all rows.
TEST_F(Trainer, EvaluatesEveryRowOnce) {
  std::unique_ptr<Session> session = makeSession({.batches = {8, 50}});
  options.batchSize = 8;
  TrainResult result = run(*session);
  ErrorOr<std::vector<Score>> whole = evaluate(*session, options.data, 50);
  ASSERT_TRUE(whole.ok()) << whole.message();
  for (const Score &score : *whole)
    EXPECT_NEAR(*TrainResult::find(result.testScores, score.name), score.value, 1e-6);
}

TEST_F(Trainer, ThreadsAndSeeds) {
  std::unique_ptr<Session> one = makeSession({}, 1), two = makeSession({}, 2), other = makeSession({}, 1);
  run(*one);
  run(*two);
  options.seed = 1;
  run(*other);
  EXPECT_EQ(stateOf(*one), stateOf(*two));
  EXPECT_NE(stateOf(*one), stateOf(*other));
}

TEST_F(Trainer, LogsEveryStep) {
  std::unique_ptr<Session> session = makeSession({.lossScale = 16777216});
  options.epochs = 2;
  options.log = folder / "log.jsonl";
  TrainResult result = run(*session);
  std::vector<nlohmann::json> lines = readLog(options.log);
  ASSERT_EQ(lines.size(), result.steps + 2);
  uint64_t skipped = 0;
  double scale = 16777216;
  for (uint64_t step = 1, line = 0; line < lines.size(); ++line) {
    if (lines[line].contains("test_loss")) {
      EXPECT_EQ(lines[line]["epoch"], (step - 1) / 25);
      EXPECT_TRUE(lines[line]["test_accuracy"].is_number());
      continue;
    }
    EXPECT_EQ(lines[line]["step"], step);
    EXPECT_EQ(lines[line]["epoch"], (step - 1) / 25 + 1);
    EXPECT_EQ(lines[line]["loss_scale"], scale);
    bool bad = lines[line]["found_inf"];
    skipped += bad;
    scale = bad ? scale / 2 : scale;
    EXPECT_EQ(lines[line]["skipped"], skipped);
    EXPECT_TRUE(lines[line]["grad_norm"].is_null());
    EXPECT_GT(lines[line]["samples_per_second"], 0);
    ++step;
    if (!bad && skipped) // growth may follow, which the model does every 20 clean steps
      scale = line + 1 < lines.size() && lines[line + 1].contains("loss_scale") ? double(lines[line + 1]["loss_scale"])
                                                                                : scale;
  }
  EXPECT_GT(skipped, 3u);
  EXPECT_EQ(result.skipped, skipped);
  EXPECT_EQ(elementAt(*session->state("skipped_steps"), 0), double(skipped));
}

/// Steps that were skipped change nothing but the scaler's own state.
TEST_F(Trainer, EndsAfterTooManySkips) {
  std::unique_ptr<Session> session = makeSession({.lossScale = 1e30, .skipLimit = "7"});
  EXPECT_EQ(message(*session), "7 consecutive steps were skipped, the last is step 7; first gradient that was not "
                               "finite at each: dense.kernel (steps 1 to 7)");
  std::unique_ptr<Session> fresh = makeSession();
  ASSERT_TRUE(fresh->initialize(0).ok());
  EXPECT_EQ(session->state("dense.kernel")->bytes, fresh->state("dense.kernel")->bytes);
  EXPECT_EQ(session->state("rng")->bytes, fresh->state("rng")->bytes);
  std::unique_ptr<Session> usual = makeSession({.lossScale = 1e30});
  options.epochs = 3;
  EXPECT_TRUE(message(*usual).starts_with("50 consecutive steps were skipped, the last is step 50")) << message(*usual);
}

/// Scales 8e29, 4e29, 2e29, 1e29: the fourth overflow finds the scale at its floor.
TEST_F(Trainer, EndsAtTheLossScalesFloor) {
  std::unique_ptr<Session> session = makeSession({.lossScale = 8e29, .minScale = "1.0e+29"});
  EXPECT_EQ(message(*session), "step 4 overflowed at loss scale 1e+29, and its floor is 1e+29; first gradient that was "
                               "not finite: dense.kernel");
  std::unique_ptr<Session> wrong = makeSession({.minScale = "little"});
  EXPECT_EQ(message(*wrong), "metadata raise_error_at_min_scale is 'little', expected a number");
}

TEST_F(Trainer, ResumesBitIdentically) {
  options.steps = 67; // ends in the middle of the third epoch
  std::unique_ptr<Session> whole = makeSession({.lossScale = 16777216});
  options.log = folder / "whole.jsonl";
  run(*whole);

  options.log = folder / "parts.jsonl";
  options.checkpoint = folder / "checkpoint";
  options.resume = true;
  for (uint64_t steps : {10, 25, 26, 50, 66, 67}) {
    std::unique_ptr<Session> part = makeSession({.lossScale = 16777216});
    options.steps = steps;
    EXPECT_EQ(run(*part).steps, steps);
    if (steps == 67) {
      EXPECT_EQ(stateOf(*part), stateOf(*whole));
    }
  }
  auto losses = [&](const char *name) {
    std::vector<std::pair<uint64_t, double>> losses;
    for (const nlohmann::json &line : readLog(folder / name))
      if (line.contains("loss"))
        losses.emplace_back(line["step"], line["loss"]);
    return losses;
  };
  EXPECT_EQ(losses("parts.jsonl"), losses("whole.jsonl"));
}

TEST_F(Trainer, AccumulatesMicroBatches) {
  std::unique_ptr<Session> session = makeSession({.accumulate = true});
  options.accumulate = 4;
  options.epochs = 2;
  TrainResult result = run(*session);
  EXPECT_EQ(result.steps, 2u * 6); // 25 batches are 6 steps of 4
  EXPECT_EQ(result.droppedRows, 203u - 6 * 32);
  HostTensor sum = *session->state("dense.kernel/gradient_sum");
  for (uint64_t i = 0; i < sum.count(); ++i)
    EXPECT_EQ(elementAt(sum, i), 0);
  EXPECT_EQ(elementAt(*session->state("rng"), 1), 12);
  options.accumulate = 1;
  EXPECT_EQ(message(*session),
            "--accumulate is 1, the executable was compiled for more; give the number that it was compiled for");
}

/// The executable knows of how many micro-batches its steps are: apply divides by that number.
TEST_F(Trainer, AccumulatesAsCompiled) {
  std::unique_ptr<Session> session = makeSession({.accumulate = true, .microBatches = "4"});
  EXPECT_EQ(run(*session).steps, 6u);
  options.accumulate = 2;
  EXPECT_EQ(message(*session), "--accumulate is 2, the executable was compiled for 4");
  options.accumulate.reset();
  options.lastBatch = LastBatch::Pad;
  EXPECT_EQ(message(*session), "--last-batch=pad and --accumulate exclude each other");
  options.lastBatch = LastBatch::Drop;
  EXPECT_EQ(message(*makeSession({.accumulate = true, .microBatches = "5000"})),
            "--accumulate is 5000, expected at most 4096");
  EXPECT_EQ(message(*makeSession({.microBatches = "0"})), "--accumulate is 0, expected at least 1");
}

TEST_F(Trainer, PadsWhereCompiledForIt) {
  std::unique_ptr<Session> session = makeSession({.padTraining = true});
  options.lastBatch = LastBatch::Pad;
  TrainResult result = run(*session);
  EXPECT_EQ(result.steps, 26u);
  EXPECT_EQ(result.droppedRows, 0u);
  EXPECT_EQ(message(*makeSession()),
            "--last-batch=pad: program train_step does not have row weights; compile with --pad");
}

TEST_F(Trainer, SaysWhatIsWrong) {
  std::unique_ptr<Session> session = makeSession();
  TrainOptions good = options;
  auto with = [&](auto change) {
    options = good;
    change(options);
    return message(*session);
  };
  EXPECT_EQ(with([](TrainOptions &o) { o.data = ""; }),
            "--data is missing; give the folder of the data set, as in --data=DIR");
  EXPECT_EQ(with([](TrainOptions &o) { o.epochs = o.steps = 1; }), "--epochs and --steps exclude each other");
  EXPECT_EQ(with([](TrainOptions &o) { o.resume = true; }), "--resume needs --checkpoint=DIR");
  EXPECT_EQ(with([](TrainOptions &o) { o.batchSize = 9; }),
            "--batch-size=9: program train_step does not have code for batch 9; it has it for batch 8");
  EXPECT_EQ(with([](TrainOptions &o) { o.fromScratch = o.goOn = true; }),
            "--from-scratch starts anew, and training is to go on from the state that the session has");
  EXPECT_EQ(with([](TrainOptions &o) { o.accumulate = 2; }),
            "the executable does not have program accumulate; compile it with --accumulate");
  EXPECT_EQ(with([&](TrainOptions &o) { o.log = folder / "absent/log"; }),
            "--log: " + (folder / "absent/log") + ": folder does not exist: " + (folder / "absent"));
  EXPECT_EQ(with([&](TrainOptions &o) { o.testData = folder / "absent"; }),
            (folder / "absent") +
                ": not a folder, nor an .npz file; expected a folder with train-images-idx3-ubyte[.gz] and so "
                "on or CIFAR's .bin files, or F.npz");
  writeTinyData(folder / "small", 7, 50);
  EXPECT_EQ(with([&](TrainOptions &o) { o.data = folder / "small"; }),
            (folder / "small") + " (train): 7 rows, expected at least the 8 of a step; take a smaller batch");
}

TEST_F(Trainer, ChecksCheckpoints) {
  options.checkpoint = folder / "checkpoint";
  options.steps = 5;
  run(*makeSession());
  std::unique_ptr<Session> session = makeSession();
  EXPECT_EQ(message(*session), options.checkpoint + ": has a checkpoint; go on from it with --resume, or remove it");
  options.resume = true;
  options.seed = 9;
  EXPECT_EQ(message(*session), options.checkpoint + ": was made with seed 0, this run has 9");
  options.seed = 0;
  EXPECT_EQ(message(*makeSession({.batches = {4}})),
            options.checkpoint + ": was made with batch size 8, this run has 4");

  std::string file;
  for (const auto &entry : std::filesystem::directory_iterator(options.checkpoint))
    if (entry.path().extension() == ".safetensors")
      file = entry.path().string();
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(-3, std::ios::end).put(7);
  EXPECT_EQ(message(*session), file + ": damaged: the content does not match the manifest's hash");
  std::ofstream(options.checkpoint + "/manifest.json") << "{\"file\": 3}";
  EXPECT_EQ(message(*session), options.checkpoint + "/manifest.json: not a manifest of a checkpoint");
  std::ofstream(options.checkpoint + "/manifest.json") << "{\"file\": \"../step-1.safetensors\", \"xxh3_128\": \"\"}";
  EXPECT_EQ(message(*session), options.checkpoint + "/manifest.json: names a file outside of its folder");
}

TEST_F(Trainer, WeightsTravel) {
  std::unique_ptr<Session> trained = makeSession(), fresh = makeSession();
  options.checkpoint = folder / "checkpoint";
  run(*trained);
  ASSERT_TRUE(saveWeights(folder / "w.safetensors", *trained).ok());
  ASSERT_TRUE(saveState(folder / "s.safetensors", *trained, 5, 1).ok());
  for (const std::string &from : {folder / "w.safetensors", folder / "s.safetensors", options.checkpoint}) {
    ASSERT_TRUE(fresh->initialize(3).ok());
    const std::vector<std::byte> rng = fresh->state("rng")->bytes;
    ASSERT_TRUE(loadWeights(from, *fresh).ok());
    EXPECT_EQ(fresh->state("dense.kernel")->bytes, trained->state("dense.kernel")->bytes);
    EXPECT_EQ(fresh->state("rng")->bytes, rng); // which is the training's
    const Status loaded = loadState(from, *fresh);
    EXPECT_EQ(loaded.ok(), from != folder / "w.safetensors");
    EXPECT_EQ(stateOf(*fresh) == stateOf(*trained), loaded.ok());
  }
  EXPECT_EQ(readWeights(folder / "w.safetensors")->size(), 1u);
  EXPECT_EQ(readSafetensors(folder / "s.safetensors")->metadata["step"], "5");
}

/// Batches of a caller are steps with the bits of a data set's, in the order in which they come.
TEST_F(Trainer, TakesGivenBatches) {
  std::unique_ptr<Session> session = makeSession({.accumulate = true});
  options.data.clear();
  options.accumulate = 2;
  options.log = folder / "log.jsonl";
  options.checkpoint = folder / "checkpoint";
  options.epochs = 2;
  uint64_t asked = 0, told = 0;
  options.nextStep = [&]() -> ErrorOr<std::vector<GivenBatch>> {
    if (asked++ % 4 == 3)
      return std::vector<GivenBatch>();
    HostTensor x = *zeroTensor(makeType(ElementType::UI8, {8, 4})), y = *zeroTensor(makeType(ElementType::UI8, {8}));
    x.bytes[asked] = std::byte(200);
    return std::vector<GivenBatch>(2, GivenBatch{{{"y", y}, {"x", x}}, 8});
  };
  options.oneByOne = true;
  options.onStep = [&](const StepRecord &record) {
    EXPECT_EQ(record.step, ++told);
    EXPECT_EQ(record.step, asked - (asked - 1) / 4); // the next is not asked for before
    return true;
  };
  TrainResult result = run(*session);
  EXPECT_EQ(result.steps, 6u);
  ErrorOr<Checkpoint> saved = readCheckpoint(options.checkpoint);
  ASSERT_TRUE(saved.ok()) << saved.message();
  EXPECT_EQ(saved->position.epoch, 2u);
  EXPECT_EQ(saved->position.batch, 0u);
  EXPECT_EQ(readLog(options.log).size(), 6u);

  // Going on, until it is stopped within an epoch, which has no checkpoint.
  options.resume = true;
  options.epochs = 9;
  options.onStep = [](const StepRecord &record) { return record.step != 7; };
  EXPECT_EQ(run(*session).steps, 7u);
  EXPECT_EQ(readCheckpoint(options.checkpoint)->position.step, 6u);
  options.onStep = nullptr;
  auto give = [&](GivenBatch batch, size_t count = 2) {
    options.nextStep = [=]() -> ErrorOr<std::vector<GivenBatch>> { return std::vector<GivenBatch>(count, batch); };
    return message(*session);
  };
  const HostTensor x = *zeroTensor(makeType(ElementType::UI8, {8, 4})),
                   y = *zeroTensor(makeType(ElementType::UI8, {8}));
  EXPECT_EQ(give({{{"x", x}, {"y", y}}, 8}, 1), "a step is given 1 batches, expected 2");
  EXPECT_EQ(give({{{"x", x}}, 8}), "input 'y' gets no data: there is no array of that name");
  EXPECT_EQ(give({{{"x", x}, {"y", y}, {"z", y}}, 8}), "there is no input 'z'");
  EXPECT_EQ(give({{{"x", x}, {"y", x}}, 8}), "input 'y' is tensor<8xui8>, a batch of the data is tensor<8x4xui8>");
  options.checkpointEvery = 2;
  EXPECT_EQ(message(*session).substr(0, 19), "--checkpoint-every ");
}

TEST(TrainOptions, FlagsSetThem) {
  TrainOptions options;
  for (auto [name, value] : {std::pair("data", "d"),
                             {"epochs", "3"},
                             {"batch-size", "64"},
                             {"learning-rate", "1e-3"},
                             {"accumulate", "4"},
                             {"last-batch", "pad"},
                             {"seed", "18446744073709551615"},
                             {"checkpoint", "c"},
                             {"resume", ""},
                             {"log", "l"},
                             {"quiet", "true"},
                             {"device", "x"},
                             {"threads", "2"},
                             {"checkpoint-every", "10"},
                             {"test-data", "t"}}) {
    Status set = setTrainFlag(options, name, value);
    EXPECT_TRUE(set.ok()) << set.message();
  }
  EXPECT_EQ(options.data, "d");
  EXPECT_EQ(options.epochs, 3u);
  EXPECT_EQ(options.batchSize, 64);
  EXPECT_EQ(options.learningRate, 1e-3);
  EXPECT_EQ(options.accumulate, 4u);
  EXPECT_EQ(options.lastBatch, LastBatch::Pad);
  EXPECT_EQ(options.seed, UINT64_MAX);
  EXPECT_TRUE(options.resume && options.quiet);
  EXPECT_EQ(setTrainFlag(options, "speed", "1").message(), "unknown flag --speed; did you mean 'seed'?");
  EXPECT_EQ(setTrainFlag(options, "epochs", "0").message(), "--epochs=0: expected at least 1");
  EXPECT_EQ(setTrainFlag(options, "epochs", "-1").message(), "--epochs=-1: '-1' is not a number that fits");
  EXPECT_EQ(setTrainFlag(options, "epochs", "1.5").message(), "--epochs=1.5: '1.5' is not a number that fits");
  EXPECT_EQ(setTrainFlag(options, "learning-rate", "nan").message(), "--learning-rate=nan: 'nan' is not finite");
  EXPECT_EQ(setTrainFlag(options, "data", "").message(), "--data=: needs a value");
}

/// What a skipped step takes is not what a step takes: its updates are left out.
TEST_F(Trainer, TimesKernelsOfStepsThatUpdate) {
  std::unique_ptr<Session> session = makeSession({.lossScale = 16777216});
  options.epochs = 1;
  options.log = folder / "log.jsonl";
  options.logKernels = 10;
  TrainResult result = run(*session);
  ASSERT_GT(result.skipped, 0u);
  EXPECT_EQ(result.timedSteps, result.steps - result.skipped);
  EXPECT_LE(result.fastSeconds, result.secondsPerStep);
  EXPECT_LE(result.secondsPerStep, result.slowSeconds);

  options.logKernels = 1; // the first steps are skipped
  std::set<uint64_t> skipped, timed;
  std::unique_ptr<Session> again = makeSession({.lossScale = 16777216});
  run(*again);
  for (const nlohmann::json &line : readLog(options.log))
    if (line.contains("kernels"))
      timed.insert(line["step"].get<uint64_t>());
    else if (line.value("found_inf", false))
      skipped.insert(line["step"].get<uint64_t>());
  ASSERT_FALSE(skipped.empty());
  EXPECT_EQ(timed.size() + skipped.size(), result.steps);
  for (uint64_t step : skipped)
    EXPECT_FALSE(timed.contains(step)) << step;

  options.logKernels = 20; // one more than a step has that is skipped
  std::unique_ptr<Session> late = makeSession({.lossScale = std::ldexp(1.0, 17 + 20)});
  run(*late);
  for (const nlohmann::json &line : readLog(options.log)) {
    if (line.contains("kernels")) {
      EXPECT_GT(line["step"], 20);
    }
  }
}

TEST_F(Trainer, ABenchmarkTimesStepsThatUpdate) {
  std::unique_ptr<Session> session = makeSession({.lossScale = 16777216});
  ASSERT_TRUE(session->initialize(0).ok());
  std::unique_ptr<Benchmark> benchmark = std::move(*Benchmark::create(*session, programs::trainStep, 0));
  ErrorOr<std::vector<std::vector<double>>> seconds = benchmark->timeCommands(2, 3);
  ASSERT_TRUE(seconds.ok()) << seconds.message();
  for (const std::vector<double> &ofCommand : *seconds)
    EXPECT_EQ(ofCommand.size(), 3u);
  EXPECT_GT(elementAt(*session->state("skipped_steps"), 0), 0);
  EXPECT_EQ(elementAt(*session->state("rng"), 1), 5); // steps that updated

  ASSERT_TRUE(session->setState("loss_scale", scalarTensor(ElementType::F32, 1e38)).ok());
  EXPECT_EQ(benchmark->timeCommands(0, 1).message(),
            "program train_step was skipped 65 times: gradients are not finite");
}
