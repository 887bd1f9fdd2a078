// The rates of a level as a machine was measured to have them, in a file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/Tuning.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include "mp/Base/Text.h"
#include "mp/Base/WholeFile.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace mp;
using llvm::StringLiteral;
using llvm::StringRef;

// Fields that are no figures.
static constexpr StringLiteral kVersion = "halfstep_tuning", kLevel = "level", kProcessor = "processor";
static constexpr int64_t kFileVersion = 1;

/// Wide enough for any machine, narrow enough to notice a slip in the unit.
static constexpr double kLeastRate = 1e6, kMostRate = 1e16;

template <auto rates, ArithmeticType type> static constexpr TuningFigure rate(StringLiteral field, StringLiteral name) {
  constexpr auto kIndex = static_cast<size_t>(type);
  return {field,
          name,
          kLeastRate,
          kMostRate,
          false,
          [](const CPURates &own) { return (own.*rates)[kIndex]; },
          [](CPURates &own, double value) { (own.*rates)[kIndex] = value; }};
}

template <auto member>
static constexpr TuningFigure figure(StringLiteral field, double least, double most, bool isWhole = false) {
  return {field,
          "",
          least,
          most,
          isWhole,
          [](const CPURates &own) { return static_cast<double>(own.*member); },
          [](CPURates &own, double value) {
            own.*member = static_cast<std::remove_reference_t<decltype(own.*member)>>(value);
          }};
}

static constexpr StringLiteral kContraction = "contraction_operations_per_second", kMap = "map_operations_per_second";

// Rates of f64 and the seconds of a block are no part of it: no type depends on them.
static constexpr TuningFigure kFigures[] = {
    rate<&CPURates::contractionRates, ArithmeticType::F32>(kContraction, "f32"),
    rate<&CPURates::contractionRates, ArithmeticType::BF16>(kContraction, "bf16"),
    rate<&CPURates::contractionRates, ArithmeticType::F16>(kContraction, "f16"),
    rate<&CPURates::mapRates, ArithmeticType::F32>(kMap, "f32"),
    rate<&CPURates::mapRates, ArithmeticType::BF16>(kMap, "bf16"),
    rate<&CPURates::mapRates, ArithmeticType::F16>(kMap, "f16"),
    figure<&CPURates::memoryBandwidth>("memory_bytes_per_second", kLeastRate, kMostRate),
    figure<&CPURates::cacheBandwidth>("cache_bytes_per_second", kLeastRate, kMostRate),
    figure<&CPURates::cacheBytes>("cache_bytes", 1024, 1LL << 40, /*isWhole=*/true),
    figure<&CPURates::launchSeconds>("launch_seconds", 1e-9, 1),
};

llvm::ArrayRef<TuningFigure> mp::tuningFigures() { return kFigures; }

std::string TuningFigure::name() const { return type.empty() ? field.str() : (field + "." + type).str(); }

/// A number as the file and errors have it.
static std::string showFigure(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", value);
  return text;
}

namespace {
/// What brackets and colons say of a text.
struct TextShape {
  int depth = 0; ///< the deepest
  size_t fields = 0;
};
} // namespace

static TextShape measureText(StringRef text) {
  TextShape shape;
  bool inText = false;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (inText && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      inText = !inText;
    else if (!inText && StringRef("{[").contains(text[i]))
      shape.depth = std::max(shape.depth, ++depth);
    else if (!inText && StringRef("}]").contains(text[i]))
      --depth;
    else if (!inText && text[i] == ':')
      ++shape.fields;
  }
  return shape;
}

/// "[3:5, byte=40]: Expected" -> "line 3, column 5: Expected".
static std::string placeError(StringRef message) {
  auto [place, rest] = message.split("]: ");
  auto [line, column] = place.drop_front().split(',').first.split(':');
  if (!place.starts_with("[") || rest.empty() || line.empty() || column.empty())
    return message.str();
  return ("line " + line + ", column " + column + ": " + rest).str();
}

static Status readFigure(const llvm::json::Value *value, const TuningFigure &figure, CPURates &rates) {
  const std::string expected = std::string("expected a ") + (figure.isWhole ? "whole " : "") + "number from " +
                               showFigure(figure.least) + " to " + showFigure(figure.most);
  if (!value)
    return makeError(figure.name(), ": is missing; ", expected);
  const std::optional<double> number = value->getAsNumber();
  if (!number)
    return makeError(figure.name(), ": ", expected, ", found something else");
  if (!(*number >= figure.least && *number <= figure.most) || (figure.isWhole && *number != std::floor(*number)))
    return makeError(figure.name(), ": ", expected, ", found ", showFigure(*number));
  figure.set(rates, *number);
  return Status::success();
}

/// Refuses a field of `object` that is none of `known`; `where` stands before its name.
static Status checkFields(const llvm::json::Object &object, llvm::ArrayRef<StringRef> known, StringRef where = "") {
  for (const auto &[name, value] : object)
    if (!llvm::is_contained(known, StringRef(name)))
      return makeError(where.str(), printable(StringRef(name)), ": is not a field of such files; expected ",
                       llvm::join(known, ", "));
  return Status::success();
}

