// Tests of CIFAR's binary files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Runtime/TemporaryFolder.h"
#include "mp/Training/Data/Dataset.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace mp;
using namespace mp::test;

static void writeFile(const std::string &path, const std::string &bytes) {
  std::filesystem::remove(path); // what replaces a file's content waits for the disk
  std::ofstream(path, std::ios::binary) << bytes;
}

/// The byte of a plane that a test's image has at a pixel.
static char pixelOf(int image, int channel, int y, int x) {
  return static_cast<char>(image * 7 + channel * 85 + y * 3 + x);
}

/// Records with those labels before their planes; image numbers count on from `first`.
static std::string recordsOf(const std::vector<std::string> &labels, int first) {
  std::string bytes;
  for (const std::string &label : labels) {
    bytes += label;
    for (int channel = 0; channel < 3; ++channel)
      for (int y = 0; y < 32; ++y)
        for (int x = 0; x < 32; ++x)
          bytes += pixelOf(first, channel, y, x);
    ++first;
  }
  return bytes;
}

/// Two records in each file of CIFAR-10, whose labels are their numbers; the test data begin at 3.
static void writeCifar10(const std::string &folder) {
  for (int k = 1; k <= 5; ++k) {
    int first = 2 * (k - 1);
    writeFile(folder + "/data_batch_" + std::to_string(k) + ".bin",
              recordsOf({std::string(1, char(first)), std::string(1, char(first + 1))}, first));
  }
  writeFile(folder + "/test_batch.bin", recordsOf({"\3", "\4", "\5"}, 3));
}

static void expectImages(const Dataset &data, int first) {
  ASSERT_EQ(data.images.size(), data.rows() * 32 * 32 * 3);
  const std::byte *at = data.images.data();
  for (int image = first; image < first + int(data.rows()); ++image)
    for (int y = 0; y < 32; ++y)
      for (int x = 0; x < 32; ++x)
        for (int channel = 0; channel < 3; ++channel)
          ASSERT_EQ(*at++, std::byte(pixelOf(image, channel, y, x))) << image << " " << y << " " << x << " " << channel;
}

TEST(Cifar, ReadsPlanesAsColoursOfPixels) {
  TemporaryFolder folder;
  writeCifar10(folder.path);
  EXPECT_TRUE(hasDataset(folder.path, DataPart::Test));
  ErrorOr<Dataset> train = readDataset(folder.path, DataPart::Train);
  ASSERT_TRUE(train.ok()) << train.message();
  EXPECT_EQ(train->name, folder.path + " (train)");
  EXPECT_EQ(train->imageShape, (std::vector<int64_t>{32, 32, 3}));
  ASSERT_EQ(train->rows(), 10u);
  for (int row = 0; row < 10; ++row)
    EXPECT_EQ(train->labels[size_t(row)], row);
  expectImages(*train, 0);
  ErrorOr<Dataset> test = readDataset(folder.path, DataPart::Test);
  ASSERT_TRUE(test.ok()) << test.message();
  ASSERT_EQ(test->rows(), 3u);
  EXPECT_EQ(test->labels[2], 5);
  expectImages(*test, 3);
  std::filesystem::remove(folder / "test_batch.bin");
  EXPECT_FALSE(hasDataset(folder.path, DataPart::Test));
}

TEST(Cifar, ReadsFineLabelsOfAHundredClasses) {
  TemporaryFolder folder;
  writeFile(folder / "train.bin", recordsOf({std::string("\x13\x63", 2), std::string("\0\x07", 2)}, 0));
  ErrorOr<Dataset> train = readDataset(folder.path, DataPart::Train);
  ASSERT_TRUE(train.ok()) << train.message();
  ASSERT_EQ(train->rows(), 2u);
  EXPECT_EQ(train->labels[0], 99);
  EXPECT_EQ(train->labels[1], 7);
  expectImages(*train, 0);
  EXPECT_FALSE(hasDataset(folder.path, DataPart::Test));
  EXPECT_EQ(readDataset(folder.path, DataPart::Test).message(),
            (folder / "test.bin") + ": cannot open: No such file or directory");

  auto messageWith = [&](const std::string &labels) {
    writeFile(folder / "train.bin", recordsOf({std::string("\0\0", 2), labels}, 0));
    return readDataset(folder.path, DataPart::Train).message();
  };
  EXPECT_EQ(messageWith("\x14\x63"),
            (folder / "train.bin") +
                ": coarse label 20 of row 1 is out of range: CIFAR-100 has 20; unpack the archive again");
  EXPECT_EQ(messageWith("\x13\x64"),
            (folder / "train.bin") +
                ": label 100 of row 1 is out of range: CIFAR-100 has 100; unpack the archive again");
}

