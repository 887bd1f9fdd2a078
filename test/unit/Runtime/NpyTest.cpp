// Tests of .npy files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Runtime/Tensors/Npy.h"
#include "Runtime/TemporaryFolder.h"
#include "mp/Runtime/Tensors/Files.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

using namespace mp;
using namespace mp::test;

/// A file of version 1 with that dictionary, whose length need not be a multiple of 64.
static std::vector<std::byte> makeNpy(const std::string &dictionary, const std::string &data) {
  std::string text = std::string("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(dictionary.size() & 0xFF);
  text += static_cast<char>(dictionary.size() >> 8);
  text += dictionary + data;
  std::span<const std::byte> bytes = bytesOf(text);
  return {bytes.begin(), bytes.end()};
}

/// A file's error says what it should be, and where, once.
TEST(Npy, SaysWhatWasExpected) {
  TemporaryFolder folder;
  auto message = [&](const std::string &bytes) {
    std::ofstream(folder / "a.npy", std::ios::binary) << bytes;
    return readNpy(folder / "a.npy").message().substr((folder / "a.npy").size());
  };
  EXPECT_EQ(message(""), ": not an .npy file; expected an array as numpy.save writes it");
  EXPECT_EQ(message(std::string("\x93NUMPY\x01\0\x70\0", 10)),
            ": header of 112 bytes is truncated to 0; expected an array as numpy.save writes it");
  EXPECT_EQ(message(std::string("\x93NUMPY\x09\0\x70\0", 10)),
            ": version 9 of .npy is not supported; expected 1.0, 2.0 or 3.0");
}

TEST(Npy, RoundTrips) {
  TemporaryFolder folder;
  for (const char *text : {"2x3xf32=1 2 3 4 5 6", "f64=0.5", "0x4xf16=", "5xui8=1 2 3 4 5", "3xi1=1 0 1", "2xi64=-1 7",
                           "2x1x2xbf16=1 2 3 4", "1xi32=-3"}) {
    HostTensor tensor = *parseTensor(text);
    ASSERT_TRUE(writeNpy(folder / "a.npy", tensor).ok());
    ErrorOr<HostTensor> again = readNpy(folder / "a.npy");
    ASSERT_TRUE(again.ok()) << again.message();
    EXPECT_EQ(again->type, tensor.type) << text;
    EXPECT_EQ(again->bytes, tensor.bytes) << text;
    // The data of a file begin at a multiple of 64 bytes, as the format asks.
    EXPECT_EQ((readFile(folder / "a.npy")->size() - tensor.bytes.size()) % 64, 0u);
  }
}

TEST(Npy, ReadsColumnMajor) {
  // [[0, 1, 2], [3, 4, 5]] column by column.
  ErrorOr<HostTensor> tensor =
      parseNpy(makeNpy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", std::string("\0\3\1\4\2\5", 6)));
  ASSERT_TRUE(tensor.ok()) << tensor.message();
  for (uint64_t i = 0; i < 6; ++i)
    EXPECT_EQ(elementAt(*tensor, i), double(i));
}

TEST(Npy, ReadsIntegersOfEveryWidth) {
  auto read = [](const std::string &type, const std::string &data, const std::string &shape = "(2,)") {
    return parseNpyIntegers(makeNpy("{'descr': '" + type + "', 'fortran_order': True, 'shape': " + shape + "}", data));
  };
  auto values = [](const ErrorOr<HostTensor> &tensor) {
    EXPECT_TRUE(tensor.ok()) << tensor.message();
    std::span<const int64_t> all = tensor->values<int64_t>();
    return std::vector<int64_t>(all.begin(), all.end());
  };
  using V = std::vector<int64_t>;
  EXPECT_EQ(values(read("|u1", "\xFE\1")), (V{254, 1}));
  EXPECT_EQ(values(read("|i1", "\xFE\1")), (V{-2, 1}));
  EXPECT_EQ(values(read("<u2", std::string("\xFE\xFF\1\0", 4))), (V{65534, 1}));
  EXPECT_EQ(values(read("<i2", std::string("\xFE\xFF\1\2", 4))), (V{-2, 513}));
  EXPECT_EQ(values(read("<u4", std::string("\xFE\xFF\xFF\xFF\1\0\0\0", 8))), (V{4294967294, 1}));
  EXPECT_EQ(values(read("<i4", std::string("\xFE\xFF\xFF\xFF\1\0\0\0", 8))), (V{-2, 1}));
  EXPECT_EQ(values(read("<i8", std::string(8, '\xFF') + std::string("\2\0\0\0\0\0\0\1", 8))), (V{-1, (1LL << 56) + 2}));
  EXPECT_EQ(values(read("<u8", std::string(7, '\xFF') + "\x7F" + std::string(8, '\0'))), (V{INT64_MAX, 0}));
  EXPECT_EQ(values(read("|u1", std::string("\0\3\1\4\2\5", 6), "(2, 3)")), (V{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(read("<u8", std::string(8, '\0') + std::string(8, '\xFF')).message(),
            "element 1 is 18446744073709551615, expected at most 9223372036854775807");
  EXPECT_EQ(read("<f4", std::string(8, '\0')).message(),
            "element type '<f4' is not supported; expected integers: |u1, |i1, <u2, <i2, <u4, <i4, <u8 or <i8");
  EXPECT_EQ(read("<i2", "123").message(), "shape of tensor<2xi64> does not fit 3 bytes of <i2");
  EXPECT_EQ(read("<i8", "12345678", "(2305843009213693953,)").message(),
            "shape of tensor<2305843009213693953xi64> does not fit 8 bytes of <i8");
  EXPECT_EQ(read("|O", "").message(), "holds Python objects, which are a pickle and are never opened");
}

TEST(Npy, SaysWhatIsWrong) {
  auto message = [](const std::string &dictionary, const std::string &data) {
    return parseNpy(makeNpy(dictionary, data)).message();
  };
  EXPECT_EQ(message("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", "1234"),
            "element type '>f4' is not supported; expected |b1, |u1, <i4, <i8, <f2, <f4, <f8 or V2 (bf16)");
  EXPECT_EQ(message("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "1234"),
            "tensor<2xf32> has 8 bytes, the file holds 4");
  EXPECT_EQ(message("{'descr': '<f4', 'shape': (2,)}", ""), "header does not have 'fortran_order'");
  EXPECT_EQ(message("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", ""), "shape (-1,) has no sizes");
  EXPECT_FALSE(message("{'descr': '<f8', 'fortran_order': False, "
                       "'shape': (9223372036854775807, 9223372036854775807)}",
                       "")
                   .empty());
  // What a terminal would obey is not passed on, nor a type of any length.
  EXPECT_EQ(message("{'descr': '\x1b[2J\n', 'fortran_order': False, 'shape': (1,)}", ""),
            "element type '?[2J?' is not supported; expected |b1, |u1, <i4, <i8, <f2, <f4, <f8 or V2 (bf16)");
  EXPECT_EQ(message("{'descr': '<f4', 'fortran_order': False, 'shape': (\x1b[2J\n)}", ""),
            "shape (?[2J?) has no sizes");
  std::string ones = "(";
  for (int i = 0; i < 65; ++i)
    ones += "1,";
  EXPECT_EQ(message("{'descr': '<f4', 'fortran_order': False, 'shape': " + ones + ")}", "1234"),
            "shape has more than 64 dimensions");
  EXPECT_EQ(parseNpy({}).message(), "not an .npy file");
}

/// Every truncation and 2,000 mutations are read or refused, and nothing else.
TEST(Npy, SurvivesMutations) {
  std::vector<std::byte> good =
      makeNpy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }    \n", std::string(16, 'x'));
  ASSERT_TRUE(parseNpy(good).ok());
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(parseNpy(std::span(good).first(size)).ok());
  uint32_t random = 1;
  auto draw = [&] { return random = random * 1664525u + 1013904223u, random >> 8; };
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::byte> bytes = good;
    for (uint32_t k = 0; k <= draw() % 4; ++k)
      bytes[draw() % bytes.size()] = std::byte(draw());
    ErrorOr<HostTensor> tensor = parseNpy(bytes);
    if (tensor.ok()) {
      EXPECT_EQ(tensor->bytes.size(), *byteCount(tensor->type));
    }
    ErrorOr<HostTensor> integers = parseNpyIntegers(bytes);
    if (integers.ok()) {
      EXPECT_EQ(integers->bytes.size(), *byteCount(integers->type));
    }
  }
}
