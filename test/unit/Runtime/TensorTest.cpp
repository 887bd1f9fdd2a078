// Tests of HostTensor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Runtime/Tensors/Tensor.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mp;

TEST(Tensor, ElementsRoundTrip) {
  for (ElementType element : {ElementType::I1, ElementType::UI8, ElementType::I32, ElementType::I64, ElementType::F16,
                              ElementType::BF16, ElementType::F32, ElementType::F64}) {
    HostTensor tensor = *zeroTensor(makeType(element, {3}));
    storeElement(tensor.bytes, element, 1, 1);
    EXPECT_EQ(elementAt(tensor, 0), 0);
    EXPECT_EQ(elementAt(tensor, 1), 1);
    EXPECT_EQ(elementAt(tensor, 2), 0);
  }
}

TEST(Tensor, StoresIntegersOutOfRangeAsTheNearest) {
  EXPECT_EQ(scalarTensor(ElementType::UI8, 300).values<uint8_t>()[0], 255);
  EXPECT_EQ(scalarTensor(ElementType::I32, -1e30).values<int32_t>()[0], INT32_MIN);
  EXPECT_EQ(scalarTensor(ElementType::I64, 1e30).values<int64_t>()[0], INT64_MAX);
  EXPECT_EQ(scalarTensor(ElementType::I32, NAN).values<int32_t>()[0], 0);
}

TEST(Tensor, ParsesText) {
  ErrorOr<HostTensor> tensor = parseTensor("2x2xf32=1 2.5, -3 inf");
  ASSERT_TRUE(tensor.ok()) << tensor.message();
  EXPECT_EQ(tensor->type, makeType(ElementType::F32, {2, 2}));
  EXPECT_EQ(elementAt(*tensor, 1), 2.5);
  EXPECT_EQ(elementAt(*tensor, 3), INFINITY);
  EXPECT_EQ(elementAt(*parseTensor("3xui8=7"), 2), 7);
  EXPECT_EQ(elementAt(*parseTensor("i1=true"), 0), 1);
  EXPECT_EQ(parseTensor("i64=9223372036854775807")->values<int64_t>()[0], INT64_MAX);
}

TEST(Tensor, RefusesText) {
  EXPECT_EQ(parseTensor("2xf31=1").message(), "'f31' in type '2xf31' is not an element type");
  EXPECT_EQ(parseTensor("-2xf32=1").message(), "'-2' in type '-2xf32' is not a size");
  EXPECT_EQ(parseTensor("2xf32=1 2 3").message(), "tensor<2xf32> is given 3 values");
  EXPECT_EQ(parseTensor("2xf32=1 a").message(), "'a' is not of type f32");
  EXPECT_EQ(parseTensor("ui8=256").message(), "'256' is not of type ui8");
  EXPECT_EQ(parseTensor("i32=1.5").message(), "'1.5' is not of type i32");
  EXPECT_EQ(parseTensor("f32").message(), "expected TYPE=VALUES such as 2x2xf32=1 2 3 4, found 'f32'");
  EXPECT_FALSE(parseTensor("9223372036854775807x9xf32=1").ok());
  EXPECT_FALSE(parseTensor("4611686018427387904xui8=1").ok());
}

TEST(Tensor, TextRoundTrips) {
  for (const char *text : {"2x2xf32=0.1 -2 1e-30 inf", "f64=0.1", "3xf16=0.099976 65504 -0", "i1=1",
                           "2xi64=-9223372036854775808 5", "0xf32=", "bf16=0.10009766", "i32=2147483647"}) {
    ErrorOr<HostTensor> tensor = parseTensor(text);
    ASSERT_TRUE(tensor.ok()) << text << tensor.message();
    ErrorOr<HostTensor> again = parseTensor(formatTensor(*tensor));
    ASSERT_TRUE(again.ok()) << formatTensor(*tensor) << ": " << again.message();
    EXPECT_EQ(again->bytes, tensor->bytes) << text;
  }
}

TEST(Tensor, Compares) {
  HostTensor a = *parseTensor("3xf32=1 nan inf");
  HostTensor b = *parseTensor("3xf32=1.00015 nan inf");
  EXPECT_TRUE(compareTensors(b, a, defaultTolerance(ElementType::F32)).ok());
  EXPECT_TRUE(compareTensors(a, a, {0, 0}).ok());
  EXPECT_EQ(compareTensors(b, a, {1e-5, 0}).message(),
            "1 of 3 elements differ by more than 1e-05 + 0 * |expected|; the first is 0: 1.00015, "
            "expected 1");
  EXPECT_FALSE(compareTensors(*parseTensor("f32=inf"), *parseTensor("f32=1"), {1, 1}).ok());
  EXPECT_FALSE(compareTensors(*parseTensor("f32=1"), *parseTensor("f32=nan"), {1, 1}).ok());
  EXPECT_EQ(compareTensors(*parseTensor("f32=1"), *parseTensor("1xf32=1"), {1, 1}).message(),
            "is tensor<f32>, expected tensor<1xf32>");
}

TEST(Tensor, ConvertsWhatIsHeld) {
  for (auto [from, to] : {std::pair("2xi64=3 -7", "2xi32=3 -7"),
                          {"2xi32=3 -7", "2xi64=3 -7"},
                          {"2xf32=3 -7", "2xi64=3 -7"},
                          {"2xi64=3 -7", "2xf16=3 -7"},
                          {"2xui8=0 1", "2xi1=0 1"},
                          {"2xi1=0 1", "2xf32=0 1"},
                          {"2xf64=1e-300 inf", "2xf32=0 inf"},
                          {"1xf32=nan", "1xbf16=nan"},
                          {"1xf64=0.1", "1xf32=0.1"},
                          {"0xf64=", "0xi32="}}) {
    const HostTensor expected = *parseTensor(to);
    ErrorOr<HostTensor> converted = convertTensor(*parseTensor(from), expected.type.element);
    ASSERT_TRUE(converted.ok()) << from << ": " << converted.message();
    EXPECT_EQ(formatTensor(*converted), formatTensor(expected)) << from;
  }
  HostTensor large = *parseTensor("2xi64=0 0");
  large.values<int64_t>()[1] = (int64_t(1) << 53) + 1; // no double
  EXPECT_EQ(convertTensor(large, ElementType::I64)->bytes, large.bytes);
  EXPECT_EQ(convertTensor(large, ElementType::F64).message().substr(0, 10), "element 1 ");
  EXPECT_EQ(convertTensor(*parseTensor("2xf32=1 0.5"), ElementType::I64).message(),
            "element 1 is 0.5, which no tensor<i64> holds");
  for (auto [from, to] : {std::pair("i32=256", ElementType::UI8),
                          {"i32=-1", ElementType::UI8},
                          {"i32=2", ElementType::I1},
                          {"f64=9223372036854775808", ElementType::I64},
                          {"f32=nan", ElementType::I32},
                          {"f32=inf", ElementType::I64},
                          {"i32=16777217", ElementType::F32},
                          {"i32=65536", ElementType::F16},
                          {"f64=1e300", ElementType::F32},
                          {"f32=70000", ElementType::F16}})
    EXPECT_FALSE(convertTensor(*parseTensor(from), to).ok()) << from;
}
