// Rows with labels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Training/Data/Dataset.h"
#include "Training/Data/Cifar.h"
#include "Training/Data/Idx.h"
#include "Training/Data/Npz.h"

#include <algorithm>
#include <filesystem>

using namespace mp;

namespace {

/// Files that a folder may hold.
struct Layout {
  bool (*has)(const std::string &folder, DataPart part);
  ErrorOr<Dataset> (*read)(const std::string &folder, DataPart part);
};

} // namespace

static constexpr Layout kLayouts[] = {
    {hasIdxFiles, readIdxFiles},
    {hasCifar10Files, readCifar10Files},
    {hasCifar100Files, readCifar100Files},
};

/// The first layout of which the folder has a file, or null.
static const Layout *layoutOf(const std::string &folder) {
  const Layout *found = std::ranges::find_if(kLayouts, [&](const Layout &layout) {
    return layout.has(folder, DataPart::Train) || layout.has(folder, DataPart::Test);
  });
  return found == std::end(kLayouts) ? nullptr : found;
}

Status mp::checkDataSource(const std::string &source) {
  return isNpzSource(source) ? checkNpzSource(source) : Status::success();
}

ErrorOr<Dataset> mp::makeDataset(const std::string &name, std::vector<DataArray> arrays) {
  if (arrays.empty())
    return makeError("has no array").in(name);
  for (const DataArray &array : arrays) {
    const std::vector<int64_t> &shape = array.type.shape;
    if (shape.empty() || shape.front() < 1)
      return makeError("array '", array.name, "' is ", typeName(array.type), ", expected at least one row").in(name);
    if (shape.front() != arrays.front().type.shape.front())
      return makeError("array '", array.name, "' has ", shape.front(), " rows, '", arrays.front().name, "' has ",
                       arrays.front().type.shape.front())
          .in(name);
    if (std::ranges::count(arrays, array.name, &DataArray::name) > 1)
      return makeError("array '", array.name, "' is given twice").in(name);
  }
  Dataset data;
  data.name = name;
  data.arrays = std::move(arrays);
  return data;
}

bool mp::hasDataset(const std::string &source, DataPart part) {
  if (isNpzSource(source))
    return hasNpzArrays(source, part);
  const Layout *layout = layoutOf(source);
  return layout && layout->has(source, part);
}

ErrorOr<Dataset> mp::readDataset(const std::string &source, DataPart part) {
  if (isNpzSource(source))
    return readNpzArrays(source, part);
  std::error_code ignored;
  if (!std::filesystem::is_directory(source, ignored))
    return makeError("not a folder, nor an .npz file; expected a folder with train-images-idx3-ubyte[.gz] and so on or "
                     "CIFAR's "
                     ".bin files, or F.npz")
        .in(source);
  if (const Layout *layout = layoutOf(source))
    return layout->read(source, part);
  if (Status refused = refuseCifarPickles(source); !refused.ok())
    return refused;
  return makeError("holds no data set; expected train-images-idx3-ubyte[.gz] and so on, data_batch_1.bin (CIFAR-10) or "
                   "train.bin (CIFAR-100)")
      .in(source);
}
