// Files, written and read again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Executable/Sample.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

using namespace mp;
using namespace mp::executable;

namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test.
class ExecutableFile : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/mpx.XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string path(const char *name) const { return (folder / name).string(); }

  sample::Bytes contents(const std::string &path) const {
    std::ifstream file(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    auto bytes = std::as_bytes(std::span(text));
    return sample::Bytes(bytes.begin(), bytes.end());
  }

  size_t filesInFolder() const { return std::distance(fs::directory_iterator(folder), fs::directory_iterator()); }

  fs::path folder;
};

/// What FlatBuffers makes of a table; equal for equal tables.
std::string packed(const ExecutableT &table) {
  flatbuffers::FlatBufferBuilder builder;
  FinishExecutableBuffer(builder, executable::Executable::Pack(builder, &table));
  return std::string(reinterpret_cast<const char *>(builder.GetBufferPointer()), builder.GetSize());
}

TEST(Types, NamesAndSizes) {
  for (int i = 0; i <= int(ElementType::MAX); ++i)
    EXPECT_EQ(parseElementName(elementName(ElementType(i))), ElementType(i));
  EXPECT_EQ(parseElementName("bf16"), ElementType::BF16);
  EXPECT_EQ(parseElementName("f8"), std::nullopt);
  EXPECT_EQ(elementBytes(ElementType::I1), 1u);
  EXPECT_EQ(elementBytes(ElementType::F16), 2u);
  EXPECT_EQ(elementBytes(ElementType::F64), 8u);

  TensorTypeT type;
  type.element = ElementType::F16;
  EXPECT_EQ(byteCount(type), 2u) << "a scalar";
  type.shape = {64, 10};
  EXPECT_EQ(elementCount(type), 640u);
  EXPECT_EQ(byteCount(type), 1280u);
  EXPECT_EQ(typeName(type), "tensor<64x10xf16>");
  type.shape = {int64_t(1) << 40, int64_t(1) << 40, 0};
  EXPECT_EQ(elementCount(type), 0u) << "no elements, whatever the other sizes";
  type.shape = {int64_t(1) << 40, int64_t(1) << 40};
  EXPECT_EQ(elementCount(type), std::nullopt);
  type.shape = {int64_t(1) << 62};
  EXPECT_EQ(elementCount(type), uint64_t(1) << 62);
  EXPECT_EQ(byteCount(type), std::nullopt);
  type.shape = {0, -1};
  EXPECT_EQ(elementCount(type), std::nullopt);
}

TEST_F(ExecutableFile, RoundTrip) {
  ASSERT_EQ(writeExecutable(path("f.mpx"), sample::table(), sample::blobs()).message(), "");
  EXPECT_EQ(filesInFolder(), 1u) << "nothing is left beside it";
  ErrorOr<LoadedExecutable> loaded = readExecutable(path("f.mpx"));
  ASSERT_TRUE(loaded) << loaded.message();
  // The sample has the offsets that the writer gives.
  EXPECT_EQ(packed(loaded->table), packed(sample::table()));
  for (size_t i = 0; i < sample::blobs().size(); ++i) {
    std::span<const std::byte> blob = loaded->blob(i);
    EXPECT_EQ(sample::Bytes(blob.begin(), blob.end()), sample::blobs()[i]);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(blob.data()) % kAlignment, 0u);
  }
}

TEST_F(ExecutableFile, BytesAreThoseOfTheFileAndAlwaysTheSame) {
  ASSERT_EQ(writeExecutable(path("f.mpx"), sample::table(), sample::blobs()).message(), "");
  ErrorOr<FileBytes> bytes = serializeExecutable(sample::table(), sample::blobs());
  ASSERT_TRUE(bytes);
  EXPECT_EQ(contents(path("f.mpx")), sample::Bytes(bytes->span().begin(), bytes->span().end()));
  ErrorOr<LoadedExecutable> loaded = readExecutable(bytes->span());
  EXPECT_TRUE(loaded) << loaded.message();
}

