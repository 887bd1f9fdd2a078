// Where a data set goes in a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Training/Data/BatchLoader.h"

#include <algorithm>
#include <span>

using namespace mp;
using namespace mp::executable;

/// The arguments of a program that data are bound to; missing ones are an error.
static Status findArguments(const VariantT &variant, DataBinding &binding) {
  std::optional<size_t> image, label, second;
  for (size_t i = 0; i < variant.arguments.size(); ++i) {
    const ArgumentT &argument = *variant.arguments[i];
    if (argument.kind == ArgumentKind::RowWeights)
      binding.weightArgument = i;
    if (argument.kind != ArgumentKind::Input)
      continue;
    if (argument.label && !label)
      label = i;
    else if (!argument.label && !image)
      image = i;
    else if (!argument.label && !second)
      second = i;
    else
      return makeError("input '", argument.name, "' gets no data: a data set has images and labels");
  }
  if (!label)
    std::swap(label, second);
  if (second)
    return makeError("input '", variant.arguments[*second]->name, "' gets no data: a data set has images and labels");
  if (!image || !label)
    return makeError("a data set has images and labels, the program has no input for ", image ? "labels" : "images");
  binding.imageArgument = *image;
  binding.labelArgument = *label;
  return Status::success();
}

/// Sizes other than 1.
static std::vector<int64_t> withoutOnes(std::span<const int64_t> shape) {
  std::vector<int64_t> sizes(shape.begin(), shape.end());
  std::erase(sizes, 1);
  return sizes;
}

/// Whether an image's elements in their order are those of the argument's row. Grey and flat rows take any shape,
/// colours only their own or a flat one: [32, 32, 3] as [3, 32, 32] would be another image.
static bool isReshaped(const std::vector<int64_t> &image, std::span<const int64_t> row) {
  std::vector<int64_t> from = withoutOnes(image), to = withoutOnes(row);
  return from.size() < 3 || to.size() < 2 || from == to;
}

/// Checks that a row of the data fills a row of the argument.
static Status checkRow(const ArgumentT &argument, const std::vector<int64_t> &rowShape) {
  const TensorTypeT &type = *argument.type;
  uint64_t rowCount = *elementCount(makeType(ElementType::UI8, rowShape));
  if (!argument.batched || type.shape.empty() || *elementCount(type) != rowCount * static_cast<uint64_t>(type.shape[0]))
    return makeError("input '", argument.name, "' is ", typeName(type), ", a row of the data is ",
                     typeName(makeType(ElementType::UI8, rowShape)));
  if (!isReshaped(rowShape, std::span(type.shape).subspan(1)))
    return makeError("input '", argument.name, "' is ", typeName(type), ", a row of the data is ",
                     typeName(makeType(ElementType::UI8, rowShape)), ", whose last size is its colours");
  if (type.element == ElementType::I1)
    return makeError("input '", argument.name, "' is ", typeName(type), ", the data are bytes");
  return Status::success();
}

ErrorOr<DataBinding> mp::bindDataset(const Dataset &data, const VariantT &variant, std::optional<int64_t> classes) {
  DataBinding binding;
  if (Status found = findArguments(variant, binding); !found.ok())
    return found.in(data.name);
  const ArgumentT &image = *variant.arguments[binding.imageArgument];
  const ArgumentT &label = *variant.arguments[binding.labelArgument];
  if (Status fits = checkRow(image, data.imageShape); !fits.ok())
    return fits.in(data.name);
  if (Status fits = checkRow(label, {}); !fits.ok())
    return fits.in(data.name);
  if (classes)
    for (uint64_t row = 0; row < data.rows(); ++row)
      if (data.labels[row] >= *classes)
        return makeError("label ", unsigned(data.labels[row]), " of row ", row, " is out of range: input '", label.name,
                         "' has ", *classes, " classes")
            .in(data.name);
  binding.imageType = *image.type;
  binding.labelType = *label.type;
  if (binding.weightArgument) {
    const ArgumentT &weight = *variant.arguments[*binding.weightArgument];
    if (Status fits = checkRow(weight, {}); !fits.ok())
      return fits.in(data.name);
    binding.weightType = *weight.type;
  }
  return binding;
}
