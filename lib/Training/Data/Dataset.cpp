// Rows with labels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Training/Data/Dataset.h"

#include <filesystem>

using namespace mp;

static const char *prefixOf(DataPart part) { return part == DataPart::Train ? "train" : "t10k"; }

/// The path of a file that is there plain or compressed; the plain name where it is not there.
static std::string findFile(const std::string &folder, DataPart part, const char *rest) {
  std::string path = (std::filesystem::path(folder) / (prefixOf(part) + std::string(rest))).string();
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) && std::filesystem::exists(path + ".gz", ignored))
    return path + ".gz";
  return path;
}

static constexpr const char *kImages = "-images-idx3-ubyte";
static constexpr const char *kLabels = "-labels-idx1-ubyte";

bool mp::hasDataset(const std::string &folder, DataPart part) {
  std::error_code ignored;
  return std::filesystem::exists(findFile(folder, part, kImages), ignored);
}

ErrorOr<Dataset> mp::readDataset(const std::string &folder, DataPart part) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    return makeError("not a folder").in(folder);
  std::string imagePath = findFile(folder, part, kImages);
  ErrorOr<IdxArray> images = readIdx(imagePath, 3);
  if (!images)
    return images.status();
  ErrorOr<IdxArray> labels = readIdx(findFile(folder, part, kLabels), 1);
  if (!labels)
    return labels.status();
  if (images->shape[0] != labels->shape[0])
    return makeError(images->shape[0], " images, but ", labels->shape[0], " labels").in(imagePath);
  if (images->shape[0] == 0)
    return makeError("the data set is empty").in(imagePath);
  return Dataset{folder + " (" + prefixOf(part) + ")",
                 {images->shape.begin() + 1, images->shape.end()},
                 std::move(images->data),
                 std::move(labels->data)};
}
