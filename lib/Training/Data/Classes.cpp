// Which integers an input takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Training/Data/Classes.h"

#include "mp/Base/Names.h"

#include <charconv>
#include <cmath>

using namespace mp;
using namespace mp::executable;

/// The greatest of the labels that mark rows that do not count: that of masks of bytes. PyTorch's is -100.
static constexpr double kGreatestMark = 255;

Classes mp::classesOf(const Session &session, const VariantT &variant) {
  Classes classes;
  auto numberAt = [&](const std::string &key) -> std::optional<int64_t> {
    const std::string *text = session.metadata(key);
    int64_t number = 0;
    if (!text || std::from_chars(text->data(), text->data() + text->size(), number).ec != std::errc())
      return std::nullopt;
    return number;
  };
  for (const auto &argument : variant.arguments) {
    if (argument->kind != ArgumentKind::Input)
      continue;
    if (std::optional<int64_t> count = numberAt(metadata::classesOf(argument->name)))
      classes.emplace(argument->name, ClassRange{*count, numberAt(metadata::ignoredOf(argument->name))});
  }
  return classes;
}

std::string ClassRange::describe(double label) const {
  std::string text = std::to_string(count) + " classes";
  if (ignored)
    return text + ", and the label " + std::to_string(*ignored) + " for rows that do not count";
  const bool isMark = (label < 0 && label >= -kGreatestMark) || label == kGreatestMark;
  if (!isMark)
    return text;
  return text + "; a loss with ignore_label=" + std::to_string(static_cast<int>(label)) + " leaves such rows out";
}

/// The error for an element that is none of the input's.
template <typename Element>
static Status refuse(const ArgumentT &input, Element element, uint64_t row, const ClassRange &classes) {
  if (input.label)
    return makeError("label ", element, " of row ", row, " is out of range: input '", input.name, "' has ",
                     classes.describe(static_cast<double>(element)));
  return makeError("index ", element, " of row ", row, " is out of range: input '", input.name, "' takes 0 to ",
                   classes.count - 1);
}

Status mp::checkClasses(const ArgumentT &input, const TensorTypeT &type, std::span<const std::byte> bytes,
                        const Classes &classes) {
  auto known = classes.find(input.name);
  if (known == classes.end() || bytes.empty())
    return Status::success();
  const ClassRange &range = known->second;
  const uint64_t rows = type.shape.empty() ? 1 : static_cast<uint64_t>(type.shape[0]);
  HostTensor row{makeType(type.element, {}), {}}; // copied one by one: all of them may be large
  for (uint64_t i = 0; i < rows; ++i) {
    const auto own = bytes.subspan(i * (bytes.size() / rows), bytes.size() / rows);
    row.bytes.assign(own.begin(), own.end());
    for (uint64_t j = 0; j < row.count(); ++j)
      if (const double element = elementAt(row, j); !range.has(element))
        return std::abs(element) < 0x1p53 ? refuse(input, static_cast<int64_t>(element), i, range)
                                          : refuse(input, element, i, range);
  }
  return Status::success();
}
