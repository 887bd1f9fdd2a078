// State of a training run, on disk.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Training/Checkpoint.h"
#include "Training/SavedScalars.h"
#include "mp/Base/NearestName.h"
#include "mp/Base/Version.h"
#include "mp/Runtime/Tensors/Files.h"
#include "mp/Runtime/Tensors/Safetensors.h"

#include <nlohmann/json.hpp>
#include <xxhash.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <functional>
#include <set>

#include <unistd.h>

using namespace mp;
using namespace mp::executable;
using nlohmann::json;
namespace fs = std::filesystem;

static constexpr const char *kManifest = "manifest.json";
static constexpr const char *kFormat = "halfstep"; // among the metadata of files that Halfstep wrote
static constexpr const char *kFilters = "KRSC";    // the order of filters in them, of imported models, too

using Chunks = std::span<const std::span<const std::byte>>;

/// XXH3-128 of the chunks one behind the other, in hexadecimal.
static std::string hashOf(Chunks chunks) {
  XXH3_state_t *state = XXH3_createState();
  XXH3_128bits_reset(state);
  for (std::span<const std::byte> chunk : chunks)
    XXH3_128bits_update(state, chunk.data(), chunk.size());
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
  XXH3_freeState(state);
  std::string text;
  for (unsigned char byte : canonical.digest)
    for (int shift : {4, 0})
      text += "0123456789abcdef"[byte >> shift & 15];
  return text;
}

namespace {

/// The numbers of a position, by the names that metadata give them.
struct PositionField {
  const char *name;
  uint64_t TrainPosition::*member;
};

} // namespace

static constexpr PositionField kPosition[] = {
    {"step", &TrainPosition::step},
    {"epoch", &TrainPosition::epoch},
    {"batch", &TrainPosition::batch},
    {"seed", &TrainPosition::seed},
    {"rows", &TrainPosition::rows},
    {"batch_size", &TrainPosition::batchSize},
    {"accumulate", &TrainPosition::accumulate},
    {"steps_per_epoch", &TrainPosition::stepsPerEpoch},
};

/// Only where there is one.
static constexpr const char *kAugment = "augment";

/// Metadata "sum:loss" is the sum of the score "loss".
static constexpr std::string_view kSum = "sum:";

static bool isSaved(const StateEntryT &entry) { return entry.saved && entry.role != StateRole::Derived; }

using IsEntry = std::function<bool(const StateEntryT &)>;

static ErrorOr<NamedTensors> readState(Session &session, const IsEntry &isRead) {
  NamedTensors tensors;
  for (const auto &entry : session.table().state) {
    if (!isRead(*entry))
      continue;
    ErrorOr<HostTensor> value = session.state(entry->name);
    if (!value)
      return value.status();
    tensors.push_back({entry->name, std::move(*value)});
  }
  return tensors;
}

static std::map<std::string, std::string> makeMetadata(const Session &session) {
  return {{"format", kFormat},
          {"filters", kFilters},
          {"producer", kProducer},
          {"model", session.table().model},
          {"policy", session.table().policy}};
}

