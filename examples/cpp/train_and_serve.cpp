// An exported training step in C++: it goes on from a saved state, step by step, and serves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: train_and_serve STEP.mpx STATE.safetensors < POINTS; docs/training-without-python.md makes STEP.mpx

#include "mp-c/Runtime.h"

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

static void check(MpStatus *status) {
  const std::unique_ptr<MpStatus, decltype(&mpStatusDestroy)> owned(status, mpStatusDestroy);
  if (status)
    throw std::runtime_error(mpStatusMessage(status));
}

using Tensors = std::unique_ptr<MpTensors, decltype(&mpTensorsDestroy)>;

/// Runs a program on inputs of so many points, and gives its first result.
static Tensors run(MpSession *session, const char *program, const std::vector<float> &points,
                   const std::vector<int32_t> &inside = {}) {
  const int64_t shape[] = {static_cast<int64_t>(points.size() / 2), 2};
  const char *names[] = {"x", "y"};
  const MpTensor inputs[] = {{MP_F32, 2, shape, points.data(), points.size() * sizeof(float)},
                             {MP_I32, 1, shape, inside.data(), inside.size() * sizeof(int32_t)}};
  MpTensors *results = nullptr;
  check(mpSessionRun(session, program, names, inputs, inside.empty() ? 1 : 2, &results));
  return {results, mpTensorsDestroy};
}

int main(int argc, char **argv) try {
  if (argc != 3)
    return 2;
  MpSession *created = nullptr;
  check(mpSessionCreate(argv[1], "cpu", 0, &created));
  const std::unique_ptr<MpSession, decltype(&mpSessionDestroy)> session(created, mpSessionDestroy);
  check(mpSessionInitialize(created, 0));
  if (std::filesystem::exists(argv[2]))
    check(mpSessionLoadState(created, argv[2]));

  // Each step on 32 new points: the batch is that of the rows.
  std::mt19937 random(1);
  std::uniform_real_distribution<float> side(-1, 1);
  float loss = 0;
  for (int step = 0; step < 200; ++step) {
    std::vector<float> points(64);
    std::vector<int32_t> inside(32);
    for (float &coordinate : points)
      coordinate = side(random);
    for (size_t i = 0; i < inside.size(); ++i)
      inside[i] = points[2 * i] * points[2 * i] + points[2 * i + 1] * points[2 * i + 1] < 0.5F;
    loss = *static_cast<const float *>(mpTensorsGet(run(created, "train_step", points, inside).get(), 0).data);
  }
  std::printf("loss %.3f\n", loss);
  check(mpSessionSaveState(created, argv[2], 200, 0));

  for (float x, y; std::cin >> x >> y;) {
    const Tensors results = run(created, "infer", {x, y});
    const float *logits = static_cast<const float *>(mpTensorsGet(results.get(), 0).data);
    std::printf("%g %g is %s\n", x, y, logits[1] > logits[0] ? "inside" : "outside");
  }
} catch (const std::exception &error) {
  std::fprintf(stderr, "train_and_serve: %s\n", error.what());
  return 1;
}
