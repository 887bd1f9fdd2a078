// Batches that a caller makes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Training/Data/BatchSource.h"

#include <algorithm>

using namespace mp;
using namespace mp::executable;

ErrorOr<Batch> GivenBatches::fill(GivenBatch given) const {
  Batch batch;
  batch.rows = given.rows;
  size_t used = 0;
  auto take = [&](const ArgumentT &argument) -> ErrorOr<std::vector<std::byte>> {
    auto found = std::ranges::find(given.inputs, argument.name, &NamedTensor::name);
    if (found == given.inputs.end())
      return makeError("input '", argument.name, "' gets no data: there is no array of that name");
    if (found->tensor.type != *argument.type)
      return makeError("input '", argument.name, "' is ", typeName(*argument.type), ", a batch of the data is ",
                       typeName(found->tensor.type));
    if (Status known = checkClasses(argument, found->tensor.type, found->tensor.bytes, classes); !known.ok())
      return known;
    used += 1;
    return std::move(found->tensor.bytes);
  };
  for (const ArrayBinding &array : binding.arrays) {
    ErrorOr<std::vector<std::byte>> bytes = take(*variant.arguments[array.argument]);
    if (!bytes)
      return bytes.status();
    batch.arrays.push_back(std::move(*bytes));
  }
  if (binding.weightArgument) {
    ErrorOr<std::vector<std::byte>> bytes = take(*variant.arguments[*binding.weightArgument]);
    if (!bytes)
      return bytes.status();
    batch.weights = std::move(*bytes);
  }
  if (used == given.inputs.size())
    return batch;
  for (const NamedTensor &input : given.inputs)
    if (std::ranges::none_of(variant.arguments, [&](const auto &argument) {
          return argument->kind != ArgumentKind::State && argument->name == input.name;
        }))
      return makeError("there is no input '", input.name, "'");
  return makeError("an array is given twice");
}

ErrorOr<bool> GivenBatches::startStep() {
  ErrorOr<std::vector<GivenBatch>> given = nextStep();
  if (!given)
    return given.status();
  batches.clear();
  taken = 0;
  if (!given->empty() && given->size() != microBatches)
    return makeError("a step is given ", given->size(), " batches, expected ", microBatches);
  for (GivenBatch &one : *given) {
    ErrorOr<Batch> filled = fill(std::move(one));
    if (!filled)
      return filled.status();
    batches.push_back(std::move(*filled));
  }
  return !batches.empty();
}
