// Comparisons and logs, read from files that nobody vouches for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Report/Comparison.h"

#include "mp/Base/Text.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <optional>

namespace mp {

using Json = nlohmann::json; // whose objects of many names take no square of their number

namespace {

/// What a JSON object has, as far as it has it. What has another type than expected is remembered as an error.
class Fields {
public:
  Fields(const Json &object, std::string where, Status &wrong) : object(object), where(std::move(where)), wrong(wrong) {
    if (!object.is_object())
      refuse(this->where, object, "an object");
  }

  /// Null where there is no such field, or null is in it.
  const Json *find(const char *name) const {
    if (!object.is_object())
      return nullptr;
    auto found = object.find(name);
    return found == object.end() || found->is_null() ? nullptr : &*found;
  }

  double number(const char *name, double otherwise) const {
    const Json *value = find(name);
    if (value && !value->is_number())
      refuse(pathOf(name), *value, "a number");
    return value && value->is_number() ? value->get<double>() : otherwise;
  }

  uint64_t count(const char *name, uint64_t otherwise = 0) const {
    const Json *value = find(name);
    if (value && !value->is_number_unsigned())
      refuse(pathOf(name), *value, "a whole number of at least 0");
    return value && value->is_number_unsigned() ? value->get<uint64_t>() : otherwise;
  }

  std::string text(const char *name) const {
    const Json *value = find(name);
    if (value && !value->is_string())
      refuse(pathOf(name), *value, "text");
    return value && value->is_string() ? value->get<std::string>() : "";
  }

  bool flag(const char *name) const {
    const Json *value = find(name);
    if (value && !value->is_boolean())
      refuse(pathOf(name), *value, "true or false");
    return value && value->is_boolean() && value->get<bool>();
  }

  /// The numbers of a list, NaN for null.
  template <typename Number> std::vector<Number> numbers(const char *name) const {
    std::vector<Number> list;
    for (const Json &element : items(name)) {
      if (!element.is_number() && !element.is_null())
        refuse(pathOf(name), element, "numbers");
      list.push_back(element.is_number() ? element.get<Number>() : std::numeric_limits<Number>::quiet_NaN());
    }
    return list;
  }

  /// Calls `read` with the fields of each object of a list.
  template <typename Read> void each(const char *name, Read read) const {
    size_t index = 0;
    for (const Json &element : items(name))
      read(Fields(element, pathOf(name) + "[" + std::to_string(index++) + "]", wrong));
  }

  /// The fields of an object in it, which may be missing.
  Fields inner(const char *name) const {
    static const Json none = Json::object();
    const Json *value = find(name);
    return Fields(value ? *value : none, pathOf(name), wrong);
  }

  /// Each field's name with its number.
  std::vector<std::pair<std::string, uint64_t>> counts() const {
    std::vector<std::pair<std::string, uint64_t>> list;
    if (object.is_object())
      for (const auto &[name, value] : object.items())
        list.emplace_back(name, count(name.c_str()));
    return list;
  }

private:
  std::string pathOf(const std::string &name) const { return (where.empty() ? "" : where + ".") + printable(name); }

  const Json &items(const char *name) const {
    static const Json none = Json::array();
    const Json *value = find(name);
    if (value && !value->is_array())
      refuse(pathOf(name), *value, "a list");
    return value && value->is_array() ? *value : none;
  }

  void refuse(const std::string &path, const Json &found, const char *expected) const {
    if (wrong.ok())
      wrong = makeError(path.empty() ? "the file" : path, " is of type ", found.type_name(), ", expected ", expected);
  }

  const Json &object;
  std::string where;
  Status &wrong;
};

} // namespace

/// A value that does not end the program by its depth: it is read and freed without recursion. Nothing where the text
/// is none; `byte` is then where.
static std::optional<Json> parse(std::string_view text, size_t &byte) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error &error) {
    byte = error.byte;
  } catch (const Json::exception &) { // a number out of range
    byte = 0;
  }
  return std::nullopt;
}

static void readSteps(const Fields &steps, VariantReport &report) {
  report.firstStep = steps.count("first", 1);
  report.losses = steps.numbers<float>("loss");
  report.lossScales = steps.numbers<float>("loss_scale");
  steps.each("skipped",
             [&](const Fields &skip) { report.skips.push_back({skip.count("step"), skip.text("gradient")}); });
}

static VariantReport readVariant(const Fields &given) {
  VariantReport report;
  report.policy = given.text("policy");
  report.compiledPolicy = given.text("compiled_policy");
  report.isByCost = given.flag("by_cost");
  report.testAccuracy = given.number("test_accuracy", kUnknown);
  report.finalLoss = given.number("final_loss", kUnknown);
  report.secondsPerStep = given.number("seconds_per_step", kUnknown);
  report.fastSeconds = given.number("fast_seconds", kUnknown);
  report.slowSeconds = given.number("slow_seconds", kUnknown);
  report.timedSteps = given.count("timed_steps");
  report.peakBytes = given.count("peak_bytes");
  for (auto &[type, count] : given.inner("ops_by_type").counts())
    report.opsByType[type] = count;
  if (given.find("casts"))
    report.casts = static_cast<double>(given.count("casts"));
  report.skippedSteps = given.number("skipped_steps", 0);
  report.lossScale = given.number("loss_scale", kUnknown);
  report.accuracies = given.numbers<double>("test_accuracies");
  readSteps(given.inner("steps"), report);
  given.each("memory", [&](const Fields &part) { report.memory.push_back({part.text("kind"), part.count("bytes")}); });
  given.each("kernels", [&](const Fields &kernel) {
    report.kernels.push_back({kernel.text("kernel"), kernel.number("seconds", 0)});
  });
  given.each("ops", [&](const Fields &op) {
    report.ops.push_back({op.text("function"), op.text("place"), op.text("op"), op.text("type"), op.text("sums"),
                          op.text("category"), op.text("why")});
  });
  given.each("stages",
             [&](const Fields &stage) { report.stages.push_back({stage.text("stage"), stage.text("text")}); });
  return report;
}

