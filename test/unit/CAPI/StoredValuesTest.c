/* Executables with values of states, and of several batches, from C.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
/* usage: c-api-stored-values-test MODEL.mpx OUT.mpx. Ends with 0 if every expectation holds. */

#include "CAPI/Expect.h"

#include <stdio.h>
#include <string.h>

static void testBatches(const MpExecutable *executable) {
  expect(mpExecutableBatchCount(executable, "train_step") == 1, "one batch");
  expect(mpExecutableBatch(executable, "train_step", 0) == 8, "of 8 rows");
  expect(mpExecutableBatch(executable, "train_step", 1) == -1 && mpExecutableBatch(executable, "infer", -1) == -1,
         "and no other");
  expect(mpExecutableBatchCount(executable, "derive") == 0, "what has no rows has no batch");
  expect(mpExecutableBatchCount(executable, "predict") == 0 && mpExecutableBatchCount(executable, NULL) == 0 &&
             mpExecutableBatchCount(NULL, "infer") == 0 && mpExecutableBatch(NULL, "infer", 0) == -1,
         "nor what is not there");
}

/* How many states there are values of. */
static int countStored(const MpExecutable *executable) {
  int count = 0;
  for (int64_t i = 0; i < mpExecutableValueCount(executable, MP_STATE, NULL); ++i) {
    MpValue value;
    memset(&value, 0, sizeof value);
    value.size = sizeof value;
    succeed(mpExecutableValue(executable, MP_STATE, NULL, i, &value), "a state is described");
    count += value.stored;
  }
  return count;
}

static void testRefusals(const MpExecutable *executable) {
  const int64_t shape[2] = {4, 3};
  const float values[12] = {0};
  const MpTensor tensor = {MP_F32, 2, shape, values, sizeof values};
  const MpTensor half = {MP_F16, 2, shape, values, sizeof values / 2};
  MpExecutable *made = NULL;
  const char *name = "kernel";
  fail(mpExecutableWithValues(executable, &name, &tensor, 1, &made), "the executable does not have state 'kernel'");
  name = "dense.kernel/f16";
  fail(mpExecutableWithValues(executable, &name, &half, 1, &made),
       "state 'dense.kernel/f16' is derived of 'dense.kernel'; give that state instead");
  name = "dense.kernel";
  fail(mpExecutableWithValues(executable, &name, &half, 1, &made),
       "state 'dense.kernel' is tensor<4x3xf32>, given tensor<4x3xf16> of 24 bytes");
  fail(mpExecutableWithValues(executable, &name, NULL, 1, &made), "values is null");
  fail(mpExecutableWithValues(executable, NULL, &tensor, 1, &made), "names is null");
  fail(mpExecutableWithValues(NULL, &name, &tensor, 1, &made), "executable is null");
  fail(mpExecutableWrite(executable, "/nowhere/f.mpx"),
       "/nowhere/f.mpx: cannot write beside it: No such file or directory");
  expect(made == NULL, "nothing was made");
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  MpExecutable *executable = NULL;
  succeed(mpExecutableRead(argv[1], &executable), "the file is read");
  testBatches(executable);
  testRefusals(executable);
  expect(countStored(executable) == 0, "the file holds no values");

  float halves[12];
  for (int i = 0; i < 12; ++i)
    halves[i] = 0.5F;
  const int64_t shape[2] = {4, 3};
  const char *name = "dense.kernel";
  const MpTensor tensor = {MP_F32, 2, shape, halves, sizeof halves};
  MpExecutable *stored = NULL;
  succeed(mpExecutableWithValues(executable, &name, &tensor, 1, &stored), "values are stored");
  mpExecutableDestroy(executable);
  expect(countStored(stored) == 1, "one state has a value");
  succeed(mpExecutableWrite(stored, argv[2]), "it is written");

  MpSession *session = NULL;
  MpTensors *value = NULL;
  succeed(mpSessionCreateFor(stored, NULL, &session), "it has a session");
  mpExecutableDestroy(stored);
  succeed(mpSessionInitialize(session, 3), "which starts");
  succeed(mpSessionGetState(session, name, &value), "the kernel is read");
  const float *got = mpTensorsGet(value, 0).data;
  int equal = 1;
  for (size_t i = 0; i < sizeof halves / sizeof halves[0]; ++i)
    equal &= got[i] == halves[i];
  expect(equal, "it starts from the value");
  mpTensorsDestroy(value);
  mpSessionDestroy(session);
  if (failures == 0)
    printf("every expectation holds\n");
  return failures != 0;
}
