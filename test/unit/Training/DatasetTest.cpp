// Tests of data sets and batches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Training/Data/Dataset.h"
#include "Runtime/TemporaryFolder.h"
#include "Runtime/TinyModel.h"
#include "mp/Training/Data/BatchLoader.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include <sys/resource.h>

using namespace mp;
using namespace mp::test;

static void writeFile(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

static std::string readText(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

static void compress(const std::string &path) {
  std::string bytes = readText(path);
  gzFile file = gzopen((path + ".gz").c_str(), "wb");
  gzwrite(file, bytes.data(), unsigned(bytes.size()));
  gzclose(file);
  std::filesystem::remove(path);
}

static const executable::VariantT &programOf(const LoadedExecutable &file, const char *name) {
  for (const auto &program : file.table.programs)
    if (program->name == name)
      return *program->variants[0];
  std::abort();
}

TEST(Dataset, ReadsPlainAndCompressed) {
  TemporaryFolder folder;
  writeTinyData(folder.path, 50, 20);
  ErrorOr<Dataset> plain = readDataset(folder.path, DataPart::Train);
  ASSERT_TRUE(plain.ok()) << plain.message();
  EXPECT_EQ(plain->rows(), 50u);
  EXPECT_EQ(plain->imageShape, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(readDataset(folder.path, DataPart::Test)->rows(), 20u);
  compress(folder / "train-images-idx3-ubyte");
  compress(folder / "train-labels-idx1-ubyte");
  ErrorOr<Dataset> compressed = readDataset(folder.path, DataPart::Train);
  ASSERT_TRUE(compressed.ok()) << compressed.message();
  EXPECT_EQ(compressed->images, plain->images);
  EXPECT_EQ(compressed->labels, plain->labels);
}

/// Debian's package: 6,000 and 1,000 rows of each of ten classes, and a mean that others have published
/// (0.2860 of 255 over the training images).
TEST(Dataset, ReadsFashionMnist) {
  const char *folder = "/usr/share/datasets/fashion-mnist";
  if (!hasDataset(folder, DataPart::Train))
    GTEST_SKIP() << "dataset-fashion-mnist is not installed";
  for (auto [part, each] : {std::pair(DataPart::Train, 6000), std::pair(DataPart::Test, 1000)}) {
    ErrorOr<Dataset> data = readDataset(folder, part);
    ASSERT_TRUE(data.ok()) << data.message();
    EXPECT_EQ(data->imageShape, (std::vector<int64_t>{28, 28}));
    for (uint8_t label = 0; label < 10; ++label)
      EXPECT_EQ(std::count(data->labels.begin(), data->labels.end(), label), each);
    if (part == DataPart::Test)
      continue;
    double sum = 0;
    for (std::byte pixel : data->images)
      sum += std::to_integer<uint8_t>(pixel);
    EXPECT_NEAR(sum / double(data->images.size()) / 255, 0.2860, 5e-5);
  }
}

TEST(Dataset, SaysWhatIsWrong) {
  const std::string kRemedy = "; expected a whole IDX file of bytes, as MNIST's; fetch it again";
  TemporaryFolder folder;
  std::string images = folder / "train-images-idx3-ubyte";
  std::string labels = folder / "train-labels-idx1-ubyte";
  auto message = [&] { return readDataset(folder.path, DataPart::Train).message(); };
  EXPECT_EQ(message(), folder.path + ": holds no data set; expected train-images-idx3-ubyte[.gz] and so on, "
                                     "data_batch_1.bin (CIFAR-10) or train.bin (CIFAR-100)");
  EXPECT_EQ(readDataset(folder / "absent", DataPart::Train).message(),
            (folder / "absent") +
                ": not a folder, nor an .npz file; expected a folder with train-images-idx3-ubyte[.gz] and so "
                "on or CIFAR's .bin files, or F.npz");

  writeTinyData(folder.path, 10, 10);
  std::filesystem::rename(images, folder / "other");
  EXPECT_EQ(message(), images + ": cannot open: No such file or directory");
  std::filesystem::rename(folder / "other", images);
  std::string good = readText(images);
  auto with = [&](const std::string &bytes) {
    writeFile(images, bytes);
    std::string text = message();
    return text.starts_with(images + ": ") ? text.substr(images.size() + 2) : "? " + text;
  };
  EXPECT_EQ(with(""), "truncated: no magic number" + kRemedy);
  EXPECT_EQ(with("PNG, really"), "not an IDX file: it starts with 80 78, expected 0 0");
  EXPECT_EQ(with(std::string("\0\0\x0D\3", 4)), "element type 13, expected 8 (unsigned byte)");
  EXPECT_EQ(with(std::string("\0\0\x08\1", 4)), "1 dimensions, expected 3");
  EXPECT_EQ(with(good.substr(0, 9)), "truncated: its header ends after 1 of 3 sizes" + kRemedy);
  EXPECT_EQ(with(good.substr(0, 30)), "truncated: tensor<10x2x2xui8> does not fit into a file of 30 bytes" + kRemedy);
  EXPECT_EQ(with(good.substr(0, 50)), "truncated: 34 of 40 bytes of data" + kRemedy);
  EXPECT_EQ(with(good + "x"), "holds more than the 40 bytes of its header" + kRemedy);
  // A header that asks for 2^96 bytes, and one that asks for 64 GiB.
  EXPECT_EQ(with(std::string("\0\0\x08\3", 4) + std::string(12, '\xFF')),
            "truncated: tensor<4294967295x4294967295x4294967295xui8> does not fit into a file of "
            "16 bytes" +
                kRemedy);
  EXPECT_EQ(with(std::string("\0\0\x08\3\0\1\0\0\0\1\0\0\0\0\0\x10", 16)),
            "truncated: tensor<65536x65536x16xui8> does not fit into a file of 16 bytes" + kRemedy);
  EXPECT_EQ(with(std::string("\0\0\x08\3\0\0\0\1\0\0\0\1\0\0\0\4", 16) + "1234"), "1 images, but 10 labels");
  writeFile(labels, std::string("\0\0\x08\1\0\0\0\0", 8));
  EXPECT_EQ(with(std::string("\0\0\x08\3\0\0\0\0\0\0\0\2\0\0\0\2", 16)), "the data set is empty");
}

/// A file has room for what its header asks, all of it a hole.
TEST(Dataset, SaysThatThereIsNoMemory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer ends where there is no memory";
#endif
  TemporaryFolder folder;
  writeTinyData(folder.path, 10, 10);
  std::string images = folder / "train-images-idx3-ubyte";
  writeFile(images, std::string("\0\0\x08\3\0\0\x40\0\0\0\x08\0\0\0\x08\0", 16));
  std::filesystem::resize_file(images, (1ULL << 36) + 16);
  rlimit limit;
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &limit), 0);
  const rlimit small{1ULL << 35, limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &small), 0);
  std::string message = readDataset(folder.path, DataPart::Train).message();
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
  EXPECT_EQ(message, images + ": no memory for the 68719476736 bytes that are expected");
}