/// The shortest text that is read back as the same double.
static std::string formatExactly(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

/// The file that the manifest in `folder` names, empty where there is none.
static std::string readManifest(const fs::path &folder) {
  ErrorOr<std::vector<std::byte>> text = readFile((folder / kManifest).string());
  if (!text)
    return {};
  const char *begin = reinterpret_cast<const char *>(text->data());
  json manifest = json::parse(begin, begin + text->size(), nullptr, /*allow_exceptions=*/false);
  return manifest.is_object() && manifest.contains("file") && manifest["file"].is_string()
             ? manifest["file"].get<std::string>()
             : "";
}

/// Removes the checkpoint before this one, and what a killed process did not finish. What else is there is somebody's.
static void removeOthers(const fs::path &folder, const std::string &before, const std::string &kept) {
  std::error_code ignored;
  for (const fs::directory_entry &file : fs::directory_iterator(folder, ignored)) {
    std::string name = file.path().filename().string();
    if (name.starts_with("step-") && name != kept && (name == before || name.ends_with(".partial")))
      fs::remove(file.path(), ignored);
  }
}

Status mp::makeCheckpointFolder(const std::string &folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    return makeError("cannot make the folder: ", failed.message()).in(folder);
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    return makeError("cannot write into the folder: ", std::strerror(errno)).in(folder);
  return Status::success();
}

Status mp::saveCheckpoint(const std::string &folder, Session &session, const TrainPosition &position) {
  if (Status made = makeCheckpointFolder(folder); !made.ok())
    return made;
  ErrorOr<NamedTensors> tensors = readState(session, isSaved);
  if (!tensors)
    return tensors.status();

  std::map<std::string, std::string> metadata = makeMetadata(session);
  for (const PositionField &field : kPosition)
    metadata[field.name] = std::to_string(position.*field.member);
  if (!position.augment.empty())
    metadata[kAugment] = position.augment;
  for (const auto &[name, sum] : position.scoreSums)
    metadata[std::string(kSum) + name] = formatExactly(sum);
  std::string head;
  std::vector<std::span<const std::byte>> chunks = safetensorsChunks(*tensors, metadata, head);
  // With the hash in its name a file is never replaced by another content, so that the one that the
  // manifest names stays right until there is a new manifest.
  std::string hash = hashOf(chunks);
  std::string name = "step-" + std::to_string(position.step) + "-" + hash.substr(0, 8) + ".safetensors";
  if (Status written = writeFileWhole((fs::path(folder) / name).string(), chunks); !written.ok())
    return written;
  const std::string before = readManifest(folder);
  json manifest = {{"file", name}, {"step", position.step}, {"xxh3_128", hash}};
  std::string text = manifest.dump(2) + "\n";
  std::span<const std::byte> whole[] = {bytesOf(text)};
  if (Status written = writeFileWhole((fs::path(folder) / kManifest).string(), whole); !written.ok())
    return written;
  removeOthers(folder, before, name);
  return Status::success();
}

bool mp::hasCheckpoint(const std::string &folder) {
  std::error_code ignored;
  return fs::exists(fs::path(folder) / kManifest, ignored);
}

std::string mp::findUnnamedCheckpoint(const std::string &folder) {
  std::error_code ignored;
  for (const fs::directory_entry &file : fs::directory_iterator(folder, ignored)) {
    std::string name = file.path().filename().string();
    if (name.starts_with("step-") && name.ends_with(".safetensors"))
      return name;
  }
  return {};
}

/// The tensors of the file that the manifest names, its hash checked.
static ErrorOr<Safetensors> readTensors(const fs::path &folder) {
  std::string path = (folder / kManifest).string();
  ErrorOr<std::vector<std::byte>> text = readFile(path);
  if (!text)
    return text.status();
  const char *begin = reinterpret_cast<const char *>(text->data());
  json manifest = json::parse(begin, begin + text->size(), nullptr, /*allow_exceptions=*/false);
  auto has = [&](const char *key) {
    return manifest.is_object() && manifest.contains(key) && manifest[key].is_string();
  };
  if (!has("file") || !has("xxh3_128"))
    return makeError("not a manifest of a checkpoint").in(path);
  std::string name = manifest["file"].get<std::string>();
  if (fs::path(name).filename() != name)
    return makeError("names a file outside of its folder").in(path);

  path = (folder / name).string();
  ErrorOr<std::vector<std::byte>> bytes = readFile(path);
  if (!bytes)
    return bytes.status();
  std::span<const std::byte> whole[] = {*bytes};
  if (hashOf(whole) != manifest["xxh3_128"].get<std::string>())
    return makeError("damaged: the content does not match the manifest's hash").in(path);
  ErrorOr<Safetensors> file = parseSafetensors(*bytes);
  if (!file)
    return file.status().in(path);
  return file;
}

/// "; it has 'NAME'" of the nearest of `tensors` that the session's model has not, as a file has whose layers had other
/// names; or nothing.
static std::string describeNear(const Session &session, const NamedTensors &tensors, const std::string &missing) {
  std::set<std::string> known;
  for (const auto &entry : session.table().state)
    known.insert(entry->name);
  std::vector<std::string> others;
  for (const auto &[name, value] : tensors)
    if (!known.contains(name))
      others.push_back(name);
  const std::string nearest = nearestName(missing, others);
  return nearest.empty() ? "" : "; it has '" + nearest + "', which the model has not";
}

/// "'a', 'b' and 3 more".
static std::string listNames(const std::vector<std::string> &names) {
  constexpr size_t kMost = 10;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMost); ++i)
    text += (i ? ", '" : "'") + names[i] + "'";
  return names.size() > kMost ? text + " and " + std::to_string(names.size() - kMost) + " more" : text;
}

