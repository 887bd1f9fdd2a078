// Which integers an input takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Training/Data/Classes.h"

#include "mp/Base/Names.h"

#include <charconv>
#include <cmath>

using namespace mp;
using namespace mp::executable;

Classes mp::classesOf(const Session &session, const VariantT &variant) {
  Classes classes;
  for (const auto &argument : variant.arguments) {
    const std::string *text =
        argument->kind == ArgumentKind::Input ? session.metadata(metadata::classesOf(argument->name)) : nullptr;
    int64_t count = 0;
    if (text && std::from_chars(text->data(), text->data() + text->size(), count).ec == std::errc())
      classes.emplace(argument->name, count);
  }
  return classes;
}

/// The error for an element that is none of the input's.
template <typename Element>
static Status refuse(const ArgumentT &input, Element element, uint64_t row, int64_t classes) {
  if (input.label)
    return makeError("label ", element, " of row ", row, " is out of range: input '", input.name, "' has ", classes,
                     " classes");
  return makeError("index ", element, " of row ", row, " is out of range: input '", input.name, "' takes 0 to ",
                   classes - 1);
}

Status mp::checkClasses(const ArgumentT &input, const TensorTypeT &type, std::span<const std::byte> bytes,
                        const Classes &classes) {
  auto known = classes.find(input.name);
  if (known == classes.end() || bytes.empty())
    return Status::success();
  const int64_t most = known->second;
  const uint64_t rows = type.shape.empty() ? 1 : static_cast<uint64_t>(type.shape[0]);
  HostTensor row{makeType(type.element, {}), {}}; // copied one by one: all of them may be large
  for (uint64_t i = 0; i < rows; ++i) {
    const auto own = bytes.subspan(i * (bytes.size() / rows), bytes.size() / rows);
    row.bytes.assign(own.begin(), own.end());
    for (uint64_t j = 0; j < row.count(); ++j)
      if (const double element = elementAt(row, j); !(element >= 0 && element < static_cast<double>(most)))
        return std::abs(element) < 0x1p53 ? refuse(input, static_cast<int64_t>(element), i, most)
                                          : refuse(input, element, i, most);
  }
  return Status::success();
}
