// From data sets to programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Training/Data/Feed.h"

using namespace mp;
using namespace mp::executable;

/// Calls `set` with each argument of a batch.
template <typename Set> static Status forEachArgument(const DataBinding &binding, const Batch &batch, Set set) {
  for (size_t i = 0; i < binding.arrays.size(); ++i)
    if (Status done = set(binding.arrays[i].argument, batch.arrays[i]); !done.ok())
      return done;
  if (binding.arrays.empty()) {
    if (Status done = set(binding.imageArgument, batch.images); !done.ok())
      return done;
    if (binding.labelArgument)
      if (Status done = set(*binding.labelArgument, batch.labels); !done.ok())
        return done;
  }
  return binding.weightArgument ? set(*binding.weightArgument, batch.weights) : Status::success();
}

NamedTensors mp::nameBatch(const VariantT &variant, const DataBinding &binding, const Batch &batch) {
  NamedTensors tensors;
  (void)forEachArgument(binding, batch, [&](size_t index, const std::vector<std::byte> &bytes) {
    const ArgumentT &argument = *variant.arguments[index];
    tensors.push_back({argument.name, {*argument.type, bytes}});
    return Status::success();
  });
  return tensors;
}

Status mp::setBatch(ProgramRunner &runner, unsigned slot, const DataBinding &binding, const Batch &batch) {
  return forEachArgument(binding, batch, [&](size_t index, const std::vector<std::byte> &bytes) {
    return runner.setArgument(slot, index, bytes);
  });
}
