// Optimizers, clipping and sums of training.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimizers against their published formulas in f64 with the host's pow; the f32 steps of mp's ops keep them within a
// few ulps. Guards and edges against values worked out by hand.

#include "Reference/Program.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mp;

namespace {

const std::string kScalar = "tensor<f32>";

Tensor number(double value) { return reals(ElementType::F32, {}, {value}); }
Tensor vector(const std::vector<double> &values) {
  return reals(ElementType::F32, {static_cast<int64_t>(values.size())}, values);
}

/// Gradients of five elements at step t: of different sizes and signs, one of them always 0.
std::vector<double> gradientAt(int t) { return {std::sin(t + 1.0), -3 * std::cos(t), 1e-3 * t, 0, 1e4}; }

/// Within 2e-6 of `sizes`, the sizes of what was added up.
void expectNear(const Tensor &found, const std::vector<double> &expected, const std::vector<double> &sizes,
                const std::string &what) {
  const std::vector<double> values = found.reals();
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(values[i], expected[i], 2e-6 * std::abs(sizes[i])) << what << ", element " << i;
}
void expectNear(const Tensor &found, const std::vector<double> &expected, const std::string &what) {
  expectNear(found, expected, expected, what);
}

struct Adam {
  std::vector<double> parameter, m, v, sizeOfM = std::vector<double>(5, 0.0);

  /// torch.optim.Adam, or AdamW where `decoupled`.
  void step(const std::vector<double> &gradient, int t, double rate, double beta1, double beta2, double epsilon,
            double decay, bool decoupled) {
    for (size_t i = 0; i < parameter.size(); ++i) {
      double g = gradient[i];
      if (decoupled)
        parameter[i] *= 1 - rate * decay;
      else
        g += decay * parameter[i];
      m[i] = beta1 * m[i] + (1 - beta1) * g;
      sizeOfM[i] = beta1 * sizeOfM[i] + (1 - beta1) * std::abs(g);
      v[i] = beta2 * v[i] + (1 - beta2) * g * g;
      const double mean = m[i] / (1 - std::pow(beta1, t)), square = v[i] / (1 - std::pow(beta2, t));
      parameter[i] -= rate * mean / (std::sqrt(square) + epsilon);
    }
  }
};

void expectAdamFollows(bool decoupled) {
  const std::string op = decoupled ? "mp.adamw" : "mp.adam", type = "tensor<5xf32>";
  const std::string signature = "(%p: " + type + ", %g: " + type + ", %m: " + type + ", %v: " + type +
                                ", %lr: tensor<f32>, %t: tensor<i64>) -> (" + type + ", " + type + ", " + type + ")";
  const std::string body = "%r:3 = " + op +
                           " %p, %g, %m, %v, %lr, %t {beta1 = 0.8 : f64, beta2 = 0.95 : f64, epsilon = 1.0e-3 : f64,"
                           " weight_decay = 0.05 : f64} : " +
                           type + "\nreturn %r#0, %r#1, %r#2 : " + type + ", " + type + ", " + type;
  Adam exact{{1, -2, 0.5, 3, -1}, std::vector<double>(5, 0.0), std::vector<double>(5, 0.0)};
  const std::vector<double> sizeOfParameter(5, 1.0);
  std::vector<Tensor> state = {vector(exact.parameter), vector(exact.m), vector(exact.v)};
  for (int t = 0; t < 20; ++t) {
    state =
        run(signature, body,
            {state[0], vector(gradientAt(t)), state[1], state[2], number(0.01), integers(ElementType::I64, {}, {t})});
    ASSERT_EQ(state.size(), 3u);
    exact.step(gradientAt(t), t + 1, 0.01, 0.8, 0.95, 1e-3, 0.05, decoupled);
    expectNear(state[0], exact.parameter, sizeOfParameter, op + " parameter, step " + std::to_string(t));
    expectNear(state[1], exact.m, exact.sizeOfM, op + " m, step " + std::to_string(t));
    expectNear(state[2], exact.v, op + " v, step " + std::to_string(t));
  }
}

} // namespace

TEST(TrainingOps, adamFollowsItsFormula) { expectAdamFollows(false); }
TEST(TrainingOps, adamwFollowsItsFormula) { expectAdamFollows(true); }