TEST_F(ExecutableFile, NativeCodeCanBeRefused) {
  ASSERT_EQ(writeExecutable(path("f.mpx"), sample::table(), sample::blobs()).message(), "");
  EXPECT_EQ(readExecutable(path("f.mpx"), {.noNative = true}).message(),
            path("f.mpx") + ": has native code, which --no-native refuses");
  // Code of every kind is refused, used or not; nothing else is.
  for (BlobKind kind : {BlobKind::PTX, BlobKind::Cubin, BlobKind::SimulatedCode, BlobKind::Constants}) {
    ExecutableT table = sample::table();
    table.programs[2]->variants.erase(table.programs[2]->variants.begin());
    table.programs[0]->variants.erase(table.programs[0]->variants.begin(), table.programs[0]->variants.begin() + 2);
    table.blobs[0]->kind = kind;
    ASSERT_EQ(writeExecutable(path("f.mpx"), table, sample::blobs()).message(), "");
    EXPECT_EQ(readExecutable(path("f.mpx"), {.noNative = true}).ok(), kind == BlobKind::Constants);
  }
}

TEST_F(ExecutableFile, TheWriterRefusesWhatTheReaderWould) {
  ASSERT_EQ(writeExecutable(path("f.mpx"), sample::table(), sample::blobs()).message(), "");
  sample::Bytes before = contents(path("f.mpx"));
  ExecutableT table = sample::table();
  table.state[0]->name = "bias";
  EXPECT_EQ(writeExecutable(path("f.mpx"), table, sample::blobs()).message(),
            path("f.mpx") + ": state 'kernel/adam.m': is kept beside 'kernel', which is not there");
  EXPECT_EQ(contents(path("f.mpx")), before) << "the old file is untouched";
  EXPECT_EQ(writeExecutable(path("f.mpx"), sample::table(), {}).message(),
            path("f.mpx") + ": the table names 4 blobs, the caller gives 0");
  table = sample::table();
  table.blobs[0].reset();
  EXPECT_EQ(writeExecutable(path("f.mpx"), table, sample::blobs()).message(),
            path("f.mpx") + ": a blob of the table is null");
}

TEST_F(ExecutableFile, WritingFailsCleanly) {
  EXPECT_EQ(writeExecutable(path("none/f.mpx"), sample::table(), sample::blobs()).message(),
            path("none/f.mpx") + ": cannot write beside it: No such file or directory");
  fs::create_directory(path("d"));
  EXPECT_EQ(writeExecutable(path("d"), sample::table(), sample::blobs()).message(),
            path("d") + ": cannot write: Is a directory");
  EXPECT_EQ(filesInFolder(), 1u) << "the file beside it is gone";
}

TEST_F(ExecutableFile, ReadingFailsCleanly) {
  EXPECT_EQ(readExecutable(path("f.mpx")).message(), path("f.mpx") + ": cannot open: No such file or directory");
  EXPECT_EQ(readExecutable(folder.string()).message(), folder.string() + ": not a regular file");
  std::ofstream(path("empty")).flush();
  EXPECT_EQ(readExecutable(path("empty")).message(),
            path("empty") + ": not an executable: 0 bytes are less than a header of 64");
}

// Header fields, each damaged with the hash set right again where the hash is checked before the field.
TEST(Header, EveryFieldIsChecked) {
  const sample::Bytes good = sample::unverifiedFile(sample::table());
  auto message = [&](size_t at, uint64_t value, size_t bytes, bool rehash) {
    sample::Bytes file = good;
    std::memcpy(file.data() + at, &value, bytes);
    if (rehash)
      sample::rehash(file);
    return readExecutable(std::span<const std::byte>(file)).message();
  };
  EXPECT_EQ(readExecutable(std::span<const std::byte>(good)).message(), "");
  EXPECT_EQ(message(0, 'X', 1, true), "not an executable: it does not start with the format's magic bytes");
  EXPECT_EQ(message(8, 2, 4, true),
            "version 2 of the format, expected 3 to 4; compile the model again with this Halfstep");
  EXPECT_EQ(
      message(8, 5, 4, true),
      "version 5 of the format, expected 3 to 4; compile the model again with this Halfstep, or take a later one");
  EXPECT_EQ(message(8, 3, 4, true), "version 4 of the table in a file of version 3");
  EXPECT_EQ(message(12, 32, 4, true), "header of 32 bytes, expected 64");
  std::string size = std::to_string(good.size());
  EXPECT_EQ(message(16, 1, 8, true), "truncated or extended: " + size + " bytes, expected 1");
  EXPECT_EQ(message(24, 8, 8, false), "damaged: the content does not match its hash");
  std::string length = std::to_string(good.size() - sample::tableOffset(good));
  EXPECT_EQ(message(24, 8, 8, true), "table at 8 of " + length + " bytes is outside the file");
  EXPECT_EQ(message(24, ~uint64_t(63), 8, true),
            "table at 18446744073709551552 of " + length + " bytes is outside the file");
  EXPECT_EQ(message(32, ~uint64_t(0), 8, true), "table at 512 of 18446744073709551615 bytes is outside the file");
  EXPECT_EQ(message(32, 3, 8, true), "the table is not a well-formed FlatBuffer of this schema");
  EXPECT_EQ(message(40, 1, 8, true), "the reserved bytes of the header are not 0");
  EXPECT_EQ(message(48, 0, 8, false), "damaged: the content does not match its hash");
}

