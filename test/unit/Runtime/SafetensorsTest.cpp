// Tests of safetensors files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Runtime/Tensors/Safetensors.h"
#include "Runtime/TemporaryFolder.h"
#include "mp/Runtime/Tensors/Files.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

using namespace mp;
using namespace mp::test;

static std::vector<std::byte> makeFile(const std::string &header, const std::string &data) {
  uint64_t length = header.size();
  std::string text(sizeof(length), '\0');
  std::memcpy(text.data(), &length, sizeof(length));
  text += header + data;
  std::span<const std::byte> bytes = bytesOf(text);
  return {bytes.begin(), bytes.end()};
}

static std::string messageOf(const std::string &header, const std::string &data) {
  return parseSafetensors(makeFile(header, data)).message();
}

TEST(Safetensors, RoundTrips) {
  TemporaryFolder folder;
  NamedTensors tensors = {{"b", *parseTensor("3xui8=1 2 3")},  {"a\"\\\n", *parseTensor("2x2xf32=1 2 3 4")},
                          {"half", *parseTensor("2xf16=1 2")}, {"brain", *parseTensor("bf16=3")},
                          {"flag", *parseTensor("2xi1=1 0")},  {"none", *parseTensor("0x7xf64=")},
                          {"count", *parseTensor("i64=-5")}};
  ASSERT_TRUE(writeSafetensors(folder / "a", tensors, {{"step", "12"}}).ok());
  ErrorOr<Safetensors> file = readSafetensors(folder / "a");
  ASSERT_TRUE(file.ok()) << file.message();
  EXPECT_EQ(file->metadata, (std::map<std::string, std::string>{{"step", "12"}}));
  ASSERT_EQ(file->tensors.size(), tensors.size());
  for (const NamedTensor &expected : tensors) {
    const HostTensor *actual = findTensor(file->tensors, expected.name);
    ASSERT_TRUE(actual) << expected.name;
    EXPECT_EQ(actual->type, expected.tensor.type);
    EXPECT_EQ(actual->bytes, expected.tensor.bytes);
  }
  ASSERT_TRUE(writeSafetensors(folder / "empty", {}).ok());
  EXPECT_TRUE(readSafetensors(folder / "empty")->tensors.empty());
}

/// The bytes of huggingface/safetensors' own documentation.
TEST(Safetensors, ReadsWhatOthersWrite) {
  ErrorOr<Safetensors> file = parseSafetensors(
      makeFile(R"({"test":{"dtype":"I32","shape":[2,2],"data_offsets":[0,16]}})", std::string(16, '\0')));
  ASSERT_TRUE(file.ok()) << file.message();
  EXPECT_EQ(file->tensors[0].tensor.type, makeType(ElementType::I32, {2, 2}));
}

/// A file's error says what it should be, and where.
TEST(Safetensors, SaysWhatWasExpected) {
  TemporaryFolder folder;
  std::ofstream(folder / "a.safetensors") << "{";
  EXPECT_EQ(readSafetensors(folder / "a.safetensors").message(),
            (folder / "a.safetensors") + ": not a safetensors file: 1 bytes; expected a whole safetensors file, as "
                                         "safetensors.numpy.save_file writes it");
  EXPECT_EQ(readSafetensors(folder / "b").message(), (folder / "b") + ": cannot open: No such file or directory");
}

TEST(Safetensors, SaysWhatIsWrong) {
  EXPECT_EQ(parseSafetensors({}).message(), "not a safetensors file: 0 bytes");
  EXPECT_EQ(messageOf("[]", ""), "header is not a JSON object");
  EXPECT_EQ(messageOf("{", ""), "header is not a JSON object");
  EXPECT_EQ(messageOf(std::string(1000, '['), ""), "header is nested too deeply");
  EXPECT_EQ(messageOf(R"({"a":1})", ""), "tensor \"a\": does not have each of dtype, shape and data_offsets");
  EXPECT_EQ(messageOf(R"({"a":{"dtype":"I16","shape":[1],"data_offsets":[0,2]}})", "12"),
            "tensor \"a\": type \"I16\" is not supported");
  EXPECT_EQ(messageOf(R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,2]}})", "12"),
            "tensor \"a\": shape has an entry that is not a size");
  EXPECT_EQ(messageOf(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,2]}})", "12"),
            "tensor \"a\": tensor<3xui8> does not fill 2 bytes");
  EXPECT_EQ(messageOf(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})", "12"),
            "tensor \"a\": data 0 to 3 are outside of 2 bytes");
  EXPECT_EQ(messageOf(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                      R"("b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                      "1"),
            "tensor \"b\" begins at 0, the one before ends at 1");
  EXPECT_EQ(messageOf(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "12"), "tensors cover 1 of 2 bytes");
  EXPECT_EQ(messageOf(R"({"a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})", "7"),
            "tensor \"a\" holds a BOOL that is neither 0 nor 1");
  std::string ones = "1";
  for (int i = 0; i < 64; ++i)
    ones += ",1";
  EXPECT_EQ(messageOf(R"({"a":{"dtype":"U8","shape":[)" + ones + R"(],"data_offsets":[0,1]}})", "1"),
            "tensor \"a\": shape has more than 64 dimensions");
  EXPECT_EQ(messageOf(R"({"__metadata__":{"a":1}})", ""), "metadata \"a\" is not text");
  EXPECT_FALSE(messageOf(R"({"a":{"dtype":"F64","shape":[4294967296,4294967296],)"
                         R"("data_offsets":[0,0]}})",
                         "")
                   .empty());
  std::vector<std::byte> huge(8, std::byte(0xFF));
  EXPECT_FALSE(parseSafetensors(huge).ok());
}

/// Every truncation is refused; 3,000 mutations of header and length are read or refused.
TEST(Safetensors, SurvivesMutations) {
  std::vector<std::byte> good =
      makeFile(R"({"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[2,2],)"
               R"("data_offsets":[0,16]},"b":{"dtype":"U8","shape":[4],"data_offsets":[16,20]}})",
               std::string(20, '\1'));
  ASSERT_TRUE(parseSafetensors(good).ok());
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(parseSafetensors(std::span(good).first(size)).ok()) << size;
  uint32_t random = 7;
  auto draw = [&] { return random = random * 1664525u + 1013904223u, random >> 8; };
  const std::string bits = "{}[]\",:0123456789-eE.\\nulltrue ";
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::byte> bytes = good;
    for (uint32_t k = 0; k <= draw() % 3; ++k) {
      size_t at = draw() % bytes.size();
      if (draw() % 2)
        bytes[at] = std::byte(bits[draw() % bits.size()]);
      else if (draw() % 2)
        bytes[at] = std::byte(draw());
      else
        bytes.erase(bytes.begin() + int64_t(at));
    }
    ErrorOr<Safetensors> file = parseSafetensors(bytes);
    if (!file.ok()) {
      EXPECT_FALSE(file.message().empty());
      continue;
    }
    for (const NamedTensor &tensor : file->tensors)
      EXPECT_EQ(tensor.tensor.bytes.size(), *byteCount(tensor.tensor.type));
  }
}
