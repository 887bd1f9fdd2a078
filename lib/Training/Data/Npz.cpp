// NumPy's files of several arrays.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Training/Data/Npz.h"
#include "Training/Data/Zip.h"

#include "mp/Base/Expecting.h"
#include "mp/Base/NearestName.h"
#include "mp/Base/Text.h"
#include "mp/Runtime/Tensors/Npy.h"

#include <algorithm>
#include <filesystem>

using namespace mp;

namespace {

/// An array that a source may name.
struct ArrayName {
  const char *key;
  std::string name; // Keras' where none is given
  bool isGiven = false;
};

/// A file, and which of its arrays are what.
struct NpzSource {
  std::string path;
  ArrayName arrays[4] = {{"x", "x_train"}, {"y", "y_train"}, {"x_test", "x_test"}, {"y_test", "y_test"}};

  const ArrayName &images(DataPart part) const { return arrays[part == DataPart::Train ? 0 : 2]; }
  const ArrayName &labels(DataPart part) const { return arrays[part == DataPart::Train ? 1 : 3]; }
};

} // namespace

static constexpr std::string_view kSuffix = ".npz";

static constexpr const char *kExpected = "a whole file as numpy.savez(\"F.npz\", x_train=x, y_train=y) writes it";

/// Where the settings of a source begin: behind its path.
static size_t pathEnd(const std::string &source) {
  size_t at = source.find(std::string(kSuffix) + ":");
  if (at != std::string::npos)
    return at + kSuffix.size();
  return source.ends_with(kSuffix) ? source.size() : std::string::npos;
}

static Status setArray(NpzSource &source, const std::string &text) {
  size_t equals = text.find('=');
  std::string key = text.substr(0, equals);
  auto *array = std::ranges::find_if(source.arrays, [&](const ArrayName &array) { return array.key == key; });
  if (array == std::end(source.arrays)) {
    std::vector<std::string> keys;
    for (const ArrayName &known : source.arrays)
      keys.emplace_back(known.key);
    return makeError("unknown setting '", printable(key), "'; expected one of x, y, x_test, y_test",
                     suggestName(key, keys));
  }
  if (equals == std::string::npos || equals + 1 == text.size())
    return makeError("'", key, "' needs the name of an array, as in ", key, "=", array->name);
  if (array->isGiven)
    return makeError("'", key, "' is given twice");
  array->name = text.substr(equals + 1);
  array->isGiven = true;
  return Status::success();
}

static ErrorOr<NpzSource> parseSource(const std::string &text) {
  size_t end = pathEnd(text);
  NpzSource source;
  source.path = text.substr(0, end);
  while (end < text.size()) { // at a colon or a comma
    size_t comma = std::min(text.find(',', end + 1), text.size());
    if (Status set = setArray(source, text.substr(end + 1, comma - end - 1)); !set.ok())
      return set.in(source.path);
    end = comma;
  }
  return source;
}

bool mp::isNpzSource(const std::string &source) {
  std::error_code ignored;
  return pathEnd(source) != std::string::npos && !std::filesystem::is_directory(source, ignored);
}

Status mp::checkNpzSource(const std::string &source) { return parseSource(source).status(); }

static std::string memberOf(const ArrayName &array) { return array.name + ".npy"; }

bool mp::hasNpzArrays(const std::string &source, DataPart part) {
  ErrorOr<NpzSource> parsed = parseSource(source);
  if (!parsed)
    return false;
  ErrorOr<ZipFile> file = ZipFile::open(parsed->path, kExpected);
  if (!file)
    return false;
  return std::ranges::any_of(std::initializer_list{parsed->images(part), parsed->labels(part)},
                             [&](const ArrayName &array) { return array.isGiven || file->has(memberOf(array)); });
}

/// "'a', 'b' and more".
static std::string listArrays(ZipFile &file) {
  constexpr size_t kMost = 8;
  std::string list;
  std::vector<std::string> names = file.names(kMost + 1);
  for (size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    std::string name = names[i].ends_with(".npy") ? names[i].substr(0, names[i].size() - 4) : names[i];
    list += (i > 0 ? ", '" : "'") + printable(name) + "'";
  }
  return list + (names.size() > kMost ? " and more" : "");
}

