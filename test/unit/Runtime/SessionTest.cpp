// Tests of Session.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Runtime/Core/Session.h"
#include "Runtime/TinyModel.h"
#include "mp/Devices/CPU/CPUDevice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

using namespace mp;
using namespace mp::test;

static std::unique_ptr<Session> makeSession(const TinyModelOptions &options = {}, unsigned threads = 1) {
  ErrorOr<std::unique_ptr<Device>> device = createCPUDevice({threads});
  EXPECT_TRUE(device.ok()) << device.message();
  ErrorOr<std::unique_ptr<Session>> session = Session::create(loadTinyModel(options), std::move(*device));
  EXPECT_TRUE(session.ok()) << session.message();
  EXPECT_TRUE((*session)->initialize(7).ok());
  return std::move(*session);
}

/// `rows` images with pixel p of row r equal to 10 r + p.
static HostTensor makeImages(int64_t rows) {
  HostTensor images = *zeroTensor(makeType(ElementType::UI8, {rows, 4}));
  for (uint64_t i = 0; i < images.count(); ++i) {
    const uint64_t row = i / 4, pixel = i % 4;
    storeElement(images.bytes, ElementType::UI8, i, double(10 * row + pixel));
  }
  return images;
}

/// x * 1/255 * w in the order of the kernel.
static float expectedLogit(const HostTensor &images, const HostTensor &w, uint64_t row, uint64_t column) {
  float sum = 0;
  for (uint64_t i = 0; i < 4; ++i)
    sum += float(images.values<uint8_t>()[row * 4 + i]) * (1.0f / 255) * w.values<float>()[i * 3 + column];
  return sum;
}

TEST(Session, InfersOneBatch) {
  std::unique_ptr<Session> session = makeSession();
  HostTensor images = makeImages(8);
  ErrorOr<NamedTensors> results = session->run("infer", {{"x", images}});
  ASSERT_TRUE(results.ok()) << results.message();
  ASSERT_EQ(results->size(), 1u);
  EXPECT_EQ(results->front().name, "logits");
  HostTensor w = *session->state("dense.kernel");
  for (uint64_t i = 0; i < 24; ++i)
    EXPECT_EQ(results->front().tensor.values<float>()[i], expectedLogit(images, w, i / 3, i % 3));
}

TEST(Session, InfersAnyNumberOfRows) {
  std::unique_ptr<Session> session = makeSession();
  for (int64_t rows : {1, 7, 9, 20}) {
    HostTensor images = makeImages(rows);
    ErrorOr<NamedTensors> results = session->run("infer", {{"x", images}});
    ASSERT_TRUE(results.ok()) << results.message();
    const HostTensor &logits = results->front().tensor;
    ASSERT_EQ(logits.type, makeType(ElementType::F32, {rows, 3}));
    HostTensor w = *session->state("dense.kernel");
    for (uint64_t i = 0; i < logits.count(); ++i)
      EXPECT_EQ(logits.values<float>()[i], expectedLogit(images, w, i / 3, i % 3));
  }
}

TEST(Session, ThreadsChangeNoBit) {
  std::unique_ptr<Session> one = makeSession({}, 1);
  std::unique_ptr<Session> three = makeSession({}, 3);
  HostTensor labels = *zeroTensor(makeType(ElementType::UI8, {8}));
  for (int step = 0; step < 20; ++step) {
    NamedTensors inputs = {{"x", makeImages(8)}, {"y", labels}};
    ErrorOr<NamedTensors> first = one->run("train_step", inputs);
    ErrorOr<NamedTensors> second = three->run("train_step", inputs);
    ASSERT_TRUE(first.ok() && second.ok());
    for (size_t i = 0; i < first->size(); ++i)
      EXPECT_EQ((*first)[i].tensor.bytes, (*second)[i].tensor.bytes);
  }
  EXPECT_EQ(one->state("dense.kernel")->bytes, three->state("dense.kernel")->bytes);
  EXPECT_NE(one->state("dense.kernel")->bytes, makeSession()->state("dense.kernel")->bytes);
}

TEST(Session, PadsEvaluationWithoutWeight) {
  std::unique_ptr<Session> session = makeSession();
  HostTensor images = makeImages(11);
  HostTensor labels = *zeroTensor(makeType(ElementType::UI8, {11}));
  ErrorOr<NamedTensors> results = session->run("eval", {{"x", images}, {"y", labels}});
  ASSERT_TRUE(results.ok()) << results.message();
  HostTensor w = *session->state("dense.kernel");
  double loss = 0;
  for (uint64_t i = 0; i < 33; ++i) {
    double difference = expectedLogit(images, w, i / 3, i % 3) - (i % 3 == 0);
    loss += difference * difference / 2 / 11;
  }
  EXPECT_NEAR(elementAt(*findTensor(*results, "loss"), 0), loss, 1e-6);
  EXPECT_EQ(findTensor(*results, "accuracy")->type, makeType(ElementType::F32, {11}));
}