/// What `tensors` has of the entries that are `taken`, in the types of the table. The error names every entry that is
/// `needed` and not there, and every tensor of another shape, or of numbers that its entry cannot hold.
static ErrorOr<NamedTensors> fitTensors(const Session &session, const NamedTensors &tensors, const IsEntry &needed,
                                        const IsEntry &taken) {
  NamedTensors fitting;
  std::vector<std::string> missing;
  std::string wrong;
  for (const auto &entry : session.table().state) {
    const HostTensor *value = taken(*entry) ? findTensor(tensors, entry->name) : nullptr;
    if (!value) {
      if (needed(*entry))
        missing.push_back(entry->name);
      continue;
    }
    const bool isOfShape = value->type.shape == entry->type->shape;
    ErrorOr<HostTensor> fits = isOfShape ? convertTensor(*value, entry->type->element) : ErrorOr<HostTensor>(*value);
    if (isOfShape && fits)
      fitting.push_back({entry->name, std::move(*fits)});
    else
      wrong += "; tensor '" + entry->name + "' is " + typeName(value->type) + ", the model has " +
               typeName(*entry->type) + (isOfShape ? ": " + fits.message() : "");
  }
  std::string said;
  if (!missing.empty())
    said = std::string("; has no tensor") + (missing.size() > 1 ? "s " : " ") + listNames(missing) +
           describeNear(session, tensors, missing.front());
  said += wrong;
  return said.empty() ? ErrorOr<NamedTensors>(std::move(fitting)) : Status::error(said.substr(2));
}

template <typename T> static Status parseNumber(const std::string &name, const std::string &text, T &number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return makeError("'", name, "' in its metadata is not a number");
  return Status::success();
}

static ErrorOr<TrainPosition> parsePosition(const std::map<std::string, std::string> &metadata) {
  TrainPosition position;
  for (const PositionField &field : kPosition) {
    auto found = metadata.find(field.name);
    if (found == metadata.end())
      return makeError("has no '", field.name, "' in its metadata");
    if (Status parsed = parseNumber(field.name, found->second, position.*field.member); !parsed.ok())
      return parsed;
  }
  if (auto found = metadata.find(kAugment); found != metadata.end())
    position.augment = found->second;
  for (const auto &[name, text] : metadata)
    if (name.starts_with(kSum))
      if (Status parsed = parseNumber(name, text, position.scoreSums[name.substr(kSum.size())]); !parsed.ok())
        return parsed;
  return position;
}

ErrorOr<Checkpoint> mp::readCheckpoint(const std::string &folder) {
  ErrorOr<Safetensors> file = readTensors(folder);
  if (!file)
    return file.status();
  ErrorOr<TrainPosition> position = parsePosition(file->metadata);
  if (!position)
    return position.status().in(folder);
  return Checkpoint{std::move(*position), file->metadata["policy"], std::move(file->tensors)};
}

