// A program over a whole data set.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Training/Evaluator.h"
#include "Training/Data/Feed.h"
#include "Training/Scores.h"
#include "mp/Base/Names.h"

#include <algorithm>

using namespace mp;
using namespace mp::executable;

Status Evaluator::prepare(Session &session, Dataset testData, std::optional<int64_t> batchSize) {
  data = std::move(testData);
  // Training's batch where eval has it, else the one for so many rows.
  if (!batchSize || !session.select(programs::eval, *batchSize).ok())
    batchSize = session.batchFor(programs::eval, data.rows());
  ErrorOr<std::unique_ptr<ProgramRunner>> loaded = session.load(programs::eval, batchSize, kSlots);
  if (!loaded)
    return loaded.status();
  runner = std::move(*loaded);
  const VariantT &variant = runner->variant();
  ErrorOr<DataBinding> bound = bindDataset(data, variant, classesOf(session, variant));
  if (!bound)
    return bound.status();
  binding = *bound;
  bool hasLoss = std::any_of(variant.results.begin(), variant.results.end(),
                             [](const auto &r) { return r->kind == ResultKind::Loss && !r->batched; });
  if (hasLoss && !binding.weightArgument && data.rows() % static_cast<uint64_t>(variant.batch) != 0)
    return makeError("program eval has no row weights, and ", data.rows(), " rows do not fill batches of ",
                     variant.batch)
        .in(data.name);
  return Status::success();
}

ErrorOr<std::vector<Score>> Evaluator::run(const std::function<bool()> &shouldStop) {
  BatchOrder order;
  order.shuffle = false;
  order.pad = true;
  uint64_t batches = BatchLoader::batchesPerEpoch(data.rows(), static_cast<uint64_t>(runner->variant().batch), order);
  BatchLoader loader(data, binding, order);
  Scores scores(runner->variant());
  std::vector<uint64_t> rows; // of each batch
  auto readNext = [&](uint64_t index) { return scores.add(*runner, index % kSlots, rows[index]).status(); };
  for (uint64_t i = 0; i < batches; ++i) {
    if (shouldStop && shouldStop())
      break;
    if (i >= kSlots)
      if (Status read = readNext(i - kSlots); !read.ok())
        return read;
    const Batch &batch = loader.next();
    rows.push_back(batch.rows);
    if (Status set = setBatch(*runner, i % kSlots, binding, batch); !set.ok())
      return set;
    if (Status queued = runner->enqueue(i % kSlots); !queued.ok())
      return queued;
  }
  for (uint64_t queued = rows.size(), i = queued - std::min<uint64_t>(queued, kSlots); i < queued; ++i)
    if (Status read = readNext(i); !read.ok())
      return read;
  return rows.size() == batches ? scores.averages() : std::vector<Score>();
}

ErrorOr<std::vector<Score>> mp::evaluate(Session &session, const std::string &source,
                                         std::optional<int64_t> batchSize) {
  ErrorOr<Dataset> data = readDataset(source, DataPart::Test);
  return data ? evaluate(session, std::move(*data), batchSize) : data.status();
}

ErrorOr<std::vector<Score>> mp::evaluate(Session &session, Dataset data, std::optional<int64_t> batchSize) {
  Evaluator evaluator;
  if (Status prepared = evaluator.prepare(session, std::move(data), batchSize); !prepared.ok())
    return prepared;
  return evaluator.run();
}
