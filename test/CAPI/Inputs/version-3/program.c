/* A program of the day when executables had version 3: it knows the header beside it, and nothing of what came later.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
/* usage: program MODEL.mpx FOLDER. Prints every number bit for bit. */

#include "mp-c/Runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was compiled with that header has these sizes in it. */
_Static_assert(sizeof(MpTensor) == 40 && sizeof(MpValue) == 48 && sizeof(MpSessionOptions) == 24, "of that day");
_Static_assert(sizeof(MpTrainResult) == 64 && sizeof(MpStep) == 80 && sizeof(MpEpoch) == 40, "of that day");
_Static_assert(sizeof(MpGivenStep) == 48 && sizeof(MpTraining) == 160, "of that day");

static void check(MpStatus *status, const char *what) {
  if (!status)
    return;
  printf("%s: %s\n", what, mpStatusMessage(status));
  exit(1);
}

static void printFloats(const char *what, MpTensor tensor) {
  printf("%s", what);
  for (size_t i = 0; i < tensor.bytes / sizeof(float); ++i)
    printf(" %a", ((const float *)tensor.data)[i]);
  printf("\n");
}

static void printState(MpSession *session, const char *name) {
  MpTensors *value = NULL;
  check(mpSessionGetState(session, name, &value), name);
  printFloats(name, mpTensorsGet(value, 0));
  mpTensorsDestroy(value);
}

static void printValues(const MpExecutable *executable, MpValueKind kind, const char *program) {
  for (int64_t i = 0; i < mpExecutableValueCount(executable, kind, program); ++i) {
    struct {
      MpValue value;
      unsigned char behind[16]; /* which belong to the caller */
    } place;
    memset(&place, 0x5a, sizeof place);
    place.value.size = sizeof place.value;
    check(mpExecutableValue(executable, kind, program, i, &place.value), "a value");
    for (size_t b = 0; b < sizeof place.behind; ++b)
      if (place.behind[b] != 0x5a)
        exit(2);
    printf("%s %s of %lld sizes, element %d, batched %d\n", place.value.role, place.value.name,
           (long long)place.value.rank, (int)place.value.element, place.value.batched);
  }
}

static int onStep(const MpStep *step, void *user) {
  printf("step %llu of size %zu: loss %a, scale %a\n", (unsigned long long)step->step, step->size, step->loss,
         step->lossScale);
  ++*(int *)user;
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  MpExecutable *executable = NULL;
  check(mpExecutableRead(argv[1], &executable), "read");
  printf("model %s under %s\n", mpExecutableText(executable, "model"), mpExecutableText(executable, "policy"));
  for (int64_t i = 0; i < mpExecutableProgramCount(executable); ++i)
    printf("program %s\n", mpExecutableProgram(executable, i));
  printValues(executable, MP_STATE, NULL);
  printValues(executable, MP_INPUTS, "train_step");
  printValues(executable, MP_RESULTS, "infer");

  const MpSessionOptions options = {sizeof options, "cpu", 1, 0};
  MpSession *session = NULL;
  check(mpSessionCreateFor(executable, &options, &session), "session");
  mpExecutableDestroy(executable);
  check(mpSessionInitialize(session, 7), "initialize");
  printState(session, "dense.kernel");

  unsigned char pixels[32 * 4], labels[32];
  for (unsigned row = 0; row < 32; ++row) {
    for (unsigned i = 0; i < 4; ++i)
      pixels[row * 4 + i] = (unsigned char)((row * 37 + i * 101) % 256);
    labels[row] = (unsigned char)(pixels[row * 4] > 160 ? 0 : pixels[row * 4 + 1] > 128 ? 1 : 2);
  }
  const int64_t shape[2] = {32, 4};
  const char *names[2] = {"x", "y"};
  const MpTensor arrays[2] = {{MP_UI8, 2, shape, pixels, sizeof pixels}, {MP_UI8, 1, shape, labels, sizeof labels}};
  const char *flagNames[3] = {"epochs", "learning-rate", "quiet"};
  const char *flagValues[3] = {"2", "0.05", "true"};
  int steps = 0;
  MpTraining training;
  memset(&training, 0, sizeof training);
  training.size = sizeof training;
  training.flagNames = flagNames;
  training.flagValues = flagValues;
  training.flagCount = 3;
  training.names = names;
  training.arrays = arrays;
  training.count = 2;
  training.onStep = onStep;
  training.user = &steps;
  MpTrainResult result;
  check(mpSessionTrainOn(session, &training, &result), "train");
  printf("%llu steps, %d told, loss %a\n", (unsigned long long)result.steps, steps, result.loss);
  printState(session, "dense.kernel");
  printState(session, "dense.bias/adam.v");

  MpTensors *scores = NULL;
  check(mpSessionEvaluate(session, names, arrays, 2, &scores), "evaluate");
  printf("evaluated %s %a\n", mpTensorsName(scores, 0), *(const double *)mpTensorsGet(scores, 0).data);
  mpTensorsDestroy(scores);

  char path[4096];
  snprintf(path, sizeof path, "%s/state.safetensors", argv[2]);
  check(mpSessionSaveState(session, path, result.steps, 2), "save");
  mpSessionDestroy(session);
  check(mpSessionCreate(argv[1], "cpu", 2, &session), "session again");
  check(mpSessionLoadState(session, path), "load");
  const int64_t three[2] = {3, 4};
  const MpTensor few = {MP_UI8, 2, three, pixels, 12};
  MpTensors *results = NULL;
  check(mpSessionRun(session, "infer", names, &few, 1, &results), "infer");
  printFloats(mpTensorsName(results, 0), mpTensorsGet(results, 0));
  mpTensorsDestroy(results);

  MpStatus *status = mpSessionRun(session, "predict", names, &few, 1, &results);
  printf("%s\n", mpStatusMessage(status));
  mpStatusDestroy(status);
  mpSessionDestroy(session);
  return 0;
}
