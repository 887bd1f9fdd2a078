// NumPy's array files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Runtime/Tensors/Npy.h"
#include "mp/Base/Expecting.h"
#include "mp/Base/Text.h"
#include "mp/Runtime/Tensors/Files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

using namespace mp;

static constexpr std::string_view kMagic = "\x93NUMPY";

namespace {

struct TypeRow {
  const char *name; // as numpy.dtype.str writes it
  ElementType element;
};

struct IntegerRow {
  const char *name;
  unsigned bytes;
  bool isSigned;
};

/// The parts of the header's dictionary, and what comes behind it.
struct Array {
  std::string_view type; // up to the next comma, with its quotes
  bool columnMajor = false;
  std::vector<int64_t> shape;
  std::span<const std::byte> data;
};

} // namespace

/// The first row of an element type is how it is written.
static constexpr TypeRow kTypes[] = {
    {"|b1", ElementType::I1},  {"|u1", ElementType::UI8}, {"<i4", ElementType::I32},
    {"<i8", ElementType::I64}, {"<f2", ElementType::F16}, {"<V2", ElementType::BF16},
    {"<f4", ElementType::F32}, {"<f8", ElementType::F64}, {"|V2", ElementType::BF16},
};

static constexpr IntegerRow kIntegers[] = {
    {"|u1", 1, false}, {"<u2", 2, false}, {"<u4", 4, false}, {"<u8", 8, false},
    {"|i1", 1, true},  {"<i2", 2, true},  {"<i4", 4, true},  {"<i8", 8, true},
};

/// The row of a type as the header writes it, in quotes; null where there is none.
template <typename Row, size_t count> static const Row *findType(const Row (&rows)[count], std::string_view type) {
  const Row *row = std::find_if(std::begin(rows), std::end(rows), [&](const Row &row) {
    return type.find(row.name) == 1 && type.size() >= 5 && type[0] == '\'' && type[4] == '\'';
  });
  return row == std::end(rows) ? nullptr : row;
}

/// What stands behind 'key': in the dictionary, without leading blanks.
static ErrorOr<std::string_view> valueOf(std::string_view text, std::string_view key) {
  std::string quoted = "'" + std::string(key) + "'";
  size_t at = text.find(quoted);
  if (at == std::string_view::npos)
    return makeError("header does not have ", quoted);
  at = text.find_first_not_of(" :", at + quoted.size());
  if (at == std::string_view::npos)
    return makeError("header does not have a value of ", quoted);
  return text.substr(at);
}

/// "(2, 3), ..." as sizes.
static ErrorOr<std::vector<int64_t>> parseShape(std::string_view text) {
  size_t close = text.find(')');
  if (text.empty() || text.front() != '(' || close == std::string_view::npos)
    return makeError("header does not have a tuple as shape");
  std::string_view rest = text.substr(1, close - 1);
  std::vector<int64_t> shape;
  constexpr size_t kMostDimensions = 64; // as NumPy
  while (!(rest = rest.substr(std::min(rest.find_first_not_of(" ,"), rest.size()))).empty()) {
    int64_t size = -1;
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    if (error != std::errc() || size < 0)
      return makeError("shape ", printable(text.substr(0, close + 1)), " has no sizes");
    if (shape.size() == kMostDimensions)
      return makeError("shape has more than ", kMostDimensions, " dimensions");
    shape.push_back(size);
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
  }
  return shape;
}

static ErrorOr<Array> parseHeader(std::string_view text) {
  ErrorOr<std::string_view> type = valueOf(text, "descr");
  ErrorOr<std::string_view> order = valueOf(text, "fortran_order");
  ErrorOr<std::string_view> shapeText = valueOf(text, "shape");
  for (const ErrorOr<std::string_view> *part : {&type, &order, &shapeText})
    if (!*part)
      return part->status();

  Array array;
  array.type = type->substr(0, std::min(type->find_first_of(",}"), type->size()));
  if (array.type.starts_with("'|O"))
    return makeError("holds Python objects, which are a pickle and are never opened");
  array.columnMajor = order->starts_with("True");
  if (!array.columnMajor && !order->starts_with("False"))
    return makeError("fortran_order is not True or False");
  ErrorOr<std::vector<int64_t>> shape = parseShape(*shapeText);
  if (!shape)
    return shape.status();
  array.shape = std::move(*shape);
  return array;
}

/// Row-major elements from column-major ones, whose first index runs fastest.
static void transpose(HostTensor &tensor, std::span<const std::byte> source) {
  uint64_t size = elementBytes(tensor.type.element);
  const std::vector<int64_t> &shape = tensor.type.shape;
  std::vector<int64_t> index(shape.size(), 0);
  for (uint64_t from = 0; from < tensor.count(); ++from) {
    uint64_t to = 0;
    for (size_t d = 0; d < shape.size(); ++d)
      to = to * static_cast<uint64_t>(shape[d]) + static_cast<uint64_t>(index[d]);
    std::memcpy(tensor.bytes.data() + to * size, source.data() + from * size, size);
    for (size_t d = 0; d < shape.size() && ++index[d] == shape[d]; ++d)
      index[d] = 0;
  }
}

