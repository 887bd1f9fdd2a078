/* A model from its text, compiled and run: a program beside an installed Halfstep.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
/* usage: predict */

#include "mp-c/Compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kModel =
    "func.func @line(%x: tensor<?x2xf32> {mp.input = \"x\"},\n"
    "                %w: tensor<2x1xf32> {mp.parameter = \"w\", mp.initializer = #mp.constant<0.5 : f64>})\n"
    "    -> (tensor<?x1xf32> {mp.output = \"y\"}) attributes {mp.program = \"model\"} {\n"
    "  %y = mp.matmul %x, %w acc f32 : tensor<?x2xf32>, tensor<2x1xf32> -> tensor<?x1xf32>\n"
    "  return %y : tensor<?x1xf32>\n"
    "}\n";

static void check(MpStatus *status) {
  if (!status)
    return;
  fprintf(stderr, "predict: %s\n", mpStatusMessage(status));
  exit(1);
}

int main(void) {
  const char *settings[] = {"policy=mixed_bfloat16", "training=false", "batch-size=4"};
  MpCompileOptions options = {.size = sizeof options, .settings = settings, .count = 3};
  MpBytes *executable = NULL;
  check(mpCompileToBytes(kModel, strlen(kModel), "line.mlir", &options, &executable));

  MpSession *session = NULL;
  check(mpSessionCreateFromBytes(mpBytesData(executable), mpBytesSize(executable), "cpu", 1, &session));
  check(mpSessionInitialize(session, 0));

  const float rows[3][2] = {{1, 2}, {3, 4}, {5, 6}};
  const int64_t shape[] = {3, 2};
  const char *names[] = {"x"};
  const MpTensor x = {MP_F32, 2, shape, rows, sizeof rows};
  MpTensors *results = NULL;
  check(mpSessionRun(session, "infer", names, &x, 1, &results));
  const MpTensor y = mpTensorsGet(results, 0);
  printf("Halfstep %s: %s =", mpVersion(), mpTensorsName(results, 0));
  for (int64_t i = 0; i < y.shape[0]; ++i)
    printf(" %g", ((const float *)y.data)[i]);
  printf("\n");

  mpTensorsDestroy(results);
  mpSessionDestroy(session);
  mpBytesDestroy(executable);
  return 0;
}