TEST(Session, PrefersTheSmallestBatchThatHoldsTheRows) {
  std::unique_ptr<Session> session = makeSession({.batches = {8, 2, 32}});
  EXPECT_EQ((*session->select("infer", 2))->batch, 2);
  EXPECT_EQ((*session->select("infer", 32))->batch, 32);
  uint64_t before = session->residentBytes();
  ASSERT_TRUE(session->run("infer", {{"x", makeImages(2)}}).ok());
  // x 2x4, logits 2x3xf32, arena the same and the constants blob's 33 words of 64 bytes.
  EXPECT_EQ(session->residentBytes() - before, 8u + 24u + 64u + 33u * 64u);
}

TEST(Session, TakesTheLargestBatchWhereNobodySaysOne) {
  std::unique_ptr<Session> session = makeSession({.batches = {8, 2, 32}});
  EXPECT_EQ((*session->select("infer"))->batch, 32);
  EXPECT_EQ(session->batches("infer"), (std::vector<int64_t>{2, 8, 32}));
  EXPECT_EQ(session->batches("nothing"), std::vector<int64_t>());
  for (auto [rows, batch] : std::map<uint64_t, int64_t>{{1, 2}, {2, 2}, {3, 8}, {32, 32}, {33, 32}})
    EXPECT_EQ(session->batchFor("infer", rows), batch) << rows;
}

/// The model with values of its kernel, all of them 0.5.
static std::shared_ptr<const LoadedExecutable> loadWithValues() {
  std::shared_ptr<const LoadedExecutable> file = loadTinyModel();
  for (const auto &entry : file->table.state)
    if (entry->role == executable::StateRole::Parameter) {
      const std::vector<float> halves(*elementCount(*entry->type), 0.5F);
      ErrorOr<FileBytes> stored =
          serializeWithValues(*file, {{entry->name, *entry->type, std::as_bytes(std::span(halves))}});
      EXPECT_TRUE(stored) << stored.message();
      return std::make_shared<const LoadedExecutable>(std::move(*readExecutable(stored->span())));
    }
  return file;
}

TEST(Session, StartsFromTheValuesOfTheFile) {
  std::unique_ptr<Session> plain = makeSession();
  ASSERT_TRUE(plain->initialize(7).ok());
  ErrorOr<std::unique_ptr<Device>> device = createCPUDevice({1});
  ASSERT_TRUE(device.ok()) << device.message();
  std::unique_ptr<Session> session = std::move(*Session::create(loadWithValues(), std::move(*device)));
  EXPECT_EQ(session->storedStates(), 1u);
  EXPECT_EQ(plain->storedStates(), 0u);
  for (FirstValues from : {FirstValues::Stored, FirstValues::Initializers}) {
    ASSERT_TRUE(session->initialize(7, from).ok());
    for (const auto &entry : session->table().state) {
      HostTensor value = *session->state(entry->name);
      if (entry->values < 0 || from == FirstValues::Initializers) {
        EXPECT_EQ(value.bytes, plain->state(entry->name)->bytes) << entry->name;
        continue;
      }
      for (uint64_t i = 0; i < value.count(); ++i)
        EXPECT_EQ(elementAt(value, i), 0.5);
    }
  }
}

TEST(Session, SaysWhatIsWrongWithInputs) {
  std::unique_ptr<Session> session = makeSession();
  auto message = [&](const char *program, const NamedTensors &inputs) {
    return session->run(program, inputs).message();
  };
  EXPECT_EQ(message("infer", {}), "input 'x' of program infer is missing");
  EXPECT_EQ(message("infer", {{"z", makeImages(8)}}), "program infer has no input 'z'; its inputs: 'x'");
  EXPECT_EQ(message("infer", {{"x", makeImages(8)}, {"x", makeImages(8)}}), "input 'x' is given twice");
  EXPECT_EQ(message("infer", {{"x", scalarTensor(ElementType::F32, 1)}}),
            "input 'x' is tensor<f32>, expected tensor<?x4xui8>");
  EXPECT_EQ(message("infer", {{"x", *zeroTensor(makeType(ElementType::UI8, {8, 5}))}}),
            "input 'x' is tensor<8x5xui8>, expected tensor<?x4xui8>");
  EXPECT_EQ(message("infer", {{"x", makeImages(0)}}), "input 'x' has no rows");
  HostTensor labels = *zeroTensor(makeType(ElementType::UI8, {7}));
  EXPECT_EQ(message("eval", {{"x", makeImages(8)}, {"y", labels}}), "input 'y' has 7 rows, input 'x' has 8");
  EXPECT_EQ(message("train_step", {{"x", makeImages(7)}, {"y", labels}}),
            "program train_step changes state and takes exactly one batch: it has code for batch 8, given 7 rows");
  EXPECT_EQ(message("predict", {}), "the executable does not have program predict; it has train_step, eval, infer");
}