TEST(TrainingOps, sgdFollowsTorch) {
  for (bool nesterov : {false, true}) {
    const std::string type = "tensor<5xf32>";
    const std::string body =
        "%r:2 = mp.sgd %p, %g, %lr velocity %v {momentum = 0.75 : f32, weight_decay = 0.125 : f32" +
        std::string(nesterov ? ", nesterov" : "") + "} : " + type + "\nreturn %r#0, %r#1 : " + type + ", " + type;
    std::vector<double> p = {1, -2, 0.5, 3, -1}, v(5, 0.0);
    std::vector<Tensor> state = {vector(p), vector(v)};
    for (int t = 0; t < 10; ++t) {
      state = run("(%p: " + type + ", %g: " + type + ", %lr: tensor<f32>, %v: " + type + ") -> (" + type + ", " + type +
                      ")",
                  body, {state[0], vector(gradientAt(t)), number(0.03125), state[1]});
      ASSERT_EQ(state.size(), 2u);
      for (size_t i = 0; i < p.size(); ++i) {
        const double g = gradientAt(t)[i] + 0.125 * p[i];
        v[i] = 0.75 * v[i] + g;
        p[i] -= 0.03125 * (nesterov ? g + 0.75 * v[i] : v[i]);
      }
      expectNear(state[0], p, "parameter, step " + std::to_string(t));
      expectNear(state[1], v, "velocity, step " + std::to_string(t));
    }
  }
}

TEST(TrainingOps, clippingKeepsSmallGradientsAndScalesLargeOnes) {
  auto clip = [](double limit, const std::vector<double> &a, double b) {
    return run(
        "(%a: tensor<2xf32>, %b: tensor<f32>) -> (tensor<2xf32>, tensor<f32>, tensor<f32>)",
        "%c:3 = mp.clip_by_global_norm %a, %b {max_norm = " + std::to_string(limit) +
            " : f32} : tensor<2xf32>, tensor<f32>\nreturn %c#0, %c#1, %c#2 : tensor<2xf32>, tensor<f32>, tensor<f32>",
        {vector(a), number(b)});
  };
  std::vector<Tensor> kept = clip(13.5, {3, 4}, 12);
  EXPECT_EQ(kept[0].reals(), (std::vector<double>{3, 4}));
  EXPECT_EQ(kept[1].reals(), (std::vector<double>{12}));
  EXPECT_EQ(kept[2].reals(), (std::vector<double>{13}));
  std::vector<Tensor> scaled = clip(6.5, {3, 4}, 12);
  expectNear(scaled[0], {1.5, 2}, "clipped"); // 6.5 / (13 + 1e-6)
  expectNear(scaled[1], {6}, "clipped");
  std::vector<Tensor> notFinite = clip(1, {NAN, 4}, 12);
  EXPECT_TRUE(std::isnan(notFinite[1].reals()[0])) << "a norm that is NaN is not clipped away";
}

TEST(TrainingOps, aGuardKeepsEveryBit) {
  const Tensor nan = vector({NAN}), minusZero = vector({-0.0}), one = vector({1});
  std::vector<Tensor> kept = run(
      "(%p: tensor<1xf32>, %g: tensor<1xf32>, %m: tensor<1xf32>, %lr: tensor<f32>, %t: tensor<i64>, %bad: tensor<i32>) "
      "-> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)",
      "%r:3 = mp.adam %p, %g, %m, %p, %lr, %t guard %bad : tensor<1xf32>\n"
      "return %r#0, %r#1, %r#2 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>",
      {minusZero, nan, one, number(1), integers(ElementType::I64, {}, {0}), integers(ElementType::I32, {}, {0})});
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_EQ(kept[0].bytes, minusZero.bytes);
  EXPECT_EQ(kept[1].bytes, one.bytes);
  EXPECT_EQ(kept[2].bytes, minusZero.bytes);
}

TEST(TrainingOps, unscaleChecksBeforeAndAfter) {
  auto badOf = [](double a, double b, double scale) {
    std::vector<Tensor> results =
        run("(%a: tensor<f32>, %b: tensor<f32>, %s: tensor<f32>) -> (tensor<f32>, tensor<i32>)",
            "%u:3 = mp.unscale %a, %b by %s {names = [\"a\", \"b\"]} : tensor<f32>, tensor<f32>\n"
            "return %u#0, %u#2 : tensor<f32>, tensor<i32>",
            {number(a), number(b), number(scale)});
    return results.empty() ? -2 : results[1].integers()[0];
  };
  EXPECT_EQ(badOf(1, 2, 8), -1);
  EXPECT_EQ(badOf(INFINITY, NAN, 8), 0);
  EXPECT_EQ(badOf(1, NAN, 8), 1);
  EXPECT_EQ(badOf(1, INFINITY, INFINITY), 1) << "infinity times 1 / infinity is NaN";
  EXPECT_EQ(badOf(0, 1, 0x1p-140), 0) << "0 times infinity is NaN";
  EXPECT_EQ(badOf(3e38, 1, 0.5), 0) << "finite before, infinite after";
}