/// The bytes of an array's member.
static ErrorOr<std::vector<std::byte>> readArray(ZipFile &file, const std::string &path, const ArrayName &array) {
  if (file.has(memberOf(array)))
    return file.read(memberOf(array));
  return makeError("has no array '", printable(array.name), "'; its arrays: ", listArrays(file),
                   "; name them as in F.npz:", array.key, "=NAME")
      .in(path);
}

/// Elements as f32, rounded to nearest even.
static std::vector<std::byte> narrow(const HostTensor &wide) {
  std::vector<std::byte> bytes(wide.count() * sizeof(float));
  for (uint64_t i = 0; i < wide.count(); ++i)
    storeElement(bytes, ElementType::F32, i, elementAt(wide, i));
  return bytes;
}

static Status setImages(HostTensor tensor, Dataset &data) {
  const TensorTypeT &type = tensor.type;
  bool isKnown =
      type.element == ElementType::UI8 || type.element == ElementType::F32 || type.element == ElementType::F64;
  if (!isKnown || type.shape.size() < 2 || type.shape.size() > 4)
    return makeError("is ", typeName(type),
                     ", expected images [n, y, x], [n, y, x, colour] or flat [n, k], of ui8, f32 or f64");
  if (std::ranges::count(type.shape, 0) > 0)
    return makeError("is ", typeName(type), ": the data set is empty");
  if (type.shape[0] > UINT32_MAX)
    return makeError("has ", type.shape[0], " rows, expected at most ", UINT32_MAX);
  data.imageShape = {type.shape.begin() + 1, type.shape.end()};
  data.imageElement = type.element == ElementType::UI8 ? ElementType::UI8 : ElementType::F32;
  data.images = type.element == ElementType::F64 ? narrow(tensor) : std::move(tensor.bytes);
  return Status::success();
}

/// As NumPy writes it: "(2, 3)".
static std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

static Status setLabels(const HostTensor &tensor, int64_t rows, Dataset &data) {
  std::vector<int64_t> shape = tensor.type.shape;
  if (shape.size() == 2 && shape[1] == 1)
    shape.pop_back();
  if (shape != std::vector<int64_t>{rows})
    return makeError("has shape ", shapeText(tensor.type.shape), ", expected a label for each of the ", rows,
                     " images: (", rows, ",) or (", rows, ", 1)");
  std::span<const int64_t> labels = tensor.values<int64_t>();
  data.labels.assign(labels.begin(), labels.end());
  return Status::success();
}

ErrorOr<Dataset> mp::readNpzArrays(const std::string &source, DataPart part) {
  ErrorOr<NpzSource> parsed = parseSource(source);
  if (!parsed)
    return parsed.status();
  ErrorOr<ZipFile> file = ZipFile::open(parsed->path, kExpected);
  if (!file)
    return file.status();
  auto where = [&](const ArrayName &array) { return parsed->path + ": " + printable(array.name); };
  const ArrayName &imageName = parsed->images(part), &labelName = parsed->labels(part);

  Dataset data;
  data.name = parsed->path + " (" + printable(imageName.name) + ")";
  int64_t rows = 0;
  {
    ErrorOr<std::vector<std::byte>> bytes = readArray(*file, parsed->path, imageName);
    if (!bytes)
      return bytes.status();
    ErrorOr<HostTensor> images = parseNpy(*bytes);
    if (!images)
      return expecting(images.status(), kExpected).in(where(imageName));
    rows = images->type.shape.empty() ? 0 : images->type.shape[0];
    if (Status set = setImages(std::move(*images), data); !set.ok())
      return set.in(where(imageName));
  }
  ErrorOr<std::vector<std::byte>> bytes = readArray(*file, parsed->path, labelName);
  if (!bytes)
    return bytes.status();
  ErrorOr<HostTensor> labels = parseNpyIntegers(*bytes);
  if (!labels)
    return expecting(labels.status(), kExpected).in(where(labelName));
  if (Status set = setLabels(*labels, rows, data); !set.ok())
    return set.in(where(labelName));
  return data;
}
