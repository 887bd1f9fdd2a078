// From data sets to programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Training/Data/Feed.h"

#include "mp/Base/Names.h"

#include <charconv>

using namespace mp;
using namespace mp::executable;

std::optional<int64_t> mp::classesOf(const Session &session, const VariantT &variant) {
  for (const auto &argument : variant.arguments) {
    const std::string *text =
        argument->kind == ArgumentKind::Input ? session.metadata(metadata::classesOf(argument->name)) : nullptr;
    int64_t classes = 0;
    if (text && std::from_chars(text->data(), text->data() + text->size(), classes).ec == std::errc())
      return classes;
  }
  return std::nullopt;
}

Status mp::setBatch(ProgramRunner &runner, unsigned slot, const DataBinding &binding, const Batch &batch) {
  for (size_t i = 0; i < binding.arrays.size(); ++i)
    if (Status set = runner.setArgument(slot, binding.arrays[i].argument, batch.arrays[i]); !set.ok())
      return set;
  if (binding.arrays.empty()) {
    if (Status set = runner.setArgument(slot, binding.imageArgument, batch.images); !set.ok())
      return set;
    if (binding.labelArgument)
      if (Status set = runner.setArgument(slot, *binding.labelArgument, batch.labels); !set.ok())
        return set;
  }
  if (!binding.weightArgument)
    return Status::success();
  return runner.setArgument(slot, *binding.weightArgument, batch.weights);
}
