// Tests of initializers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Runtime/Core/Initialize.h"
#include "mp/Numerics/Philox.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mp;
using namespace mp::executable;

static StateEntryT makeEntry(InitializerKind kind, TensorTypeT type, double a = 0, double b = 0, int64_t seed = 0,
                             const char *name = "w") {
  StateEntryT entry;
  entry.name = name;
  entry.type = std::make_unique<TensorTypeT>(std::move(type));
  entry.initializer = std::make_unique<InitializerT>();
  entry.initializer->kind = kind;
  entry.initializer->a = a;
  entry.initializer->b = b;
  entry.initializer->seed = seed;
  return entry;
}

struct Moments {
  double mean = 0;
  double deviation = 0;
  double least = 0;
  double greatest = 0;
};

static Moments momentsOf(const HostTensor &tensor) {
  Moments moments;
  double squares = 0;
  for (uint64_t i = 0; i < tensor.count(); ++i) {
    double x = elementAt(tensor, i);
    moments.mean += x;
    squares += x * x;
    moments.least = std::min(moments.least, x);
    moments.greatest = std::max(moments.greatest, x);
  }
  moments.mean /= double(tensor.count());
  moments.deviation = std::sqrt(squares / double(tensor.count()) - moments.mean * moments.mean);
  return moments;
}

/// From the distribution's power series in 60 decimal digits, by bisection.
TEST(NormalQuantile, AgreesWithTheSeries) {
  const std::pair<double, double> values[] = {{0.5, 0.0},
                                              {0.4, -0.2533471031357997},
                                              {0.75, 0.6744897501960817},
                                              {0.925, 1.4395314709384561},
                                              {0.9251, 1.440238267527964},
                                              {0.99, 2.3263478740408408},
                                              {0.001, -3.090232306167813},
                                              {1e-12, -7.034483825301132}};
  for (auto [probability, x] : values)
    EXPECT_NEAR(normalQuantile(probability), x, 2e-15 * (1 + std::fabs(x))) << probability;
}

/// The quantile is the inverse of the distribution function as the C library computes it.
TEST(NormalQuantile, InvertsTheDistribution) {
  for (double p = 1e-9; p < 0.5; p *= 1.7) {
    EXPECT_NEAR(0.5 * std::erfc(-normalQuantile(p) / std::sqrt(2.0)) / p, 1, 1e-12) << p;
    EXPECT_NEAR(normalQuantile(1 - p) / normalQuantile(p), -1, 1e-7) << p;
  }
}

TEST(Initialize, Fans) {
  auto fans = [](std::vector<int64_t> shape) {
    Fans result = fansOf(makeType(ElementType::F32, std::move(shape)));
    return std::pair(result.in, result.out);
  };
  EXPECT_EQ(fans({784, 512}), std::pair(784.0, 512.0));
  EXPECT_EQ(fans({10}), std::pair(10.0, 10.0));
  EXPECT_EQ(fans({}), std::pair(1.0, 1.0));
  EXPECT_EQ(fans({64, 3, 3, 16}), std::pair(144.0, 576.0)); // KRSC
}

TEST(Initialize, Constants) {
  TensorTypeT type = makeType(ElementType::F32, {5});
  for (auto [kind, value] : {std::pair(InitializerKind::Zeros, 0.0), std::pair(InitializerKind::Ones, 1.0),
                             std::pair(InitializerKind::Constant, 0.1f + 0.0)}) {
    ErrorOr<HostTensor> tensor = initialValue(makeEntry(kind, type, 0.1), 3);
    ASSERT_TRUE(tensor.ok());
    for (uint64_t i = 0; i < 5; ++i)
      EXPECT_EQ(elementAt(*tensor, i), value);
  }
  ErrorOr<HostTensor> count = initialValue(makeEntry(InitializerKind::Constant, makeType(ElementType::I32, {}), 7), 0);
  EXPECT_EQ(count->values<int32_t>()[0], 7);
}

