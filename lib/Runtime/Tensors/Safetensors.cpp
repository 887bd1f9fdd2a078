// Files of named tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Runtime/Tensors/Safetensors.h"
#include "mp/Base/Expecting.h"
#include "mp/Runtime/Tensors/Files.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace mp;
using nlohmann::json;

namespace {

struct TypeRow {
  const char *name;
  ElementType element;
};

/// A tensor of the header, before its data are looked at.
struct Entry {
  std::string name;
  TensorTypeT type;
  uint64_t begin;
  uint64_t end;
};

} // namespace

static constexpr TypeRow kTypes[] = {
    {"BOOL", ElementType::I1}, {"U8", ElementType::UI8},    {"I32", ElementType::I32}, {"I64", ElementType::I64},
    {"F16", ElementType::F16}, {"BF16", ElementType::BF16}, {"F32", ElementType::F32}, {"F64", ElementType::F64},
};

/// Whether brackets nest no deeper than a header's, looked at before a parser builds anything.
static bool isShallow(std::string_view text) {
  constexpr int kDeepest = 3;
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString && c == '\\')
      ++i;
    else if (c == '"')
      inString = !inString;
    else if (!inString && (c == '{' || c == '['))
      depth += 1;
    else if (!inString && (c == '}' || c == ']'))
      depth -= 1;
    if (depth > kDeepest)
      return false;
  }
  return true;
}

static std::string printable(const std::string &name) {
  return json(name.substr(0, 100)).dump(-1, ' ', true, json::error_handler_t::replace);
}

static bool isSize(const json &value) { return value.is_number_unsigned() && value.get<uint64_t>() <= INT64_MAX; }

static ErrorOr<Entry> parseEntry(const std::string &name, const json &value, uint64_t dataBytes) {
  std::string where = "tensor " + printable(name);
  auto has = [&](const char *key, bool (json::*kind)() const noexcept) {
    return value.is_object() && value.contains(key) && (value[key].*kind)();
  };
  if (!has("dtype", &json::is_string) || !has("shape", &json::is_array) || !has("data_offsets", &json::is_array))
    return makeError("does not have each of dtype, shape and data_offsets").in(where);

  Entry entry;
  entry.name = name;
  const std::string &type = value["dtype"].get_ref<const std::string &>();
  const TypeRow *row =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeRow &row) { return type == row.name; });
  if (row == std::end(kTypes))
    return makeError("type ", printable(type), " is not supported").in(where);
  entry.type.element = row->element;
  constexpr size_t kMostDimensions = 64;
  if (value["shape"].size() > kMostDimensions)
    return makeError("shape has more than ", kMostDimensions, " dimensions").in(where);
  for (const json &size : value["shape"]) {
    if (!isSize(size))
      return makeError("shape has an entry that is not a size").in(where);
    entry.type.shape.push_back(size.get<int64_t>());
  }
  const json &offsets = value["data_offsets"];
  if (offsets.size() != 2 || !isSize(offsets[0]) || !isSize(offsets[1]))
    return makeError("data_offsets is not a pair of offsets").in(where);
  entry.begin = offsets[0].get<uint64_t>();
  entry.end = offsets[1].get<uint64_t>();
  if (entry.begin > entry.end || entry.end > dataBytes)
    return makeError("data ", entry.begin, " to ", entry.end, " are outside of ", dataBytes, " bytes").in(where);
  std::optional<uint64_t> bytes = byteCount(entry.type);
  if (!bytes || *bytes != entry.end - entry.begin)
    return makeError(typeName(entry.type), " does not fill ", entry.end - entry.begin, " bytes").in(where);
  return entry;
}