/// The sample as version 3 had it.
static sample::Bytes versionThree(ExecutableT table) {
  table.version = 3;
  sample::Bytes file = sample::unverifiedFile(std::move(table));
  file[8] = std::byte(3);
  sample::rehash(file);
  return file;
}

TEST(Header, FilesOfTheVersionBeforeAreRead) {
  ExecutableT table = sample::table();
  table.state[0]->values = -1;
  table.blobs.pop_back();
  const sample::Bytes good = versionThree(table);
  ErrorOr<LoadedExecutable> loaded = readExecutable(std::span<const std::byte>(good));
  ASSERT_TRUE(loaded) << loaded.message();
  EXPECT_FALSE(loaded->values(*loaded->table.state[0]));
  // What is written anew is of this version.
  ErrorOr<FileBytes> again = serializeWithValues(*loaded, {});
  ASSERT_TRUE(again) << again.message();
  EXPECT_EQ(readExecutable(again->span())->table.version, kExecutableVersion);
  const sample::Bytes later = versionThree(sample::table());
  EXPECT_EQ(readExecutable(std::span<const std::byte>(later)).message(),
            "blob 3 is Values, which version 3 of the format lacks");
}

TEST(Values, AreStoredReplacedAndRead) {
  ErrorOr<FileBytes> file = serializeExecutable(sample::table(), sample::blobs());
  ErrorOr<LoadedExecutable> loaded = readExecutable(file->span());
  ASSERT_TRUE(loaded) << loaded.message();
  const auto valuesOf = [](const LoadedExecutable &executable, size_t row) {
    auto values = executable.values(*executable.table.state[row]);
    return values ? sample::Bytes(values->begin(), values->end()) : sample::Bytes();
  };
  EXPECT_EQ(valuesOf(*loaded, 0), sample::blobs()[3]);
  EXPECT_TRUE(valuesOf(*loaded, 3).empty());

  const TensorTypeT &kernel = *loaded->table.state[0]->type, &scale = *loaded->table.state[3]->type;
  const sample::Bytes ones(128, std::byte(1)), four(4, std::byte(4));
  ErrorOr<FileBytes> stored = serializeWithValues(*loaded, {{"loss_scale", scale, four}, {"kernel", kernel, ones}});
  ASSERT_TRUE(stored) << stored.message();
  ErrorOr<LoadedExecutable> other = readExecutable(stored->span());
  ASSERT_TRUE(other) << other.message();
  EXPECT_EQ(valuesOf(*other, 0), ones);
  EXPECT_EQ(valuesOf(*other, 3), four);
  EXPECT_EQ(other->table.blobs.size(), 5u) << "values that were replaced are gone";
  // Code and constants are where launches and variants say.
  const VariantT &train = *other->table.programs[0]->variants[0];
  std::span<const std::byte> code = other->blob(train.commands[1]->what.AsLaunch()->blob);
  EXPECT_EQ(sample::Bytes(code.begin(), code.end()), sample::blobs()[0]);
  EXPECT_EQ(other->table.blobs[static_cast<size_t>(train.constants)]->kind, BlobKind::Constants);

  // Values in front of code: what is left has other numbers.
  ExecutableT table = sample::table();
  std::swap(table.blobs[0], table.blobs[3]);
  table.state[0]->values = 0;
  for (const auto &program : table.programs)
    for (const auto &variant : program->variants)
      for (const auto &command : variant->commands)
        if (LaunchT *launch = command->what.AsLaunch(); launch && launch->blob == 0)
          launch->blob = 3;
  std::vector<sample::Bytes> blobs = sample::blobs();
  std::swap(blobs[0], blobs[3]);
  ErrorOr<FileBytes> swapped = serializeExecutable(table, blobs);
  ASSERT_TRUE(swapped) << swapped.message();
  ErrorOr<FileBytes> moved = serializeWithValues(*readExecutable(swapped->span()), {{"kernel", kernel, ones}});
  ASSERT_TRUE(moved) << moved.message();
  ErrorOr<LoadedExecutable> last = readExecutable(moved->span());
  ASSERT_TRUE(last) << last.message();
  EXPECT_EQ(valuesOf(*last, 0), ones);
  code = last->blob(last->table.programs[0]->variants[0]->commands[1]->what.AsLaunch()->blob);
  EXPECT_EQ(sample::Bytes(code.begin(), code.end()), sample::blobs()[0]);
}

