// A tensor as a user writes it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Runtime/Tensors/Tensor.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

using namespace mp;

/// "2x3xf32" as a type. An element type has no 'x' in its name, so the last part is it.
static ErrorOr<TensorTypeT> parseType(std::string_view text) {
  TensorTypeT type;
  std::string_view rest = text;
  for (size_t at; (at = rest.find('x')) != std::string_view::npos; rest.remove_prefix(at + 1)) {
    int64_t size = -1;
    const std::string_view part = rest.substr(0, at);
    auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), size);
    if (error != std::errc() || end != part.data() + part.size() || size < 0)
      return makeError("'", part, "' in type '", text, "' is not a size");
    type.shape.push_back(size);
  }
  std::optional<ElementType> element = parseElementName(rest);
  if (!element)
    return makeError("'", rest, "' in type '", text, "' is not an element type");
  type.element = *element;
  return type;
}

/// Writes one word as an element; false if it is no number of that type.
static bool storeWord(HostTensor &tensor, uint64_t index, const std::string &word) {
  ElementType element = tensor.type.element;
  if (element == ElementType::I1 && (word == "true" || word == "false")) {
    storeElement(tensor.bytes, element, index, word == "true");
    return true;
  }
  char *end = nullptr;
  errno = 0;
  if (element == ElementType::I64) {
    long long value = std::strtoll(word.c_str(), &end, 10);
    tensor.values<int64_t>()[index] = value;
    return *end == 0 && errno == 0;
  }
  double value = std::strtod(word.c_str(), &end);
  if (*end != 0 || end == word.c_str())
    return false;
  storeElement(tensor.bytes, element, index, value);
  bool isInteger = element == ElementType::I1 || element == ElementType::UI8 || element == ElementType::I32;
  return !isInteger || elementAt(tensor, index) == value;
}

ErrorOr<HostTensor> mp::parseTensor(std::string_view text) {
  size_t equals = text.find('=');
  if (equals == std::string_view::npos)
    return makeError("expected TYPE=VALUES such as 2x2xf32=1 2 3 4, found '", text, "'");
  ErrorOr<TensorTypeT> type = parseType(text.substr(0, equals));
  if (!type)
    return type.status();

  constexpr std::string_view kBlanks = " ,\t\n";
  std::vector<std::string> words;
  for (size_t at = text.find_first_not_of(kBlanks, equals + 1); at != std::string_view::npos;) {
    size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = text.find_first_not_of(kBlanks, end);
  }

  std::optional<uint64_t> count = elementCount(*type);
  if (!count || (words.size() != *count && words.size() != 1))
    return makeError(typeName(*type), " is given ", words.size(), " values");
  ErrorOr<HostTensor> tensor = zeroTensor(*type);
  if (!tensor)
    return tensor;
  for (uint64_t i = 0; i < *count; ++i) {
    const std::string &word = words.size() == 1 ? words.front() : words[i];
    if (!storeWord(*tensor, i, word))
      return makeError("'", word, "' is not of type ", elementName(type->element));
  }
  return tensor;
}

std::string mp::formatTensor(const HostTensor &tensor) {
  std::string text;
  for (int64_t size : tensor.type.shape)
    text += std::to_string(size) + "x";
  text += elementName(tensor.type.element);
  text += '=';
  for (uint64_t i = 0; i < tensor.count(); ++i) {
    if (i)
      text += ' ';
    if (tensor.type.element == ElementType::I64) {
      text += std::to_string(tensor.values<int64_t>()[i]);
      continue;
    }
    double value = elementAt(tensor, i);
    char digits[64];
    // The shortest digits of the narrower types are those of a float, which holds them exactly.
    std::to_chars_result end = tensor.type.element == ElementType::F64
                                   ? std::to_chars(digits, digits + sizeof(digits), value)
                                   : std::to_chars(digits, digits + sizeof(digits), static_cast<float>(value));
    if (tensor.type.element == ElementType::I32)
      end = std::to_chars(digits, digits + sizeof(digits), static_cast<int32_t>(value));
    text.append(digits, end.ptr);
  }
  return text;
}