static ErrorOr<std::vector<Entry>> parseEntries(const json &header, uint64_t dataBytes,
                                                std::map<std::string, std::string> &metadata) {
  std::vector<Entry> entries;
  for (const auto &[name, value] : header.items()) {
    if (name == "__metadata__") {
      if (!value.is_object())
        return makeError("metadata is not a JSON object");
      for (const auto &[key, text] : value.items()) {
        if (!text.is_string())
          return makeError("metadata ", printable(key), " is not text");
        metadata[key] = text.get<std::string>();
      }
      continue;
    }
    ErrorOr<Entry> entry = parseEntry(name, value, dataBytes);
    if (!entry)
      return entry.status();
    entries.push_back(std::move(*entry));
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry &a, const Entry &b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  uint64_t covered = 0;
  for (const Entry &entry : entries) {
    if (entry.begin != covered)
      return makeError("tensor ", printable(entry.name), " begins at ", entry.begin, ", the one before ends at ",
                       covered);
    covered = entry.end;
  }
  if (covered != dataBytes)
    return makeError("tensors cover ", covered, " of ", dataBytes, " bytes");
  return entries;
}

ErrorOr<Safetensors> mp::parseSafetensors(std::span<const std::byte> bytes) {
  constexpr uint64_t kLongest = 100'000'000; // as the reference implementation
  uint64_t length = 0;
  if (bytes.size() < sizeof(length))
    return makeError("not a safetensors file: ", bytes.size(), " bytes");
  std::memcpy(&length, bytes.data(), sizeof(length));
  std::span<const std::byte> rest = bytes.subspan(sizeof(length));
  if (length > kLongest || length > rest.size())
    return makeError("header of ", length, " bytes in a file of ", bytes.size());

  std::string_view text(reinterpret_cast<const char *>(rest.data()), length);
  if (!isShallow(text))
    return makeError("header is nested too deeply");
  json header = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!header.is_object())
    return makeError("header is not a JSON object");

  Safetensors file;
  std::span<const std::byte> data = rest.subspan(length);
  ErrorOr<std::vector<Entry>> entries = parseEntries(header, data.size(), file.metadata);
  if (!entries)
    return entries.status();
  for (Entry &entry : *entries) {
    std::span<const std::byte> part = data.subspan(entry.begin, entry.end - entry.begin);
    if (entry.type.element == ElementType::I1 &&
        std::any_of(part.begin(), part.end(), [](std::byte b) { return b > std::byte(1); }))
      return makeError("tensor ", printable(entry.name), " holds a BOOL that is neither 0 nor 1");
    ErrorOr<HostTensor> tensor = zeroTensor(entry.type);
    if (!tensor)
      return tensor.status().in("tensor " + printable(entry.name));
    std::copy(part.begin(), part.end(), tensor->bytes.begin());
    file.tensors.push_back({std::move(entry.name), std::move(*tensor)});
  }
  return file;
}

ErrorOr<Safetensors> mp::readSafetensors(const std::string &path) {
  ErrorOr<std::vector<std::byte>> bytes = readFile(path);
  if (!bytes)
    return bytes.status();
  ErrorOr<Safetensors> file = parseSafetensors(*bytes);
  if (!file)
    return expecting(file.status(), "a whole safetensors file, as safetensors.numpy.save_file writes it").in(path);
  return file;
}

std::vector<std::span<const std::byte>> mp::safetensorsChunks(const NamedTensors &tensors,
                                                              const std::map<std::string, std::string> &metadata,
                                                              std::string &head) {
  std::vector<size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), size_t(0));
  auto key = [&](size_t i) {
    return std::pair(-static_cast<int64_t>(elementBytes(tensors[i].tensor.type.element)),
                     std::string_view(tensors[i].name));
  };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) < key(b); });

  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty())
    header["__metadata__"] = metadata;
  uint64_t offset = 0;
  std::vector<std::span<const std::byte>> chunks(1);
  for (size_t i : order) {
    const HostTensor &tensor = tensors[i].tensor;
    const TypeRow *row = std::find_if(std::begin(kTypes), std::end(kTypes),
                                      [&](const TypeRow &row) { return row.element == tensor.type.element; });
    uint64_t end = offset + tensor.bytes.size();
    header[tensors[i].name] = {{"dtype", row->name}, {"shape", tensor.type.shape}, {"data_offsets", {offset, end}}};
    offset = end;
    chunks.push_back(tensor.bytes);
  }
  std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  text.append((64 - (text.size() + sizeof(uint64_t)) % 64) % 64, ' ');
  uint64_t length = text.size();
  head.assign(sizeof(length), '\0');
  std::memcpy(head.data(), &length, sizeof(length));
  head += text;
  chunks.front() = bytesOf(head);
  return chunks;
}

Status mp::writeSafetensors(const std::string &path, const NamedTensors &tensors,
                            const std::map<std::string, std::string> &metadata) {
  std::string head;
  return writeFileWhole(path, safetensorsChunks(tensors, metadata, head));
}
