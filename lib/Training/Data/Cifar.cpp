// CIFAR's binary files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Training/Data/Cifar.h"

#include "mp/Runtime/Tensors/Files.h"

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <span>

using namespace mp;
namespace fs = std::filesystem;

namespace {

/// One of the bytes with which a record begins.
struct LabelByte {
  const char *name;
  unsigned classes;
};

/// A data set of 32x32 images, one record behind the other: its labels, then 1024 bytes of red, of green, and of blue.
struct Cifar {
  const char *name;
  std::span<const LabelByte> labels; // the last is the one that is learned
  std::span<const char *const> train;
  std::span<const char *const> test;

  size_t recordBytes() const;
  std::span<const char *const> files(DataPart part) const { return part == DataPart::Train ? train : test; }
};

} // namespace

static constexpr size_t kSide = 32;
static constexpr size_t kPlane = kSide * kSide;
static constexpr size_t kChannels = 3;

size_t Cifar::recordBytes() const { return labels.size() + kPlane * kChannels; }

static constexpr LabelByte kLabels10[] = {{"label", 10}};
static constexpr LabelByte kLabels100[] = {{"coarse label", 20}, {"label", 100}};
static constexpr const char *kTrain10[] = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                           "data_batch_4.bin", "data_batch_5.bin"};
static constexpr const char *kTest10[] = {"test_batch.bin"};
static constexpr const char *kTrain100[] = {"train.bin"};
static constexpr const char *kTest100[] = {"test.bin"};

static constexpr Cifar kCifar10 = {"CIFAR-10", kLabels10, kTrain10, kTest10};
static constexpr Cifar kCifar100 = {"CIFAR-100", kLabels100, kTrain100, kTest100};

static bool exists(const std::string &folder, const char *name) {
  std::error_code ignored;
  return fs::exists(fs::path(folder) / name, ignored);
}

static bool hasFiles(const Cifar &cifar, const std::string &folder, DataPart part) {
  return std::ranges::any_of(cifar.files(part), [&](const char *name) { return exists(folder, name); });
}

/// Planes as [y, x, channel].
static void interleave(std::span<const std::byte> planes, std::span<std::byte> image) {
  for (size_t channel = 0; channel < kChannels; ++channel)
    for (size_t pixel = 0; pixel < kPlane; ++pixel)
      image[pixel * kChannels + channel] = planes[channel * kPlane + pixel];
}

/// Appends the records of one file.
static Status appendFile(const Cifar &cifar, std::span<const std::byte> bytes, Dataset &data) {
  size_t size = cifar.recordBytes();
  if (bytes.empty() || bytes.size() % size != 0)
    return makeError(bytes.size(), " bytes, expected a multiple of the ", size, " bytes of a record of ", cifar.name,
                     "; unpack the archive again");
  size_t rows = bytes.size() / size;
  try {
    data.images.resize(data.images.size() + rows * kPlane * kChannels);
    data.labels.reserve(data.labels.size() + rows);
  } catch (const std::exception &) {
    return makeError("no memory for ", bytes.size(), " bytes");
  }
  std::span<std::byte> images = std::span(data.images).last(rows * kPlane * kChannels);
  for (size_t row = 0; row < rows; ++row) {
    std::span<const std::byte> record = bytes.subspan(row * size, size);
    for (size_t i = 0; i < cifar.labels.size(); ++i)
      if (unsigned label = std::to_integer<unsigned>(record[i]); label >= cifar.labels[i].classes)
        return makeError(cifar.labels[i].name, " ", label, " of row ", row, " is out of range: ", cifar.name, " has ",
                         cifar.labels[i].classes, "; unpack the archive again");
    data.labels.push_back(std::to_integer<uint8_t>(record[cifar.labels.size() - 1]));
    interleave(record.subspan(cifar.labels.size()), images.subspan(row * kPlane * kChannels, kPlane * kChannels));
  }
  return Status::success();
}

static ErrorOr<Dataset> readFiles(const Cifar &cifar, const std::string &folder, DataPart part) {
  Dataset data{folder + (part == DataPart::Train ? " (train)" : " (test)"), {kSide, kSide, kChannels}, {}, {}};
  for (const char *name : cifar.files(part)) {
    std::string path = (fs::path(folder) / name).string();
    ErrorOr<std::vector<std::byte>> bytes = readFile(path);
    if (!bytes)
      return bytes.status();
    if (Status appended = appendFile(cifar, *bytes, data); !appended.ok())
      return appended.in(path);
  }
  return data;
}

bool mp::hasCifar10Files(const std::string &folder, DataPart part) { return hasFiles(kCifar10, folder, part); }

bool mp::hasCifar100Files(const std::string &folder, DataPart part) { return hasFiles(kCifar100, folder, part); }

ErrorOr<Dataset> mp::readCifar10Files(const std::string &folder, DataPart part) {
  return readFiles(kCifar10, folder, part);
}

ErrorOr<Dataset> mp::readCifar100Files(const std::string &folder, DataPart part) {
  return readFiles(kCifar100, folder, part);
}

Status mp::refuseCifarPickles(const std::string &folder) {
  const char *archive = nullptr;
  if (exists(folder, "data_batch_1") || exists(folder, "test_batch"))
    archive = "cifar-10-binary.tar.gz";
  else if (exists(folder, "meta") && exists(folder, "train"))
    archive = "cifar-100-binary.tar.gz";
  if (!archive)
    return Status::success();
  return makeError("holds CIFAR's Python version; pickles can run any code and are never opened: take the binary "
                   "version, ",
                   archive)
      .in(folder);
}
