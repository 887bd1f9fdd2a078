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
  if (!image)
    return makeError("a data set has images and labels, the program has no input for images");
  binding.imageArgument = *image;
  binding.labelArgument = label;
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

static bool isFloat(ElementType element) {
  return element == ElementType::F16 || element == ElementType::BF16 || element == ElementType::F32 ||
         element == ElementType::F64;
}

/// Checks that a row of the data fills a row of the argument.
static Status checkRow(const ArgumentT &argument, const TensorTypeT &row) {
  const TensorTypeT &type = *argument.type;
  uint64_t rowCount = *elementCount(row);
  if (!argument.batched || type.shape.empty() || *elementCount(type) != rowCount * static_cast<uint64_t>(type.shape[0]))
    return makeError("input '", argument.name, "' is ", typeName(type), ", a row of the data is ", typeName(row));
  if (!isReshaped(row.shape, std::span(type.shape).subspan(1)))
    return makeError("input '", argument.name, "' is ", typeName(type), ", a row of the data is ", typeName(row),
                     ", whose last size is its colours");
  if ((type.element == ElementType::I1 && row.element != type.element) ||
      (row.element == ElementType::F32 && !isFloat(type.element)))
    return makeError("input '", argument.name, "' is ", typeName(type), ", the data are ",
                     row.element == ElementType::F32 ? "floats" : "bytes");
  return Status::success();
}

/// The greatest integer up to which every one is an element of that type, as a label.
static int64_t greatestLabel(ElementType element) {
  switch (element) {
  case ElementType::I1:
    return 1;
  case ElementType::UI8:
    return UINT8_MAX;
  case ElementType::I32:
    return INT32_MAX;
  case ElementType::F16:
    return int64_t(1) << 11;
  case ElementType::BF16:
    return int64_t(1) << 8;
  case ElementType::F32:
    return int64_t(1) << 24;
  case ElementType::I64: // a label passes through a double
  case ElementType::F64:
    return int64_t(1) << 53;
  }
  return 0;
}

/// Checks that every label is one of the classes, where they are known, and is an element of the argument.
static Status checkLabels(const Dataset &data, const ArgumentT &argument, const Classes &known) {
  auto found = known.find(argument.name);
  const int64_t greatest = greatestLabel(argument.type->element);
  const ClassRange classes = found == known.end() ? ClassRange{greatest + 1, {}} : found->second;
  auto bad = std::ranges::find_if(
      data.labels, [&](int64_t label) { return label > greatest || !classes.has(static_cast<double>(label)); });
  if (bad == data.labels.end())
    return Status::success();
  Status outOfRange = makeError("label ", *bad, " of row ", bad - data.labels.begin(), " is out of range: input '",
                                argument.name, "' ");
  if (classes.count <= greatest)
    return makeError(outOfRange.message(), "has ", classes.describe(static_cast<double>(*bad)));
  return makeError(outOfRange.message(), "is ", typeName(*argument.type), ", whose labels are 0 to ", greatest);
}

/// Checks that an array's rows are those of the argument.
static Status checkArray(const ArgumentT &argument, const DataArray &array) {
  const TensorTypeT &type = *argument.type;
  const TensorTypeT row = makeType(array.type.element, {array.type.shape.begin() + 1, array.type.shape.end()});
  if (Status fits = checkRow(argument, row); !fits.ok())
    return fits;
  if (type.element != row.element)
    return makeError("input '", argument.name, "' is ", typeName(type), ", a row of the data is ", typeName(row));
  return Status::success();
}

static Status bindArrays(const Dataset &data, const VariantT &variant, const Classes &classes, DataBinding &binding) {
  for (const DataArray &array : data.arrays) {
    auto named = [&](const auto &one) { return one->kind == ArgumentKind::Input && one->name == array.name; };
    auto found = std::ranges::find_if(variant.arguments, named);
    if (found == variant.arguments.end())
      return makeError("there is no input '", array.name, "'");
    if (Status fits = checkArray(**found, array); !fits.ok())
      return fits;
    if (Status known = checkClasses(**found, array.type, array.bytes, classes); !known.ok())
      return known;
    binding.arrays.push_back({static_cast<size_t>(found - variant.arguments.begin()), *(*found)->type});
  }
  for (const auto &argument : variant.arguments)
    if (argument->kind == ArgumentKind::Input &&
        std::ranges::none_of(data.arrays, [&](const DataArray &array) { return array.name == argument->name; }))
      return makeError("input '", argument->name, "' gets no data: there is no array of that name");
  return Status::success();
}

/// Row weights are the argument of that kind, where there is one.
static Status bindWeights(const VariantT &variant, DataBinding &binding) {
  for (size_t i = 0; i < variant.arguments.size(); ++i)
    if (variant.arguments[i]->kind == ArgumentKind::RowWeights)
      binding.weightArgument = i;
  if (!binding.weightArgument)
    return Status::success();
  const ArgumentT &weight = *variant.arguments[*binding.weightArgument];
  binding.weightType = *weight.type;
  return checkRow(weight, makeType(ElementType::UI8, {}));
}

DataBinding mp::bindInputs(const VariantT &variant) {
  DataBinding binding;
  for (size_t i = 0; i < variant.arguments.size(); ++i) {
    const ArgumentT &argument = *variant.arguments[i];
    if (argument.kind == ArgumentKind::Input)
      binding.arrays.push_back({i, *argument.type});
    else if (argument.kind == ArgumentKind::RowWeights)
      binding.weightArgument = i;
  }
  return binding;
}

ErrorOr<DataBinding> mp::bindDataset(const Dataset &data, const VariantT &variant, const Classes &classes) {
  DataBinding binding;
  if (Status bound = bindWeights(variant, binding); !bound.ok())
    return bound.in(data.name);
  if (!data.arrays.empty()) {
    if (Status bound = bindArrays(data, variant, classes, binding); !bound.ok())
      return bound.in(data.name);
    return binding;
  }
  if (Status found = findArguments(variant, binding); !found.ok())
    return found.in(data.name);
  const ArgumentT &image = *variant.arguments[binding.imageArgument];
  if (Status fits = checkRow(image, makeType(data.imageElement, data.imageShape)); !fits.ok())
    return fits.in(data.name);
  binding.imageType = *image.type;
  if (binding.labelArgument) {
    const ArgumentT &label = *variant.arguments[*binding.labelArgument];
    if (Status fits = checkRow(label, makeType(ElementType::UI8, {})); !fits.ok())
      return fits.in(data.name);
    if (Status known = checkLabels(data, label, classes); !known.ok())
      return known.in(data.name);
    binding.labelType = *label.type;
  }
  return binding;
}