TEST(Cifar, SaysWhatIsWrong) {
  TemporaryFolder folder;
  writeCifar10(folder.path);
  std::string file = folder / "data_batch_3.bin";
  auto message = [&] { return readDataset(folder.path, DataPart::Train).message(); };
  std::filesystem::remove(file);
  EXPECT_EQ(message(), file + ": cannot open: No such file or directory");
  writeFile(file, std::string(3072, '\0'));
  EXPECT_EQ(
      message(),
      file + ": 3072 bytes, expected a multiple of the 3073 bytes of a record of CIFAR-10; unpack the archive again");
  writeFile(file, "");
  EXPECT_EQ(message(),
            file +
                ": 0 bytes, expected a multiple of the 3073 bytes of a record of CIFAR-10; unpack the archive again");
  writeFile(file, recordsOf({"\1", "\2", "\xFF"}, 0));
  EXPECT_EQ(message(), file + ": label 255 of row 2 is out of range: CIFAR-10 has 10; unpack the archive again");
}

/// A pickle runs what it says; nothing of the folder is opened.
TEST(Cifar, NeverOpensPickles) {
  for (const auto &[files, archive] : {std::pair(std::vector{"data_batch_1", "batches.meta"}, "cifar-10-binary.tar.gz"),
                                       std::pair(std::vector{"meta", "train", "test"}, "cifar-100-binary.tar.gz")}) {
    TemporaryFolder folder;
    for (const char *file : files)
      writeFile(folder / file, "\x80\x02}");
    EXPECT_FALSE(hasDataset(folder.path, DataPart::Train));
    EXPECT_EQ(readDataset(folder.path, DataPart::Train).message(),
              folder.path +
                  ": holds CIFAR's Python version; pickles can run any code and are never opened: take the "
                  "binary version, " +
                  archive);
  }
}

/// Mutations of a file's size and bytes are read whole or refused, and nothing else.
TEST(Cifar, SurvivesMutations) {
  TemporaryFolder folder;
  std::string file = folder / "train.bin";
  const std::string good = recordsOf({std::string("\1\2", 2), std::string("\3\4", 2), std::string("\5\6", 2)}, 0);
  uint32_t random = 1;
  auto draw = [&] { return random = random * 1664525u + 1013904223u, random >> 8; };
  int read = 0, refused = 0;
  for (int i = 0; i < 600; ++i) {
    std::string bytes = good;
    if (i % 3 == 0)
      bytes.resize(draw() % (2 * good.size()));
    for (uint32_t k = 0; k <= draw() % 4 && !bytes.empty(); ++k)
      bytes[(draw() % 3 * 3074 + (draw() % 2 ? draw() % 3074 : draw() % 2)) % bytes.size()] = char(draw());
    writeFile(file, bytes);
    ErrorOr<Dataset> data = readDataset(folder.path, DataPart::Train);
    (data.ok() ? read : refused) += 1;
    if (!data.ok()) {
      EXPECT_TRUE(data.message().starts_with(file + ": ")) << data.message();
      continue;
    }
    EXPECT_EQ(data->rows() * 3074, bytes.size());
    EXPECT_EQ(data->images.size(), data->rows() * 3072);
    for (auto label : data->labels)
      EXPECT_LT(label, 100);
  }
  EXPECT_GT(read, 50);
  EXPECT_GT(refused, 200);
}