/// What all variants have in common.
static void readRun(const Fields &fields, Comparison &comparison) {
  comparison.device = fields.text("device");
  comparison.model = fields.text("model");
  comparison.data = fields.text("data");
  if (fields.find("seed"))
    comparison.seed = fields.count("seed");
  comparison.rows = fields.count("rows");
  comparison.testRows = fields.count("test_rows");
}

static ErrorOr<Comparison> readComparison(const Json &document) {
  Status wrong;
  Comparison comparison;
  const Fields fields(document, "", wrong);
  fields.each("policies", [&](const Fields &policy) { comparison.variants.push_back(readVariant(policy)); });
  readRun(fields, comparison);
  comparison.commit = fields.text("commit");
  if (!wrong.ok())
    return wrong;
  if (comparison.variants.empty())
    return makeError("its list of policies is empty");
  compareSpeed(comparison.variants);
  nameVariants(comparison.variants);
  return comparison;
}

/// The accuracy of an evaluation's line, or the first by name of several; empty where there is none.
static std::string accuracyOf(const Json &line) {
  constexpr std::string_view kTest = "test_";
  if (!line.is_object() || line.contains("test_accuracy"))
    return line.is_object() ? "test_accuracy" : "";
  for (const auto &[name, value] : line.items())
    if (name.starts_with(kTest) && isAccuracy(std::string_view(name).substr(kTest.size())))
      return name;
  return "";
}

namespace {

/// The mean of the steps of an epoch so far.
class EpochMean {
public:
  double add(uint64_t epoch, double loss) {
    if (epoch != own)
      own = epoch, sum = 0, count = 0;
    return (sum += loss) / static_cast<double>(++count);
  }

private:
  uint64_t own = 0, count = 0;
  double sum = 0;
};

} // namespace

/// One line of a log, whose run is the one variant of `comparison`.
static Status readLine(const Json &line, EpochMean &meanOfEpoch, Comparison &comparison) {
  Status wrong;
  const Fields fields(line, "", wrong);
  VariantReport &report = comparison.variants.front();
  if (fields.find("run")) {
    const Fields run = fields.inner("run");
    readRun(run, comparison);
    if (const std::string policy = run.text("policy"); !policy.empty())
      report.policy = policy;
  }
  const uint64_t step = fields.count("step");
  if (fields.find("loss") || fields.find("found_inf")) {
    if (report.losses.empty())
      report.firstStep = step;
    report.losses.push_back(static_cast<float>(fields.number("loss", kUnknown)));
    report.lossScale = fields.number("loss_scale", kUnknown);
    report.lossScales.push_back(std::isnan(report.lossScale) ? 1 : static_cast<float>(report.lossScale));
    if (fields.flag("found_inf"))
      report.skips.push_back({step, fields.text("gradient")});
    // As a comparison has it: over the epoch.
    report.finalLoss = meanOfEpoch.add(fields.count("epoch"), report.losses.back());
  } else if (const std::string metric = accuracyOf(line); !metric.empty()) {
    report.testAccuracy = fields.number(metric.c_str(), kUnknown);
  }
  return wrong;
}

static ErrorOr<Comparison> readLog(std::string_view text) {
  Comparison comparison;
  VariantReport &report = comparison.variants.emplace_back();
  EpochMean meanOfEpoch;
  report.policy = "run";
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos)
      continue;
    const std::string where = "line " + std::to_string(number);
    constexpr size_t kLongestLine = size_t(1) << 24; // --log-kernels has all kernels of a step in one
    if (line.size() > kLongestLine)
      return makeError("has ", line.size(), " bytes, more than a step of a log").in(where);
    size_t byte = 0;
    std::optional<Json> value = parse(line, byte);
    if (!value && end == std::string_view::npos && !report.losses.empty())
      break; // a run that was killed while it wrote
    if (!value)
      return makeError("is not JSON at byte ", byte).in(where);
    if (Status read = readLine(*value, meanOfEpoch, comparison); !read.ok())
      return read.in(where);
  }
  if (report.losses.empty())
    return makeError("has no steps of a run");
  report.skippedSteps = static_cast<double>(report.skips.size());
  compareSpeed(comparison.variants);
  nameVariants(comparison.variants);
  return comparison;
}

ErrorOr<Comparison> readRuns(std::string_view text) {
  size_t byte = 0;
  std::optional<Json> whole = parse(text, byte);
  if (whole && whole->is_object() && whole->contains("policies"))
    return readComparison(*whole);
  size_t ignored = 0;
  std::optional<Json> first = parse(text.substr(0, text.find('\n')), ignored);
  if (first && first->is_object() && first->contains("step"))
    return readLog(text);
  if (!whole)
    return makeError("is not JSON at byte ", byte);
  return makeError("is neither what mp-run compare --json writes nor what mp-run train --log does");
}

} // namespace mp