TEST(Initialize, SpreadsAsNamed) {
  TensorTypeT type = makeType(ElementType::F32, {300, 200});
  struct Row {
    InitializerKind kind;
    double a, b, mean, deviation, bound;
  };
  double glorot = std::sqrt(6.0 / 500), he = std::sqrt(6.0 / 300);
  const Row rows[] = {{InitializerKind::Uniform, -1, 3, 1, 4 / std::sqrt(12.0), 3},
                      {InitializerKind::GlorotUniform, 0, 0, 0, glorot / std::sqrt(3.0), glorot},
                      {InitializerKind::HeUniform, 0, 0, 0, he / std::sqrt(3.0), he},
                      {InitializerKind::Normal, 2, 0.5, 2, 0.5, 10},
                      {InitializerKind::GlorotNormal, 0, 0, 0, std::sqrt(2.0 / 500), 1},
                      {InitializerKind::HeNormal, 0, 0, 0, std::sqrt(2.0 / 300), 1}};
  for (const Row &row : rows) {
    Moments moments = momentsOf(*initialValue(makeEntry(row.kind, type, row.a, row.b), 5));
    // Four deviations of the mean and of the deviation over 60,000 draws.
    EXPECT_NEAR(moments.mean, row.mean, 4 * row.deviation / std::sqrt(60000.0));
    EXPECT_NEAR(moments.deviation, row.deviation, 4 * row.deviation / std::sqrt(2 * 60000.0));
    EXPECT_LT(moments.greatest, row.bound);
    EXPECT_GE(moments.least, -row.bound);
  }
}

/// Uniform values are those of the published mapping, so that any thread and device has the same.
TEST(Initialize, UniformFollowsPhilox) {
  HostTensor tensor =
      *initialValue(makeEntry(InitializerKind::Uniform, makeType(ElementType::F32, {9}), 0, 1, 0, ""), 0);
  uint64_t seed = 0xCBF29CE484222325; // FNV-1a of no letters; both seeds are 0
  for (uint64_t i = 0; i < 9; ++i)
    EXPECT_EQ(tensor.values<float>()[i], uniformFloat(randomBits(seed, 0, kInitializerStream, i)));
}

TEST(Initialize, SeedsAndNamesTellTensorsApart) {
  TensorTypeT type = makeType(ElementType::F32, {64});
  auto draw = [&](int64_t seed, const char *name, uint64_t run) {
    return initialValue(makeEntry(InitializerKind::Normal, type, 0, 1, seed, name), run)->bytes;
  };
  EXPECT_EQ(draw(1, "a", 1), draw(1, "a", 1));
  EXPECT_NE(draw(1, "a", 1), draw(2, "a", 1));
  EXPECT_NE(draw(1, "a", 1), draw(1, "b", 1));
  EXPECT_NE(draw(1, "a", 1), draw(1, "a", 2));
}

/// In bf16 a good part of [1, 1.01) rounds up to its end.
TEST(Initialize, UniformStaysBelowItsEnd) {
  for (ElementType element : {ElementType::BF16, ElementType::F16, ElementType::F32}) {
    HostTensor tensor = *initialValue(makeEntry(InitializerKind::Uniform, makeType(element, {2000}), 1, 1.0078125), 0);
    for (uint64_t i = 0; i < 2000; ++i)
      EXPECT_LT(elementAt(tensor, i), 1.0078125);
  }
}

TEST(Initialize, RandomState) {
  StateEntryT rng;
  rng.name = "rng";
  rng.type = std::make_unique<TensorTypeT>(makeType(ElementType::I64, {2}));
  ErrorOr<HostTensor> value = initialValue(rng, 42);
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(value->values<int64_t>()[0], 42);
  EXPECT_EQ(value->values<int64_t>()[1], 0);
  rng.type = std::make_unique<TensorTypeT>(makeType(ElementType::I64, {3}));
  EXPECT_EQ(initialValue(rng, 42).message(), "state 'rng' is tensor<3xi64>, expected tensor<2xi64>");
  rng.name = "other";
  EXPECT_EQ(initialValue(rng, 42).message(), "state 'other' has no initializer");
  EXPECT_EQ(initialValue(makeEntry(InitializerKind::Normal, makeType(ElementType::I32, {2})), 0).message(),
            "state 'w' is tensor<2xi32>; a random initializer needs a float type");
}