/// The value at "field" or "field.type"; null where there is none.
static const llvm::json::Value *find(const llvm::json::Object &file, const TuningFigure &figure) {
  if (figure.type.empty())
    return file.get(figure.field);
  const llvm::json::Object *types = file.getObject(figure.field);
  return types ? types->get(figure.type) : nullptr;
}

static Status readFigures(const llvm::json::Object &file, CPURates &rates) {
  std::vector<StringRef> fields = {kVersion, kLevel, kProcessor};
  for (const TuningFigure &figure : kFigures)
    if (!llvm::is_contained(fields, StringRef(figure.field)))
      fields.push_back(figure.field);
  if (Status known = checkFields(file, fields); !known.ok())
    return known;
  for (StringRef field : fields) {
    std::vector<StringRef> types;
    for (const TuningFigure &figure : kFigures)
      if (figure.field == field && !figure.type.empty())
        types.push_back(figure.type);
    const llvm::json::Object *object = file.getObject(field);
    if (!types.empty() && file.get(field) && !object)
      return makeError(field.str(), ": expected an object with ", llvm::join(types, ", "));
    if (!types.empty() && object)
      if (Status known = checkFields(*object, types, (field + ".").str()); !known.ok())
        return known;
  }
  for (const TuningFigure &figure : kFigures)
    if (Status read = readFigure(find(file, figure), figure, rates); !read.ok())
      return read;
  return Status::success();
}

ErrorOr<Tuning> mp::parseTuning(StringRef text) {
  constexpr int kDeepest = 8; // the parser recurses
  const TextShape shape = measureText(text);
  if (shape.depth > kDeepest)
    return makeError("brackets nest too deeply");
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(text);
  if (!json)
    return makeError(printable(placeError(llvm::toString(json.takeError())), 200));
  const llvm::json::Object *file = json->getAsObject();
  if (!file)
    return makeError("line 1: expected a JSON object");
  // Of another version everything else may differ.
  const llvm::json::Value *version = file->get(kVersion);
  if (!version || version->getAsInteger() != kFileVersion)
    return makeError(kVersion.str(), ": ", version ? "is of another version; " : "is missing; ", "expected ",
                     kFileVersion);
  const std::optional<StringRef> name = file->getString(kLevel);
  const CPULevel *level = name ? findCPULevel(*name) : nullptr;
  if (!level)
    return makeError(kLevel.str(), ": expected one of ", cpuLevelNames(),
                     name ? ", found '" + printable(*name) + "'" : "");
  const std::optional<StringRef> processor = file->getString(kProcessor);
  if (!processor)
    return makeError(kProcessor.str(), ": expected the text that names the processor that was measured");
  Tuning tuning{*level, processor->str(), llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true, 16)};
  if (Status read = readFigures(*file, tuning.level); !read.ok())
    return read;
  // The parser takes the last of two of a name; there is one of each, and nothing else.
  size_t fields = file->size();
  for (const auto &[field, value] : *file)
    fields += value.getAsObject() ? value.getAsObject()->size() : 0;
  if (shape.fields != fields)
    return makeError("a field is there twice");
  return tuning;
}

ErrorOr<Tuning> mp::readTuning(const std::string &path, StringRef level) {
  const std::string where = "tuning=" + path;
  std::string text;
  bool isTooLong = false;
  Status read = readWholeFile(path, [&](size_t size) {
    isTooLong = size > kMostTuningBytes;
    text.resize(isTooLong ? 0 : size);
    return isTooLong ? nullptr : reinterpret_cast<std::byte *>(text.data());
  });
  if (isTooLong)
    return makeError(where, ": is longer than a tuning file may be, ", kMostTuningBytes, " bytes");
  if (!read.ok())
    return read.in("tuning");
  ErrorOr<Tuning> tuning = parseTuning(text);
  if (!tuning)
    return makeError(where, ": ", tuning.message(), "; mp-run tune writes such files");
  if (StringRef(tuning->level.name) != level)
    return makeError(where, ": is of level ", tuning->level.name, ", and the target's is ", level.str(),
                     "; name the file's by target=cpu:", tuning->level.name,
                     ", or measure the target's by mp-run tune");
  return tuning;
}

std::string mp::printTuning(const CPULevel &level, StringRef processor) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, /*IndentSize=*/2);
  auto number = [&](const TuningFigure &figure) {
    const double value = figure.get(level);
    json.attributeBegin(figure.type.empty() ? figure.field : figure.type);
    json.rawValue([&](llvm::raw_ostream &os) { os << llvm::format(figure.isWhole ? "%.0f" : "%.4g", value); });
    json.attributeEnd();
  };
  json.object([&] {
    json.attribute(kVersion, kFileVersion);
    json.attribute(kLevel, StringRef(level.name));
    json.attribute(kProcessor, llvm::json::fixUTF8(processor));
    for (const TuningFigure &figure : kFigures) {
      if (figure.type.empty()) {
        number(figure);
        continue;
      }
      // A field's first figure writes all of the field.
      if (llvm::find_if(kFigures, [&](auto &other) { return other.field == figure.field; }) != &figure)
        continue;
      json.attributeObject(figure.field, [&] {
        for (const TuningFigure &own : kFigures)
          if (own.field == figure.field)
            number(own);
      });
    }
  });
  return text + "\n";
}
