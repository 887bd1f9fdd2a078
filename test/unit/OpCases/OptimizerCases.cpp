// Uses of clipping and of optimizers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpCases/OptimizerCases.h"

using namespace mp;

using Cases = std::vector<OpCase>;

static void addClipping(Cases &cases) {
  cases.push_back({"mp.global_norm", "", {{"8x3xf32"}, {"3xf32"}}, {"f32"}, "mp.global_norm %0, %1 : {0}, {1}"});
  for (std::string limit : {"0.5", "100.0"})
    cases.push_back({"mp.clip_by_global_norm",
                     limit,
                     {{"8x3xf32"}, {"3xf32"}},
                     {"8x3xf32", "3xf32", "f32"},
                     "mp.clip_by_global_norm %0, %1 {max_norm = " + limit + " : f32} : {0}, {1}"});
  // What is added to the norm shows where the norm is as small.
  cases.push_back({"mp.clip_by_global_norm",
                   "tiny",
                   {{"8x3xf32", Fill::Tiny}, {"3xf32", Fill::Tiny}},
                   {"8x3xf32", "3xf32", "f32"},
                   "mp.clip_by_global_norm %0, %1 {max_norm = 1.0e-6 : f32} : {0}, {1}"});
  for (std::string limit : {"0.5", "100.0"})
    cases.push_back({"mp.clip_by_norm",
                     limit,
                     {{"8x3xf32"}, {"3xf32"}},
                     {"8x3xf32", "3xf32"},
                     "mp.clip_by_norm %0, %1 {max_norm = " + limit + " : f32} : {0}, {1}"});
  cases.push_back({"mp.clip_by_value",
                   "",
                   {{"8x3xf32"}, {"3xf32"}},
                   {"8x3xf32", "3xf32"},
                   "mp.clip_by_value %0, %1 {limit = 0.5 : f32} : {0}, {1}"});
}

void mp::addOptimizers(Cases &cases) {
  addClipping(cases);
  const Operand weight{"8x3xf32"}, rate{"f32", Fill::Positive}, step{"i64", Fill::Positive},
      positive{"8x3xf32", Fill::Positive};
  cases.push_back({"mp.sgd", "plain", {weight, weight, rate}, {"8x3xf32"}, "mp.sgd %0, %1, %2 : {0}"});
  cases.push_back(
      {"mp.sgd", "decay", {weight, weight, rate}, {"8x3xf32"}, "mp.sgd %0, %1, %2 {weight_decay = 0.1 : f32} : {0}"});
  for (Fill bad : {Fill::Clean, Fill::Bad}) {
    const Operand guard{"i32", bad};
    const std::string name = bad == Fill::Bad ? "bad" : "clean";
    for (std::string nesterov : {"", ", nesterov"})
      cases.push_back({"mp.sgd",
                       name + ", momentum" + nesterov,
                       {weight, weight, rate, weight, guard},
                       {"8x3xf32", "8x3xf32"},
                       "mp.sgd %0, %1, %2 velocity %3 guard %4 {momentum = 0.9 : f32" + nesterov + "} : {0}"});
    cases.push_back({"mp.rmsprop",
                     name,
                     {weight, weight, positive, rate, guard},
                     {"8x3xf32", "8x3xf32"},
                     "mp.rmsprop %0, %1, %2, %3 guard %4 {weight_decay = 0.01 : f64} : {0}"});
    cases.push_back({"mp.rmsprop",
                     name + ", centered, momentum",
                     {weight, weight, positive, rate, weight, weight, guard},
                     {"8x3xf32", "8x3xf32", "8x3xf32", "8x3xf32"},
                     "mp.rmsprop %0, %1, %2, %3 mean %4 velocity %5 guard %6 {momentum = 0.9 : f64} : {0}"});
    for (std::string decay : {"0.0", "0.1"})
      cases.push_back({"mp.adagrad",
                       name + ", decay " + decay,
                       {weight, weight, positive, rate, step, guard},
                       {"8x3xf32", "8x3xf32"},
                       "mp.adagrad %0, %1, %2, %3, %4 guard %5 {learning_rate_decay = " + decay +
                           " : f64, weight_decay = 0.01 : f64} : {0}"});
    cases.push_back({"mp.lion",
                     name,
                     {weight, weight, weight, rate, guard},
                     {"8x3xf32", "8x3xf32"},
                     "mp.lion %0, %1, %2, %3 guard %4 {weight_decay = 0.01 : f64} : {0}"});
    cases.push_back({"mp.momentum_product",
                     name,
                     {{"f32", Fill::Positive}, step, guard},
                     {"f32"},
                     "mp.momentum_product %0, %1 guard %2"});
    cases.push_back({"mp.nadam",
                     name,
                     {weight, weight, weight, positive, rate, step, {"f32", Fill::Positive}, guard},
                     {"8x3xf32", "8x3xf32", "8x3xf32"},
                     "mp.nadam %0, %1, %2, %3, %4, %5, %6 guard %7 {weight_decay = 0.01 : f64} : {0}"});
    for (std::string op : {"mp.adam", "mp.adamw", "mp.lamb"})
      cases.push_back({op,
                       name,
                       {weight, weight, weight, positive, rate, step, guard},
                       {"8x3xf32", "8x3xf32", "8x3xf32"},
                       op + " %0, %1, %2, %3, %4, %5 guard %6 {weight_decay = 0.01 : f64} : {0}"});
  }
  // Epsilon shows, and whether it is under the root, where it is as large as the root of v.
  for (std::string op : {"mp.adam", "mp.adamw", "mp.lamb"})
    cases.push_back({op,
                     "large epsilon",
                     {weight, weight, weight, positive, rate, step},
                     {"8x3xf32", "8x3xf32", "8x3xf32"},
                     op + " %0, %1, %2, %3, %4, %5 {epsilon = 0.75 : f64} : {0}"});
  cases.push_back({"mp.rmsprop",
                   "large epsilon, velocity",
                   {weight, weight, positive, rate, weight},
                   {"8x3xf32", "8x3xf32", "8x3xf32"},
                   "mp.rmsprop %0, %1, %2, %3 velocity %4 {epsilon = 0.75 : f64, momentum = 0.5 : f64} : {0}"});
  cases.push_back({"mp.adagrad",
                   "large epsilon",
                   {weight, weight, positive, rate, step},
                   {"8x3xf32", "8x3xf32"},
                   "mp.adagrad %0, %1, %2, %3, %4 {epsilon = 0.75 : f64} : {0}"});
  cases.push_back({"mp.nadam",
                   "large epsilon",
                   {weight, weight, weight, positive, rate, step, {"f32", Fill::Positive}},
                   {"8x3xf32", "8x3xf32", "8x3xf32"},
                   "mp.nadam %0, %1, %2, %3, %4, %5, %6 {epsilon = 0.75 : f64} : {0}"});
}