TEST(Dataset, RefusesDamagedCompression) {
  TemporaryFolder folder;
  writeTinyData(folder.path, 500, 10);
  std::string images = folder / "train-images-idx3-ubyte";
  compress(images);
  std::string good = readText(images + ".gz");
  for (size_t size : {size_t(5), size_t(20), good.size() / 2, good.size() - 4}) {
    writeFile(images + ".gz", good.substr(0, size));
    EXPECT_FALSE(readDataset(folder.path, DataPart::Train).ok()) << size;
  }
  // The checksum sees every change of the data; a change of unused bits changes nothing.
  writeFile(images + ".gz", good);
  std::vector<std::byte> expected = readDataset(folder.path, DataPart::Train)->images;
  int refused = 0;
  for (size_t at = 10; at < good.size(); at += 37) {
    std::string bad = good;
    bad[at] ^= 0x10;
    writeFile(images + ".gz", bad);
    ErrorOr<Dataset> data = readDataset(folder.path, DataPart::Train);
    refused += !data.ok();
    if (data.ok()) {
      EXPECT_EQ(data->images, expected);
    }
  }
  EXPECT_GT(refused, 50);
}

TEST(Dataset, ShuffleIsAPermutationOfSeedAndEpoch) {
  std::vector<uint32_t> order = shuffledRows(1, 0, 1000);
  EXPECT_EQ(std::set<uint32_t>(order.begin(), order.end()).size(), 1000u);
  EXPECT_EQ(order, shuffledRows(1, 0, 1000));
  EXPECT_NE(order, shuffledRows(1, 1, 1000));
  EXPECT_NE(order, shuffledRows(2, 0, 1000));
  // Every row is as likely in front as behind: over 200 epochs the mean position of row 0 is the middle
  // within four deviations.
  double sum = 0;
  for (uint64_t epoch = 0; epoch < 200; ++epoch) {
    std::vector<uint32_t> rows = shuffledRows(5, epoch, 100);
    sum += double(std::find(rows.begin(), rows.end(), 0u) - rows.begin());
  }
  EXPECT_NEAR(sum / 200, 49.5, 4 * 28.9 / std::sqrt(200.0));
}

