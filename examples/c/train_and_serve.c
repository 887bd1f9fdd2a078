/* An exported training step, trained on and served: no Python and no compiler, the runtime's library alone.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
/* usage: train_and_serve STEP.mpx STATE.safetensors < POINTS; docs/training-without-python.md makes STEP.mpx */

#include "mp-c/Runtime.h"

#include <stdio.h>
#include <stdlib.h>

enum { kRows = 1024 };

static void check(MpStatus *status) {
  if (!status)
    return;
  fprintf(stderr, "train_and_serve: %s\n", mpStatusMessage(status));
  exit(1);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  MpSession *session = NULL;
  check(mpSessionCreate(argv[1], "cpu", 0, &session));
  check(mpSessionInitialize(session, 0)); /* the weights in the file, where it has some */

  /* Points of a square, and whether each is in a circle. */
  static float points[kRows][2];
  static int32_t inside[kRows];
  for (int i = 0; i < kRows; ++i) {
    points[i][0] = (float)rand() / (float)RAND_MAX * 2 - 1;
    points[i][1] = (float)rand() / (float)RAND_MAX * 2 - 1;
    inside[i] = points[i][0] * points[i][0] + points[i][1] * points[i][1] < 0.5F;
  }
  const int64_t shape[] = {kRows, 2}, one[] = {1, 2};
  const char *names[] = {"x", "y"}, *flags[] = {"batch-size", "epochs", "quiet"}, *values[] = {"32", "40", "true"};
  const MpTensor arrays[] = {{MP_F32, 2, shape, points, sizeof points}, {MP_I32, 1, shape, inside, sizeof inside}};
  const MpTraining training = {.size = sizeof training,
                               .flagNames = flags,
                               .flagValues = values,
                               .flagCount = 3,
                               .names = names,
                               .arrays = arrays,
                               .count = 2};
  MpTrainResult result;
  check(mpSessionTrainOn(session, &training, &result));
  printf("loss %.3f after %d steps\n", result.loss, (int)result.steps);
  check(mpSessionSaveState(session, argv[2], result.steps, 40));

  /* One point a line: a batch of one, for which the file has code of its own. */
  for (float point[2]; scanf("%f %f", &point[0], &point[1]) == 2;) {
    const MpTensor x = {MP_F32, 2, one, point, sizeof point};
    MpTensors *results = NULL;
    check(mpSessionRun(session, "infer", names, &x, 1, &results));
    const float *logits = mpTensorsGet(results, 0).data;
    printf("%g %g is %s\n", point[0], point[1], logits[1] > logits[0] ? "inside" : "outside");
    mpTensorsDestroy(results);
  }
  mpSessionDestroy(session);
  return 0;
}
