/* The compiler's C API, from C.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
/* usage: c-api-compiler-test EXECUTABLE. Compiles, runs and refuses; ends with 0 if every expectation holds. */

#include "mp-c/Compiler.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *const kModel =
    "func.func @m(%x: tensor<?x2xf32> {mp.input = \"x\"},\n"
    "             %w: tensor<2x1xf32> {mp.parameter = \"w\", mp.initializer = #mp.constant<0.5 : f64>})\n"
    "    -> (tensor<?x1xf32> {mp.output = \"y\"}) attributes {mp.program = \"model\"} {\n"
    "  %y = mp.matmul %x, %w acc f32 : tensor<?x2xf32>, tensor<2x1xf32> -> tensor<?x1xf32>\n"
    "  return %y : tensor<?x1xf32>\n"
    "}\n";

static int failures = 0;

static void expect(MpStatus *status, const char *message) {
  if (strstr(mpStatusMessage(status), message) == NULL || (status == NULL) != (*message == 0)) {
    fprintf(stderr, "expected '%s', found '%s'\n", message, mpStatusMessage(status));
    failures += 1;
  }
  mpStatusDestroy(status);
}

static void testRun(const char *executable, const char *device) {
  const float rows[4] = {1, 2, 3, 4};
  const int64_t shape[2] = {2, 2};
  const char *names[1] = {"x"};
  MpTensor input = {MP_F32, 2, shape, rows, sizeof rows};
  MpSession *session = NULL;
  MpTensors *results = NULL;
  expect(mpSessionCreate(executable, device, 0, &session), "");
  expect(mpSessionInitialize(session, 0), "");
  expect(mpSessionRun(session, "infer", names, &input, 1, &results), "");
  const float *y = mpTensorsGet(results, 0).data;
  if (!y || y[0] != 1.5f || y[1] != 3.5f) {
    fprintf(stderr, "x * w is not what it should be\n");
    failures += 1;
  }
  mpTensorsDestroy(results);
  mpSessionDestroy(session);
}

/* A text ends where it ends: behind it is memory that nobody may read. Cut anywhere, it is refused. */
static void testEndOfText(const char *executable) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), length = strlen(kModel) - 1; /* the last line needs no end */
  char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE) != 0) {
    perror("mmap");
    failures += 1;
    return;
  }
  const char *settings[3] = {"policy=float32", "batch-size=2", "training=false"};
  for (size_t i = 0; i <= length; ++i) {
    char *text = pages + page - i;
    memcpy(text, kModel, i);
    MpStatus *status = mpCompile(text, i, "m.mlir", settings, 3, executable);
    if ((status == NULL) != (i == length)) {
      fprintf(stderr, "the first %zu characters: found '%s'\n", i, mpStatusMessage(status));
      failures += 1;
    }
    mpStatusDestroy(status);
  }
  munmap(pages, 2 * page);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  size_t length = strlen(kModel);
  const char *settings[2] = {"policy=float32", "batch-size=2"};
  const char *wrong[1] = {"policee=float32"};
  expect(mpCompile(kModel, length, "m.mlir", settings, 2, argv[1]), "has no result with mp.loss");
  const char *inference[3] = {"policy=float32", "batch-size=2", "training=false"};
  expect(mpCompile(kModel, length, "m.mlir", inference, 3, argv[1]), "");
  testRun(argv[1], "cpu");
  const char *simulated[5] = {"policy=float32", "batch-size=2", "training=false", "target=cpu,simt", "chip=sm_80"};
  expect(mpCompile(kModel, length, "m.mlir", simulated, 5, argv[1]), "");
  testRun(argv[1], "cpu");
  testRun(argv[1], "simt");
  testEndOfText(argv[1]);
  expect(mpCompile(kModel, length, "m.mlir", wrong, 1, argv[1]), "unknown setting 'policee'");
  expect(mpCompile("func.func @m(", 13, "m.mlir", NULL, 0, argv[1]), "m.mlir:1:");
  expect(mpCompile(kModel, length, "m.mlir", inference, 3, "/nonexistent/m.mpx"), "/nonexistent/");
  expect(mpCompile(NULL, 0, "m.mlir", NULL, 0, argv[1]), "text is null");
  if (failures == 0)
    printf("every expectation holds\n");
  return failures != 0;
}
