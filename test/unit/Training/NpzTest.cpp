// Tests of data sets in .npz files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Runtime/TemporaryFolder.h"
#include "Training/Data/Zip.h"
#include "mp/Runtime/Tensors/Npy.h"
#include "mp/Training/Data/Dataset.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace mp;
using namespace mp::test;

namespace {

/// What a zip file says of one member, which need not be true.
struct Member {
  std::string name;
  std::string bytes;
  uint16_t method = 0;
  uint16_t flags = 0;
  std::optional<uint32_t> size = {}, compressedSize = {}, checksum = {};
};

} // namespace

static std::string little(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8)
    text += static_cast<char>(value);
  return text;
}

static std::string deflated(const std::string &bytes) {
  z_stream stream = {};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef *>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// A zip file of those members.
static std::string zipOf(const std::vector<Member> &members) {
  std::string files, directory;
  for (const Member &member : members) {
    std::string data = member.method == 8 ? deflated(member.bytes) : member.bytes;
    uint32_t crc = static_cast<uint32_t>(
        crc32(0, reinterpret_cast<const Bytef *>(member.bytes.data()), static_cast<uInt>(member.bytes.size())));
    std::string common =
        little(20, 2) + little(member.flags, 2) + little(member.method, 2) + little(0, 4) +
        little(member.checksum.value_or(crc), 4) + little(member.compressedSize.value_or(uint32_t(data.size())), 4) +
        little(member.size.value_or(uint32_t(member.bytes.size())), 4) + little(member.name.size(), 2) + little(0, 2);
    directory += "PK\1\2" + little(20, 2) + common + little(0, 10) + little(files.size(), 4) + member.name;
    files += "PK\3\4" + common + member.name + data;
  }
  return files + directory + "PK\5\6" + little(0, 4) + little(members.size(), 2) + little(members.size(), 2) +
         little(directory.size(), 4) + little(files.size(), 4) + little(0, 2);
}

/// An .npy file of a tensor as text, as parseTensor takes it.
static std::string npyOf(const TemporaryFolder &folder, const char *tensor) {
  std::string path = folder.path + "/a.npy";
  EXPECT_TRUE(writeNpy(path, *parseTensor(tensor)).ok());
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

namespace {

class Npz : public testing::Test {
protected:
  Member array(const char *name, const char *tensor, uint16_t method = 0) {
    return {std::string(name) + ".npy", npyOf(folder, tensor), method};
  }

  void write(const std::string &bytes) {
    std::filesystem::remove(path); // what replaces a file's content waits for the disk
    std::ofstream(path, std::ios::binary) << bytes;
  }

  ErrorOr<Dataset> read(const std::vector<Member> &members, const std::string &settings = "",
                        DataPart part = DataPart::Train) {
    write(zipOf(members));
    return readDataset(path + settings, part);
  }

  /// The error without the path before it.
  std::string message(const std::vector<Member> &members, const std::string &settings = "",
                      DataPart part = DataPart::Train) {
    std::string text = read(members, settings, part).message();
    return text.starts_with(path + ": ") ? text.substr(path.size() + 2) : "? " + text;
  }

  TemporaryFolder folder;
  std::string path = folder / "f.npz";
  Member x = array("x_train", "2x2x2xui8=1 2 3 4 5 6 7 8");
  Member y = array("y_train", "2xui8=1 0");
};

} // namespace

TEST_F(Npz, ReadsStoredAndDeflated) {
  for (uint16_t method : {0, 8}) {
    x.method = y.method = method;
    ErrorOr<Dataset> data = read({x, y});
    ASSERT_TRUE(data.ok()) << data.message();
    EXPECT_EQ(data->name, path + " (x_train)");
    EXPECT_EQ(data->imageShape, (std::vector<int64_t>{2, 2}));
    EXPECT_EQ(data->imageElement, ElementType::UI8);
    ASSERT_EQ(data->images.size(), 8u);
    EXPECT_EQ(data->images[7], std::byte(8));
    EXPECT_EQ(data->labels, (std::vector<int64_t>{1, 0}));
  }
}

TEST_F(Npz, ReadsFloatsAndWideLabels) {
  for (const char *text : {"2x1x2x1xf32=0.1 -2 3 4", "2x1x2x1xf64=0.1 -2 3 4"}) {
    ErrorOr<Dataset> data = read({array("x_train", text), array("y_train", "2x1xi64=-5 4294967296")});
    ASSERT_TRUE(data.ok()) << data.message();
    EXPECT_EQ(data->imageShape, (std::vector<int64_t>{1, 2, 1}));
    EXPECT_EQ(data->imageElement, ElementType::F32);
    const float expected[] = {0.1f, -2, 3, 4};
    EXPECT_TRUE(std::ranges::equal(data->images, std::as_bytes(std::span(expected))));
    EXPECT_EQ(data->labels, (std::vector<int64_t>{-5, 4294967296}));
  }
}

TEST_F(Npz, TakesNamedArrays) {
  std::vector<Member> members = {
      array("a", "1x1x2xui8=1 2"), array("b", "1xi32=3"), array("c", "1x1x2xui8=4 5"), array("d", "1xi32=6"), x, y};
  ErrorOr<Dataset> data = read(members, ":y=b,x=a");
  ASSERT_TRUE(data.ok()) << data.message();
  EXPECT_EQ(data->labels, std::vector<int64_t>{3});
  EXPECT_FALSE(hasDataset(path + ":x=a,y=b", DataPart::Test));
  EXPECT_TRUE(hasDataset(path + ":x_test=c,y_test=d", DataPart::Test));
  data = read(members, ":x_test=c,y_test=d", DataPart::Test);
  ASSERT_TRUE(data.ok()) << data.message();
  EXPECT_EQ(data->labels, std::vector<int64_t>{6});
  // Half of a part is named or there: a test set is meant.
  EXPECT_TRUE(hasDataset(path + ":x_test=c", DataPart::Test));
  EXPECT_EQ(message(members, ":x_test=c", DataPart::Test),
            "has no array 'y_test'; its arrays: 'a', 'b', 'c', 'd', 'x_train', 'y_train'; name them as in "
            "F.npz:y_test=NAME");
  members.push_back(array("x_test", "1x1x2xui8=4 5"));
  write(zipOf(members));
  EXPECT_TRUE(hasDataset(path, DataPart::Test));
}

TEST_F(Npz, SaysWhatSettingsAreWrong) {
  auto text = [&](const std::string &settings) { return checkDataSource("f.npz" + settings).message(); };
  EXPECT_EQ(text(""), "");
  EXPECT_EQ(text(":x=a,y=b,x_test=c,y_test=d.npz"), "");
  EXPECT_EQ(text(":y_tset=a"), "f.npz: unknown setting 'y_tset'; expected one of x, y, x_test, y_test; did you mean "
                               "'y_test'?");
  EXPECT_EQ(text(":"), "f.npz: unknown setting ''; expected one of x, y, x_test, y_test");
  EXPECT_EQ(text(":x=a,y"), "f.npz: 'y' needs the name of an array, as in y=y_train");
  EXPECT_EQ(text(":x=a,x=b"), "f.npz: 'x' is given twice");
}

static const std::string kRemedy = "; expected a whole file as numpy.savez(\"F.npz\", x_train=x, y_train=y) writes it";

TEST_F(Npz, SaysWhatIsWrong) {
  EXPECT_EQ(readDataset(path, DataPart::Train).message(), path + ": cannot open: No such file or directory");
  write("not a zip file");
  EXPECT_EQ(readDataset(path, DataPart::Train).message(), path + ": not a zip file, or damaged" + kRemedy);
  write("");
  EXPECT_EQ(readDataset(path, DataPart::Train).message(), path + ": is empty" + kRemedy);
  EXPECT_EQ(message({y}), "has no array 'x_train'; its arrays: 'y_train'; name them as in F.npz:x=NAME");
  EXPECT_EQ(message({x, array("y_train", "3xi32=1 2 3")}),
            "y_train: has shape (3,), expected a label for each of the 2 images: (2,) or (2, 1)");
  EXPECT_EQ(message({x, array("y_train", "2x2xi32=1 2 3 4")}),
            "y_train: has shape (2, 2), expected a label for each of the 2 images: (2,) or (2, 1)");
  EXPECT_EQ(
      message({x, array("y_train", "2xf32=1 2")}),
      "y_train: element type '<f4' is not supported; expected integers: |u1, |i1, <u2, <i2, <u4, <i4, <u8 or <i8");
  EXPECT_EQ(
      message({array("x_train", "2x2x2xi32=0"), y}),
      "x_train: is tensor<2x2x2xi32>, expected images [n, y, x], [n, y, x, colour] or flat [n, k], of ui8, f32 or "
      "f64");
  EXPECT_EQ(
      message({array("x_train", "2xui8=0"), y}),
      "x_train: is tensor<2xui8>, expected images [n, y, x], [n, y, x, colour] or flat [n, k], of ui8, f32 or f64");
  EXPECT_EQ(message({array("x_train", "0x2x2xui8="), y}), "x_train: is tensor<0x2x2xui8>: the data set is empty");
  EXPECT_EQ(message({{"x_train.npy", "no array"}, y}), "x_train: not an .npy file" + kRemedy);
}

/// What a header says is not believed.
TEST_F(Npz, RefusesHeadersThatLie) {
  x.method = 8;
  auto with = [&](auto change) {
    Member changed = x;
    change(changed);
    return message({changed, y});
  };
  // A zip bomb says what it becomes, or less.
  EXPECT_EQ(with([](Member &m) { m.size = 1u << 28; }), "x_train.npy: damaged: 268435456 bytes cannot come from " +
                                                            std::to_string(deflated(x.bytes).size()) + kRemedy);
  EXPECT_EQ(with([](Member &m) { m.size = uint32_t(m.bytes.size() - 1); }),
            "x_train.npy: damaged: its checksum is another" + kRemedy);
  EXPECT_EQ(with([](Member &m) { m.size = uint32_t(m.bytes.size() + 1); }),
            "x_train.npy: truncated: " + std::to_string(x.bytes.size()) + " of " + std::to_string(x.bytes.size() + 1) +
                " bytes" + kRemedy);
  EXPECT_EQ(with([](Member &m) { m.method = 0, m.size = uint32_t(m.bytes.size() + 1); }),
            "x_train.npy: damaged: " + std::to_string(x.bytes.size() + 1) + " bytes cannot come from " +
                std::to_string(x.bytes.size()) + kRemedy);
  EXPECT_TRUE(with([](Member &m) {
                m.compressedSize = 0x7FFFFFFF;
              }).starts_with("x_train.npy: damaged: 2147483647 compressed bytes in a file of "));
  EXPECT_EQ(with([](Member &m) { m.checksum = 1; }), "x_train.npy: damaged: its checksum is another" + kRemedy);
  EXPECT_EQ(with([](Member &m) { m.flags = 1; }), "x_train.npy: is encrypted" + kRemedy);
  EXPECT_EQ(with([](Member &m) { m.method = 14; }),
            "x_train.npy: compression method 14, expected 0 (stored) or 8 (deflated)");
}

/// Every truncation and 1,500 mutations are read or refused, and nothing else.
TEST_F(Npz, SurvivesMutations) {
  x.method = 8;
  const std::string good = zipOf({x, y});
  ErrorOr<Dataset> expected = read({x, y});
  ASSERT_TRUE(expected.ok()) << expected.message();
  constexpr size_t kZeros = 4; // at the end; minizip reads a byte that is missing as 0
  for (size_t size = 0; size < good.size() - kZeros; ++size) {
    write(good.substr(0, size));
    EXPECT_FALSE(readDataset(path, DataPart::Train).ok()) << size;
  }
  uint32_t random = 1;
  auto draw = [&] { return random = random * 1664525u + 1013904223u, random >> 8; };
  int same = 0, refused = 0;
  for (int i = 0; i < 1500; ++i) {
    std::string bytes = good;
    for (uint32_t k = 0; k <= draw() % 3; ++k)
      bytes[draw() % bytes.size()] = static_cast<char>(draw() % 3 ? draw() : draw() % 2 * 255);
    write(bytes);
    hasDataset(path, DataPart::Test);
    ErrorOr<Dataset> data = readDataset(path, DataPart::Train);
    if (!data.ok()) {
      EXPECT_TRUE(data.message().starts_with(path)) << data.message();
      refused += 1;
      continue;
    }
    // The checksums see every change of the arrays.
    EXPECT_EQ(data->images, expected->images);
    EXPECT_EQ(data->labels, expected->labels);
    same += 1;
  }
  EXPECT_GT(same, 50);
  EXPECT_GT(refused, 500);
}