TEST(Session, SaysWhyNoVariantFits) {
  std::unique_ptr<Session> session = makeSession();
  EXPECT_EQ(session->select("infer", 9).message(),
            "program infer does not have code for batch 9; it has it for batch 8");
  EXPECT_EQ(makeSession({.batches = {8, 2, 32}})->select("infer", 9).message(),
            "program infer does not have code for batch 9; it has it for batches 2, 8, 32");
  auto refusal = [](const TinyModelOptions &options) {
    auto file = std::const_pointer_cast<LoadedExecutable>(loadTinyModel(options));
    std::erase_if(file->table.programs, [](const auto &program) { return program->name != "infer"; });
    return Session::create(file, std::move(*createCPUDevice({1}))).message();
  };
  std::string both = refusal({.batches = {8, 2}, .features = {"quantum"}});
  EXPECT_NE(both.find("variant for cpu:quantum and batches 8, 2: needs quantum"), std::string::npos) << both;
  std::string message = refusal({.features = {"sse2", "quantum"}});
  EXPECT_NE(message.find("needs quantum, which device cpu ("), std::string::npos) << message;
  EXPECT_NE(message.find(") has not; compile for what it has"), std::string::npos) << message;
}

/// The model with a state that waits for `apply`, of random first values, where it has that program.
static std::unique_ptr<Session> makeWaiting(bool accumulate, bool isKept) {
  TinyModel model = makeTinyModel({.accumulate = accumulate, .moreState = true});
  auto &table = model.table.state;
  auto found = std::find_if(table.begin(), table.end(), [](const auto &entry) { return entry->name == "user.scalar"; });
  (*found)->initializer->kind = executable::InitializerKind::Uniform;
  (*found)->initializer->b = 1;
  auto pending = std::make_unique<executable::StateEntryT>(**found);
  pending->name = "user.scalar/pending";
  pending->training = isKept;
  pending->beside = isKept ? "user.scalar" : "";
  table.push_back(std::move(pending));
  ErrorOr<FileBytes> bytes = serializeExecutable(std::move(model.table), model.blobs);
  EXPECT_TRUE(bytes.ok()) << bytes.message();
  ErrorOr<LoadedExecutable> loaded = readExecutable(bytes->span());
  EXPECT_TRUE(loaded.ok()) << loaded.message();
  return std::move(
      *Session::create(std::make_shared<const LoadedExecutable>(std::move(*loaded)), std::move(*createCPUDevice({1}))));
}

TEST(Session, WhatWaitsIsACopyOfWhatIsSet) {
  auto number = [](double value) { return scalarTensor(ElementType::F32, value); };
  for (auto [accumulate, isKept] : {std::pair(true, true), {true, false}, {false, true}}) {
    std::unique_ptr<Session> session = makeWaiting(accumulate, isKept);
    const bool waits = accumulate && isKept; // else it is a state of the model's own, with a name like that
    auto values = [&] {
      return std::pair(elementAt(*session->state("user.scalar"), 0),
                       elementAt(*session->state("user.scalar/pending"), 0));
    };
    ASSERT_TRUE(session->initialize(3).ok());
    auto [own, waiting] = values();
    EXPECT_EQ(own == waiting, waits);
    ASSERT_TRUE(session->setState("user.scalar", number(5)).ok());
    EXPECT_EQ(values(), std::pair(5.0, waits ? 5.0 : waiting));
    ASSERT_TRUE(session->setState({{"user.scalar", number(6)}, {"loss_scale", number(1)}}).ok());
    EXPECT_EQ(values(), std::pair(6.0, waits ? 6.0 : waiting));
    // A checkpoint says both.
    ASSERT_TRUE(session->setState({{"user.scalar/pending", number(8)}, {"user.scalar", number(7)}}).ok());
    EXPECT_EQ(values(), std::pair(7.0, 8.0));
    ASSERT_TRUE(session->setState("user.scalar/pending", number(9)).ok());
    EXPECT_EQ(values(), std::pair(7.0, 9.0));
  }
}

TEST(Session, ChecksStateThatIsSet) {
  std::unique_ptr<Session> session = makeSession();
  ASSERT_TRUE(session->setState("learning_rate", scalarTensor(ElementType::F32, 0.25)).ok());
  EXPECT_EQ(elementAt(*session->state("learning_rate"), 0), 0.25);
  EXPECT_EQ(session->setState("learning_rate", scalarTensor(ElementType::F64, 1)).message(),
            "state 'learning_rate' is tensor<f32>, given tensor<f64>");
  EXPECT_EQ(session->setState("speed", scalarTensor(ElementType::F32, 1)).message(),
            "the executable does not have state 'speed'");
  EXPECT_EQ(session->state("rng")->values<int64_t>()[0], 7);
}