TEST(Dataset, Binds) {
  TemporaryFolder folder;
  writeTinyData(folder.path, 20, 10);
  Dataset data = *readDataset(folder.path, DataPart::Train);
  std::shared_ptr<const LoadedExecutable> file = loadTinyModel();
  ErrorOr<DataBinding> binding = bindDataset(data, programOf(*file, "eval"), {{"y", {3, {}}}});
  ASSERT_TRUE(binding.ok()) << binding.message();
  EXPECT_EQ(binding->imageArgument, 0u);
  EXPECT_EQ(binding->labelArgument, std::optional<size_t>(1));
  EXPECT_EQ(binding->weightArgument, std::optional<size_t>(2));

  std::string name = folder.path + " (train): ";
  // A program that takes images alone is bound to them.
  ErrorOr<DataBinding> alone = bindDataset(data, programOf(*file, "infer"), {{"y", {3, {}}}});
  ASSERT_TRUE(alone.ok()) << alone.message();
  EXPECT_FALSE(alone->labelArgument);
  data.labels[7] = 3;
  EXPECT_EQ(bindDataset(data, programOf(*file, "eval"), {{"y", {3, {}}}}).message(),
            name + "label 3 of row 7 is out of range: input 'y' has 3 classes");
  EXPECT_TRUE(bindDataset(data, programOf(*file, "eval"), {}).ok());
  data.labels[7] = 256;
  EXPECT_EQ(bindDataset(data, programOf(*file, "eval"), {}).message(),
            name + "label 256 of row 7 is out of range: input 'y' is tensor<8xui8>, whose labels are 0 to 255");
  data.labels[7] = -1;
  EXPECT_EQ(bindDataset(data, programOf(*file, "eval"), {{"y", {3, {}}}}).message(),
            name + "label -1 of row 7 is out of range: input 'y' has 3 classes; a loss with ignore_label=-1 leaves "
                   "such rows out");
  EXPECT_EQ(
      bindDataset(data, programOf(*file, "eval"), {{"y", {3, -100}}}).message(),
      name +
          "label -1 of row 7 is out of range: input 'y' has 3 classes, and the label -100 for rows that do not count");
  EXPECT_TRUE(bindDataset(data, programOf(*file, "eval"), {{"y", {3, -1}}}).ok());
  data.labels[7] = 0;
  data.imageElement = ElementType::F32;
  EXPECT_EQ(bindDataset(data, programOf(*file, "eval"), {{"y", {3, {}}}}).message(),
            name + "input 'x' is tensor<8x4xui8>, the data are floats");
  data.imageElement = ElementType::UI8;
  data.imageShape = {5};
  EXPECT_EQ(bindDataset(data, programOf(*file, "eval"), {}).message(),
            name + "input 'x' is tensor<8x4xui8>, a row of the data is tensor<5xui8>");
}

static executable::VariantT variantWith(std::vector<int64_t> imageShape) {
  executable::VariantT variant;
  for (const auto &[name, shape] : {std::pair("x", imageShape), std::pair("y", std::vector<int64_t>{8})}) {
    auto argument = std::make_unique<executable::ArgumentT>();
    argument->name = name;
    argument->kind = executable::ArgumentKind::Input;
    argument->label = argument->name == "y";
    argument->batched = true;
    argument->type = std::make_unique<TensorTypeT>(makeType(ElementType::UI8, shape));
    variant.arguments.push_back(std::move(argument));
  }
  return variant;
}