/// State that a run does not have would be lost with its next checkpoint.
static Status checkNames(const Session &session, const NamedTensors &tensors, bool otherPolicy) {
  std::set<std::string_view> names;
  for (const auto &entry : session.table().state)
    names.insert(entry->name);
  std::vector<std::string> others;
  for (const NamedTensor &tensor : tensors)
    if (!names.contains(tensor.name) && !(otherPolicy && isScalerState(tensor.name)))
      others.push_back(tensor.name);
  if (others.empty())
    return Status::success();
  return makeError("has ", others.size() > 1 ? "tensors " : "a tensor ", listNames(others),
                   ", which this run does not");
}

/// Sets all saved state, or none. `position` is where it was saved, if that is known.
static Status restoreState(const NamedTensors &tensors, const TrainPosition *position, Session &session,
                           bool otherPolicy) {
  auto needed = [&](const StateEntryT &entry) { return isSaved(entry) && !(otherPolicy && isScalerState(entry.name)); };
  ErrorOr<NamedTensors> state = fitTensors(session, tensors, needed, isSaved);
  const Status known = checkNames(session, tensors, otherPolicy);
  for (const Status &fits : {state.status(), known})
    if (!fits.ok())
      return makeError(fits.message(),
                       "; go on with the model, the optimizer and the loss scale that it was made with");
  if (Status legal = checkSavedScalars(session, *state, position); !legal.ok())
    return legal;
  return session.setState(*state);
}

Status mp::restoreCheckpoint(const Checkpoint &checkpoint, Session &session, bool otherPolicy) {
  return restoreState(checkpoint.tensors, &checkpoint.position, session, otherPolicy);
}

/// A safetensors file, or that of a folder's checkpoint.
static ErrorOr<Safetensors> readFileOf(const std::string &path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) ? readTensors(path) : readSafetensors(path);
}

ErrorOr<std::string> mp::savedPolicy(const std::string &path) {
  ErrorOr<Safetensors> file = readFileOf(path);
  if (!file)
    return file.status();
  // Others may mean another thing by a policy.
  return file->metadata["format"] == kFormat ? file->metadata["policy"] : "";
}

ErrorOr<NamedTensors> mp::readWeights(const std::string &path) {
  ErrorOr<Safetensors> file = readFileOf(path);
  return file ? ErrorOr<NamedTensors>(std::move(file->tensors)) : file.status();
}

Status mp::loadWeights(const std::string &path, Session &session) {
  ErrorOr<Safetensors> file = readFileOf(path);
  if (!file)
    return file.status();
  auto isParameter = [](const StateEntryT &entry) { return entry.role == StateRole::Parameter; };
  ErrorOr<NamedTensors> weights = fitTensors(session, file->tensors, isParameter, isWeight);
  return weights ? session.setState(*weights) : weights.status().in(path);
}

Status mp::writeWeights(const std::string &path, const NamedTensors &tensors) {
  return writeSafetensors(path, tensors, {{"format", kFormat}, {"filters", kFilters}, {"producer", kProducer}});
}

Status mp::saveWeights(const std::string &path, Session &session) {
  ErrorOr<NamedTensors> tensors = readState(session, isWeight);
  if (!tensors)
    return tensors.status();
  return writeSafetensors(path, *tensors, makeMetadata(session));
}

Status mp::loadState(const std::string &path, Session &session) {
  ErrorOr<Safetensors> file = readFileOf(path);
  if (!file)
    return file.status();
  return restoreState(file->tensors, /*position=*/nullptr, session, /*otherPolicy=*/false).in(path);
}

Status mp::saveState(const std::string &path, Session &session, uint64_t step, uint64_t epoch) {
  ErrorOr<NamedTensors> tensors = readState(session, isSaved);
  if (!tensors)
    return tensors.status();
  std::map<std::string, std::string> metadata = makeMetadata(session);
  metadata["step"] = std::to_string(step);
  metadata["epoch"] = std::to_string(epoch);
  return writeSafetensors(path, *tensors, metadata);
}
