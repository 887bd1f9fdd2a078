/* A model made op by op, compiled and run; and what is known of an op that is refused.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
/* usage: build_model */

#include "mp-c/Compiler.h"

#include <stdio.h>
#include <stdlib.h>

static void check(MpStatus *status) {
  if (!status)
    return;
  fprintf(stderr, "build_model: %s\n", mpStatusMessage(status));
  exit(1);
}

/* Tells an op that was refused in words of its own where the kind of error is one that it knows. */
static void tell(MpStatus *status) {
  MpFault fault = {.size = sizeof fault};
  mpStatusFault(status, &fault);
  if (fault.code == MP_FAULT_UNKNOWN_WORD) {
    printf("%s of %s is '%s', expected one of", fault.name, fault.op, fault.value);
    for (size_t i = 0; i < fault.knownCount; ++i)
      printf(" %s", fault.known[i]);
    printf("\n");
  } else {
    printf("%s\n", mpStatusMessage(status));
  }
  mpStatusDestroy(status);
}

int main(void) {
  const int64_t rows[] = {-1, 2}, weights[] = {2, 1};
  const MpInitializer half = {.kind = MP_CONSTANT, .first = 0.5};
  MpModelArgument x = {.size = sizeof x, .name = "x", .role = MP_ROLE_INPUT, .type = {MP_F32, 2, rows}};
  MpModelArgument w = {
      .size = sizeof w, .name = "w", .role = MP_ROLE_PARAMETER, .type = {MP_F32, 2, weights}, .initializer = &half};
  MpModel *model = NULL;
  int64_t operands[2], product = 0, unused = 0;
  size_t count = 0;
  check(mpModelCreate("line", &model));
  check(mpModelAddArgument(model, &x, &operands[0]));
  check(mpModelAddArgument(model, &w, &operands[1]));
  MpModelOp matmul = {
      .size = sizeof matmul, .op = "mp.matmul", .operands = operands, .operandCount = 2, .name = "line"};
  check(mpModelAddOp(model, &matmul, &product, 1, &count));
  check(mpModelAddResult(model, product, MP_ROLE_OUTPUT, "y"));

  MpAttribute predicate = {.size = sizeof predicate, .name = "predicate", .kind = MP_ATTRIBUTE_WORD, .word = "less"};
  MpModelOp compare = {.size = sizeof compare,
                       .op = "mp.compare",
                       .operands = (int64_t[]){product, product},
                       .operandCount = 2,
                       .attributes = &predicate,
                       .attributeCount = 1};
  tell(mpModelAddOp(model, &compare, &unused, 1, &count)); /* the model stays as it was */

  const char *settings[] = {"policy=mixed_bfloat16", "training=false", "batch-size=4"};
  MpCompileOptions options = {.size = sizeof options, .settings = settings, .count = 3};
  MpBytes *executable = NULL;
  MpSession *session = NULL;
  check(mpModelCompile(model, "line", &options, &executable));
  mpModelDestroy(model);
  check(mpSessionCreateFromBytes(mpBytesData(executable), mpBytesSize(executable), "cpu", 1, &session));
  check(mpSessionInitialize(session, 0));

  const float values[] = {1, 2, 3, 4};
  const int64_t two[] = {2, 2};
  const char *names[] = {"x"};
  const MpTensor given = {MP_F32, 2, two, values, sizeof values};
  MpTensors *results = NULL;
  check(mpSessionRun(session, "infer", names, &given, 1, &results));
  const float *y = mpTensorsGet(results, 0).data;
  printf("%s = %g %g\n", mpTensorsName(results, 0), y[0], y[1]);

  mpTensorsDestroy(results);
  mpSessionDestroy(session);
  mpBytesDestroy(executable);
  return 0;
}