/// Elements stay in their order, so that colours that are not innermost would be another image.
TEST(Dataset, BindsColoursWhereTheyAreInnermost) {
  auto message = [](std::vector<int64_t> image, std::vector<int64_t> input) {
    Dataset data{"D", image, std::vector<std::byte>(*byteCount(makeType(ElementType::UI8, image))), {0}};
    return bindDataset(data, variantWith(input), {}).message();
  };
  EXPECT_EQ(message({32, 32, 3}, {8, 32, 32, 3}), "");
  EXPECT_EQ(message({32, 32, 3}, {8, 3072}), "");
  EXPECT_EQ(message({32, 32, 1}, {8, 1, 32, 32}), "");
  EXPECT_EQ(message({28, 28}, {8, 28, 28, 1}), "");
  EXPECT_EQ(message({28, 28}, {8, 49, 16}), "");
  EXPECT_EQ(message({32, 32, 3}, {8, 3, 32, 32}), "D: input 'x' is tensor<8x3x32x32xui8>, a row of the data is "
                                                  "tensor<32x32x3xui8>, whose last size is its colours");
  EXPECT_EQ(message({32, 32, 3}, {8, 28, 28, 1}),
            "D: input 'x' is tensor<8x28x28x1xui8>, a row of the data is tensor<32x32x3xui8>");
}

/// 20 rows whose image bytes and labels say which row they are.
static Dataset countingData() {
  Dataset data{"counting", {2, 2}, {}, {}};
  for (uint8_t row = 0; row < 20; ++row) {
    for (uint8_t pixel = 0; pixel < 4; ++pixel)
      data.images.push_back(std::byte(row * 4 + pixel));
    data.labels.push_back(row);
  }
  return data;
}

static DataBinding countingBinding(bool weights) {
  DataBinding binding;
  binding.imageArgument = 0;
  binding.labelArgument = 1;
  binding.imageType = makeType(ElementType::F32, {8, 4});
  binding.labelType = makeType(ElementType::I32, {8});
  if (weights) {
    binding.weightArgument = 2;
    binding.weightType = makeType(ElementType::F32, {8});
  }
  return binding;
}

/// The labels of the batches, which tell the rows; images must be of the same rows.
static std::vector<int> takeRows(BatchLoader &loader, int batches) {
  std::vector<int> rows;
  for (int i = 0; i < batches; ++i) {
    const Batch &batch = loader.next();
    const int32_t *labels = reinterpret_cast<const int32_t *>(batch.labels.data());
    const float *images = reinterpret_cast<const float *>(batch.images.data());
    for (uint64_t row = 0; row < batch.rows; ++row) {
      rows.push_back(labels[row]);
      for (int pixel = 0; pixel < 4; ++pixel)
        EXPECT_EQ(images[row * 4 + uint64_t(pixel)], float(labels[row] * 4 + pixel));
    }
  }
  return rows;
}

TEST(BatchLoader, FollowsTheShuffleAndDropsTheRest) {
  Dataset data = countingData();
  BatchLoader loader(data, countingBinding(false), {.seed = 3});
  for (uint64_t epoch = 0; epoch < 3; ++epoch) {
    std::vector<uint32_t> order = shuffledRows(3, epoch, 20);
    EXPECT_EQ(takeRows(loader, 2), std::vector<int>(order.begin(), order.begin() + 16));
  }
}

/// Floats stay as they are in f32 and are rounded to nearest even in narrower types.
TEST(BatchLoader, KeepsFloats) {
  const float values[] = {0.1f, -2.5f, 1 + 0x1p-8f, 1 + 3 * 0x1p-8f};
  Dataset data{"floats", {2, 2}, {}, {7}, ElementType::F32};
  std::span<const std::byte> bytes = std::as_bytes(std::span(values));
  data.images.assign(bytes.begin(), bytes.end());
  DataBinding binding = countingBinding(false);
  binding.labelType = makeType(ElementType::I32, {1});
  auto batchOf = [&](ElementType element) {
    binding.imageType = makeType(element, {1, 4});
    BatchLoader loader(data, binding, {});
    return loader.next().images;
  };
  EXPECT_EQ(batchOf(ElementType::F32), data.images);
  HostTensor narrow{makeType(ElementType::BF16, {1, 4}), batchOf(ElementType::BF16)};
  EXPECT_EQ(elementAt(narrow, 0), 0x1.9ap-4);
  EXPECT_EQ(elementAt(narrow, 1), -2.5);
  EXPECT_EQ(elementAt(narrow, 2), 1);
  EXPECT_EQ(elementAt(narrow, 3), 1 + 0x1p-6);
}