TEST(Values, WhatDoesNotFitIsRefused) {
  ErrorOr<FileBytes> file = serializeExecutable(sample::table(), sample::blobs());
  ErrorOr<LoadedExecutable> loaded = readExecutable(file->span());
  const TensorTypeT &kernel = *loaded->table.state[0]->type, &derived = *loaded->table.state[4]->type;
  const sample::Bytes ones(128, std::byte(1)), few(64, std::byte(1));
  auto message = [&](const std::vector<StateValues> &values) { return serializeWithValues(*loaded, values).message(); };
  EXPECT_EQ(message({{"bias", kernel, ones}}), "the executable does not have state 'bias'");
  EXPECT_EQ(message({{"kernel", kernel, ones}, {"kernel", kernel, ones}}), "state 'kernel' is given twice");
  EXPECT_EQ(message({{"kernel.f16", derived, few}}),
            "state 'kernel.f16' is derived of 'kernel'; give that state instead");
  EXPECT_EQ(message({{"kernel", kernel, few}}), "state 'kernel' is tensor<8x4xf32>, given tensor<8x4xf32> of 64 bytes");
  EXPECT_EQ(message({{"kernel", derived, few}}),
            "state 'kernel' is tensor<8x4xf32>, given tensor<8x4xf16> of 64 bytes");
}

// A byte of i1 is what code branches on.
TEST(Values, ElementsAreChecked) {
  ExecutableT table = sample::table();
  auto flag = std::make_unique<StateEntryT>(*table.state[3]);
  flag->name = "flag";
  flag->type->element = ElementType::I1;
  flag->type->shape = {2};
  flag->initializer->a = 0;
  flag->values = 4;
  table.state.push_back(std::move(flag));
  table.blobs.push_back(std::make_unique<BlobT>());
  table.blobs.back()->kind = BlobKind::Values;
  std::vector<sample::Bytes> blobs = sample::blobs();
  for (int last : {1, 2}) {
    blobs.resize(4);
    blobs.push_back({std::byte(0), std::byte(last)});
    ErrorOr<FileBytes> file = serializeExecutable(table, blobs);
    ASSERT_TRUE(file) << file.message();
    EXPECT_EQ(readExecutable(file->span()).message(),
              last == 1 ? "" : "state 'flag': starts from 2, which is not a value of i1");
  }
}

TEST(Structure, TruncatedTablesAreRefused) {
  const sample::Bytes good = sample::unverifiedFile(sample::table());
  std::span<const std::byte> table = std::span(good).subspan(sample::tableOffset(good));
  for (size_t length = 0; length < table.size(); length += 7) {
    sample::Bytes file = sample::withTable(good, table.first(length));
    ASSERT_FALSE(readExecutable(std::span<const std::byte>(file))) << length;
  }
}

// Many references to one string: 10,000 keys of 4,000 bytes in a table of about 200 kB.
TEST(Structure, SharedPartsAreRefused) {
  flatbuffers::FlatBufferBuilder builder;
  auto text = builder.CreateString(std::string(4000, 'k'));
  std::vector<flatbuffers::Offset<KeyValue>> entries;
  for (int i = 0; i < 10000; ++i)
    entries.push_back(CreateKeyValue(builder, text, text));
  auto metadata = builder.CreateVector(entries);
  ExecutableBuilder table(builder);
  table.add_version(kExecutableVersion);
  table.add_metadata(metadata);
  FinishExecutableBuffer(builder, table.Finish());
  sample::Bytes file = sample::withTable(sample::unverifiedFile(sample::table()),
                                         std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())));
  EXPECT_EQ(readExecutable(std::span<const std::byte>(file)).message(), "parts of the table share their bytes");
}

} // namespace