/// The parts of a file, whose type and size are not looked at.
static ErrorOr<Array> parseFile(std::span<const std::byte> bytes) {
  constexpr size_t kFixed = 8; // magic and version
  if (bytes.size() < kFixed + 2 || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
    return makeError("not an .npy file");
  unsigned version = std::to_integer<unsigned>(bytes[6]);
  if (version < 1 || version > 3)
    return makeError("version ", version, " of .npy is not supported; expected 1.0, 2.0 or 3.0");
  // Version 1 has 2 bytes of header length, the later ones have 4.
  size_t lengthBytes = version == 1 ? 2 : 4;
  if (bytes.size() < kFixed + lengthBytes)
    return makeError("header is truncated");
  uint32_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= std::to_integer<uint32_t>(bytes[kFixed + i]) << (8 * i);
  std::span<const std::byte> rest = bytes.subspan(kFixed + lengthBytes);
  if (length > rest.size())
    return makeError("header of ", length, " bytes is truncated to ", rest.size());
  ErrorOr<Array> array = parseHeader({reinterpret_cast<const char *>(rest.data()), length});
  if (array)
    array->data = rest.subspan(length);
  return array;
}

ErrorOr<HostTensor> mp::parseNpy(std::span<const std::byte> bytes) {
  ErrorOr<Array> array = parseFile(bytes);
  if (!array)
    return array.status();
  const TypeRow *row = findType(kTypes, array->type);
  if (!row)
    return makeError("element type ", printable(array->type),
                     " is not supported; expected |b1, |u1, <i4, <i8, <f2, <f4, <f8 or V2 (bf16)");
  TensorTypeT type = makeType(row->element, array->shape);
  std::span<const std::byte> data = array->data;
  std::optional<uint64_t> expected = byteCount(type);
  if (!expected || *expected != data.size())
    return makeError(typeName(type), " has ", expected ? std::to_string(*expected) : "too many",
                     " bytes, the file holds ", data.size());
  ErrorOr<HostTensor> tensor = zeroTensor(type);
  if (!tensor)
    return tensor;
  std::copy(data.begin(), data.end(), tensor->bytes.begin());
  if (type.element == ElementType::I1)
    for (std::byte &value : tensor->bytes)
      value = std::byte(value != std::byte(0));
  if (array->columnMajor)
    transpose(*tensor, data);
  return tensor;
}

/// A little-endian integer; the same bits where it has no sign and 64 bits.
static int64_t integerOf(std::span<const std::byte> bytes, bool isSigned) {
  uint64_t bits = isSigned && (bytes.back() & std::byte(0x80)) != std::byte(0) ? UINT64_MAX : 0;
  for (size_t i = bytes.size(); i-- > 0;)
    bits = bits << 8 | std::to_integer<uint64_t>(bytes[i]);
  return static_cast<int64_t>(bits);
}

ErrorOr<HostTensor> mp::parseNpyIntegers(std::span<const std::byte> bytes) {
  ErrorOr<Array> array = parseFile(bytes);
  if (!array)
    return array.status();
  const IntegerRow *row = findType(kIntegers, array->type);
  if (!row)
    return makeError("element type ", printable(array->type),
                     " is not supported; expected integers: ", "|u1, |i1, <u2, <i2, <u4, <i4, <u8 or <i8");
  TensorTypeT type = makeType(ElementType::I64, array->shape);
  std::optional<uint64_t> count = elementCount(type);
  if (!count || *count > array->data.size() || *count * row->bytes != array->data.size())
    return makeError("shape of ", typeName(type), " does not fit ", array->data.size(), " bytes of ", row->name);
  ErrorOr<HostTensor> tensor = zeroTensor(type);
  if (!tensor)
    return tensor;
  std::span<int64_t> values = tensor->values<int64_t>();
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = integerOf(array->data.subspan(i * row->bytes, row->bytes), row->isSigned);
    if (!row->isSigned && values[i] < 0)
      return makeError("element ", i, " is ", static_cast<uint64_t>(values[i]), ", expected at most ", INT64_MAX);
  }
  if (array->columnMajor) {
    const std::vector<std::byte> columns = tensor->bytes;
    transpose(*tensor, columns);
  }
  return tensor;
}

ErrorOr<HostTensor> mp::readNpy(const std::string &path) {
  ErrorOr<std::vector<std::byte>> bytes = readFile(path);
  if (!bytes)
    return bytes.status();
  ErrorOr<HostTensor> tensor = parseNpy(*bytes);
  if (!tensor)
    return expecting(tensor.status(), "an array as numpy.save writes it").in(path);
  return tensor;
}

Status mp::writeNpy(const std::string &path, const HostTensor &tensor) {
  const TypeRow *row = std::find_if(std::begin(kTypes), std::end(kTypes),
                                    [&](const TypeRow &row) { return row.element == tensor.type.element; });
  std::string text = "{'descr': '" + std::string(row->name) + "', 'fortran_order': False, 'shape': (";
  for (int64_t size : tensor.type.shape)
    text += std::to_string(size) + (tensor.type.shape.size() == 1 ? "," : ", ");
  if (tensor.type.shape.size() > 1)
    text.resize(text.size() - 2);
  text += "), }";
  // The data start at a multiple of 64; the header ends with a line feed.
  size_t start = (kMagic.size() + 4 + text.size() + 1 + 63) / 64 * 64;
  text.append(start - kMagic.size() - 4 - text.size() - 1, ' ');
  text += '\n';
  std::string head(kMagic);
  head += {1, 0, static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)};
  head += text;
  std::span<const std::byte> chunks[] = {bytesOf(head), tensor.bytes};
  return writeFileWhole(path, chunks);
}