/// Rows of 5 arrays of one input and of 5 labels, read where they are, in the order of the shuffle and filled up.
TEST(BatchLoader, GathersArrays) {
  const std::vector<uint8_t> x = {0, 1, 10, 11, 20, 21, 30, 31, 40, 41}, y = {0, 1, 2, 3, 4};
  const DataArray first{"x", makeType(ElementType::UI8, {5, 2}), std::as_bytes(std::span(x))};
  const DataArray second{"y", makeType(ElementType::UI8, {5}), std::as_bytes(std::span(y))};
  ErrorOr<Dataset> data = makeDataset("arrays", {second, first});
  ASSERT_TRUE(data.ok()) << data.message();
  EXPECT_EQ(data->rows(), 5u);
  ErrorOr<DataBinding> binding = bindDataset(*data, variantWith({8, 2}), {{"y", {5, {}}}});
  ASSERT_TRUE(binding.ok()) << binding.message();
  BatchLoader loader(*data, *binding, {.seed = 3, .pad = true});
  for (uint64_t epoch = 0; epoch < 3; ++epoch) {
    const std::vector<uint32_t> order = shuffledRows(3, epoch, 5);
    const Batch &batch = loader.next();
    ASSERT_EQ(batch.rows, 5u);
    for (uint64_t i = 0; i < 8; ++i) {
      const bool isRow = i < 5;
      EXPECT_EQ(batch.arrays[0][i], std::byte(isRow ? order[i] : 0));
      EXPECT_EQ(batch.arrays[1][2 * i], std::byte(isRow ? 10 * order[i] : 0));
      EXPECT_EQ(batch.arrays[1][2 * i + 1], std::byte(isRow ? 10 * order[i] + 1 : 0));
    }
  }

  auto message = [&](std::vector<DataArray> arrays, std::vector<int64_t> input) {
    ErrorOr<Dataset> made = makeDataset("D", std::move(arrays));
    return made ? bindDataset(*made, variantWith(input), {{"y", {4, {}}}}).message() : made.message();
  };
  EXPECT_EQ(message({}, {8, 2}), "D: has no array");
  EXPECT_EQ(message({first, second}, {8, 2}), "D: label 4 of row 4 is out of range: input 'y' has 4 classes");
  EXPECT_EQ(bindDataset(*data, variantWith({8, 2}), {{"x", {41, {}}}, {"y", {5, {}}}}).message(),
            "arrays: index 41 of row 4 is out of range: input 'x' takes 0 to 40");
  EXPECT_EQ(message({first}, {8, 2}), "D: input 'y' gets no data: there is no array of that name");
  EXPECT_EQ(message({first, second}, {8, 4}), "D: input 'x' is tensor<8x4xui8>, a row of the data is tensor<2xui8>");
}

TEST(BatchLoader, BeginsAnywhere) {
  Dataset data = countingData();
  BatchLoader loader(data, countingBinding(false), {.seed = 3, .firstEpoch = 1, .firstBatch = 1});
  std::vector<uint32_t> order = shuffledRows(3, 1, 20);
  EXPECT_EQ(takeRows(loader, 1), std::vector<int>(order.begin() + 8, order.begin() + 16));
  const Batch &batch = loader.next();
  EXPECT_EQ(batch.epoch, 2u);
  EXPECT_EQ(batch.index, 0u);
}

TEST(BatchLoader, PadsWithWeights) {
  Dataset data = countingData();
  BatchLoader loader(data, countingBinding(true), {.shuffle = false, .pad = true});
  loader.next();
  loader.next();
  const Batch &last = loader.next();
  EXPECT_EQ(last.rows, 4u);
  const float *weights = reinterpret_cast<const float *>(last.weights.data());
  const int32_t *labels = reinterpret_cast<const int32_t *>(last.labels.data());
  for (int row = 0; row < 8; ++row) {
    EXPECT_EQ(weights[row], row < 4 ? 1 : 0);
    EXPECT_EQ(labels[row], row < 4 ? 16 + row : 0);
  }
  EXPECT_EQ(takeRows(loader, 1), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(BatchLoader, CountsBatches) {
  BatchOrder order;
  EXPECT_EQ(BatchLoader::batchesPerEpoch(20, 8, order), 2u);
  EXPECT_EQ(BatchLoader::batchesPerEpoch(7, 8, order), 0u);
  order.pad = true;
  EXPECT_EQ(BatchLoader::batchesPerEpoch(20, 8, order), 3u);
  order.pad = false;
  order.multipleOf = 4;
  EXPECT_EQ(BatchLoader::batchesPerEpoch(80, 8, order), 8u);
}

TEST(BatchLoader, StopsAtOnce) {
  Dataset data = countingData();
  for (int i = 0; i < 50; ++i) {
    BatchLoader loader(data, countingBinding(false), {});
    if (i % 2)
      loader.next();
  }
}
