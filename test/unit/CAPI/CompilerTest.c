/* The compiler's C API, from C.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
/* usage: c-api-compiler-test EXECUTABLE. Compiles, runs and refuses; ends with 0 if every expectation holds. */

#include "mp-c/Compiler.h"

#include <stddef.h>
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
    MpCompileOptions options = {.size = sizeof options, .settings = settings, .count = 3};
    MpBytes *bytes = NULL;
    MpStatus *found[3] = {mpCompile(text, i, "m.mlir", settings, 3, executable),
                          mpCompileToBytes(text, i, "m.mlir", &options, &bytes), NULL};
    mpBytesDestroy(bytes);
    bytes = NULL;
    found[2] = mpExplain(text, i, "m.mlir", &options, &bytes);
    mpBytesDestroy(bytes);
    for (int call = 0; call < 3; ++call) {
      if ((found[call] == NULL) != (i == length)) {
        fprintf(stderr, "the first %zu characters: found '%s'\n", i, mpStatusMessage(found[call]));
        failures += 1;
      }
      mpStatusDestroy(found[call]);
    }
  }
  munmap(pages, 2 * page);
}

static void countDiagnostic(const MpDiagnostic *told, void *user) {
  if (told->severity == MP_ERROR && told->line == 4 && strcmp(told->file, "m.mlir") == 0)
    *(int *)user += 1;
}

/* What the executable holds, told with a struct of the caller's version. */
static void testExecutable(const MpBytes *bytes) {
  MpExecutable *executable = NULL;
  MpSession *session = NULL;
  MpValue value = {sizeof value, NULL, NULL, MP_I1, 0, 0, NULL, 0};
  MpValue older = {sizeof older.size + sizeof older.name, NULL, "untouched", MP_I1, 0, 0, NULL, 0};
  expect(mpExecutableReadBytes(mpBytesData(bytes), mpBytesSize(bytes), &executable), "");
  expect(mpExecutableValue(executable, MP_INPUTS, "infer", 0, &value), "");
  expect(mpExecutableValue(executable, MP_STATE, NULL, 0, &older), "");
  expect(mpExecutableValue(executable, MP_RESULTS, "infer", 1, &value), "value 1 of 1");
  expect(mpExecutableValue(executable, MP_RESULTS, "train", 0, &value), "has no program 'train'");
  if (mpExecutableProgramCount(executable) != 1 || strcmp(mpExecutableProgram(executable, 0), "infer") != 0 ||
      mpExecutableValueCount(executable, MP_INPUTS, "infer") != 1 ||
      mpExecutableValueCount(executable, MP_INPUTS, "train") != -1 || strcmp(value.name, "x") != 0 ||
      strcmp(value.role, "input") != 0 || value.element != MP_F32 || !value.batched || value.rank != 2 ||
      value.shape[1] != 2 || strcmp(older.name, "w") != 0 || strcmp(older.role, "untouched") != 0 ||
      strcmp(mpExecutableText(executable, "policy"), "float32") != 0 || mpExecutableText(executable, "none")) {
    fprintf(stderr, "the executable does not hold what was compiled\n");
    failures += 1;
  }
  MpSessionOptions on = {.size = sizeof on, .device = "simt", .threads = 1, .pinThreads = 1};
  expect(mpSessionCreateFor(executable, &on, &session), "pin-threads: is for device cpu, device simt runs no blocks");
  on.size = offsetof(MpSessionOptions, pinThreads); /* as an older caller has it */
  expect(mpSessionCreateFor(executable, &on, &session), "program infer does not have a variant that fits");
  on = (MpSessionOptions){.size = sizeof on, .threads = 1, .pinThreads = 1};
  expect(mpSessionCreateFor(executable, &on, &session), "");
  mpExecutableDestroy(executable);
  expect(mpSessionInitialize(session, 0), "");
  mpSessionDestroy(session);
}

/* A model is made op by op, compiled in memory, and what is wrong with one is told where it is. */
static void testModel(void) {
  MpModel *model = NULL;
  MpBytes *text = NULL, *executable = NULL;
  int64_t values[3] = {0, 0, 0};
  size_t count = 0;
  int errors = 0;
  const char *settings[3] = {"policy=float32", "batch-size=2", "training=false"};
  MpCompileOptions options = {
      .size = sizeof options, .settings = settings, .count = 3, .onDiagnostic = countDiagnostic, .user = &errors};
  MpModelOp op = {sizeof op, "mp.matmul", values, 2, NULL, NULL, "head", "m.py", 7};
  expect(mpModelCreate("m", &model), "");
  expect(mpModelAddArgument(model, "x", "tensor<?x2xf32>", "{mp.input = \"x\"}", &values[0]), "");
  expect(mpModelAddArgument(model, "w", "tensor<2x1xf32>", "{mp.parameter = \"w\", mp.initializer = #mp.ones}",
                            &values[1]),
         "");
  expect(mpModelAddArgument(model, "v", "tensor<", "", &values[2]), "expected");
  /* Text that MLIR's parser does not survive is refused before it. */
  char deep[1024];
  memset(deep, '(', sizeof deep - 1);
  deep[sizeof deep - 1] = 0;
  expect(mpModelAddArgument(model, "v", deep, "", &values[2]), "nested more than 256 levels deep");
  expect(mpModelAddArgument(model, "v", "tensor<2xf32>", "{mp.a = array<index: 2>}", &values[2]),
         "elements of an array are index, expected integers or floats by name");
  op.attributes = "{mp.a = array<!builtin.index: 2>}";
  expect(mpModelAddOp(model, &op, &values[2], 1, &count), "elements of an array are of an alias");
  op.attributes = NULL;
  expect(mpModelAddOp(model, &op, &values[2], 0, &count), "has 1 results, there is room for 0");
  expect(mpModelAddOp(model, &op, &values[2], 1, &count), "");
  op.operandCount = 1;
  expect(mpModelAddOp(model, &op, &values[2], 1, &count), "expected 2 or more operands, but found 1");
  op.op = "mp.matmull";
  expect(mpModelAddOp(model, &op, &values[2], 1, &count), "there is no op 'mp.matmull'");
  expect(mpModelOpenAutocast(model, 1, "i32"), "autocast to 'i32', expected f16, bf16 or f32");
  expect(mpModelCloseAutocast(model), "no autocast region is open");
  op.op = "mp.relu";
  op.operands = &values[2];
  expect(mpModelOpenAutocast(model, 0, NULL), "");
  expect(mpModelText(model, 1, &text), "an autocast region is open");
  expect(mpModelAddOp(model, &op, &values[2], 1, &count), "");
  expect(mpModelCloseAutocast(model), "");
  expect(mpModelAddResult(model, 9, ""), "result is value 9 of ");
  expect(mpModelAddResult(model, values[2], "{mp.output = \"y\"}"), "");
  if (strcmp(mpModelType(model, values[2]), "tensor<?x1xf32>") != 0 || mpModelType(model, 9)) {
    fprintf(stderr, "the product has not its type\n");
    failures += 1;
  }
  expect(mpModelText(model, 1, &text), "");
  mpModelDestroy(model);
  char whole[4096];
  snprintf(whole, sizeof whole, "%.*s", (int)mpBytesSize(text), (const char *)mpBytesData(text));
  const char *product = strstr(whole, "mp.matmul"); /* not the one for which there was no room */
  if (!product || strstr(product + 1, "mp.matmul")) {
    fprintf(stderr, "the model has not one product\n");
    failures += 1;
  }
  expect(mpCompileToBytes(mpBytesData(text), mpBytesSize(text), "m.mlir", &options, &executable), "");
  testExecutable(executable);
  mpBytesDestroy(executable);
  mpBytesDestroy(text);

  options.stage = "kernels";
  expect(mpCompileToBytes(kModel, strlen(kModel), "m.mlir", &options, &text), "");
  mpBytesDestroy(text);
  if (strncmp(mpSettingNames(), "training\nbatch-size\n", 20) != 0 ||
      strstr(mpSettingNames(), "\nskip-limit\n") == NULL) {
    fprintf(stderr, "settings are not listed\n");
    failures += 1;
  }
  options.stage = "kernel";
  expect(mpCompileToBytes(kModel, strlen(kModel), "m.mlir", &options, &text), "expected one of specialize");
  char broken[512];
  snprintf(broken, sizeof broken, "%s", kModel);
  broken[strstr(broken, "%x, %w") - broken + 1] = 'z';
  options.stage = NULL;
  expect(mpCompileToBytes(broken, strlen(broken), "m.mlir", &options, &text), "m.mlir:4:");
  if (errors != 1) {
    fprintf(stderr, "expected one error at line 4, found %d\n", errors);
    failures += 1;
  }
}

static int stages = 0;

static void onStage(const char *stage, const char *text, void *user) {
  (void)user;
  if (stages == 0 && (strcmp(stage, "specialize") != 0 || strstr(text, "tensor<2x2xf32>") == NULL)) {
    fprintf(stderr, "the first stage is %s\n", stage);
    failures += 1;
  }
  stages += 1;
}

/* What the compiler says of a model beside its code. */
static void testExplain(void) {
  const char *settings[3] = {"policy=mixed_bfloat16", "batch-size=2", "training=false"};
  MpCompileOptions options = {.size = sizeof options, .settings = settings, .count = 3, .stage = "kernels"};
  options.onStage = onStage;
  MpBytes *result = NULL;
  expect(mpCompileToBytes(kModel, strlen(kModel), "m.mlir", &options, &result), "");
  if (stages < 3) {
    fprintf(stderr, "%d stages were told\n", stages);
    failures += 1;
  }
  mpBytesDestroy(result);
  expect(mpExplain(kModel, strlen(kModel), "m.mlir", &options, &result), "");
  if (strstr(mpBytesData(result), "\"op\": \"mp.matmul\"") == NULL ||
      strstr(mpBytesData(result), "\"type\": \"bf16\"") == NULL) {
    fprintf(stderr, "the product is not explained\n");
    failures += 1;
  }
  mpBytesDestroy(result);
  expect(mpExplain("func", 4, "m.mlir", NULL, &result), "m.mlir:1:");
  expect(mpExplain(NULL, 0, "m.mlir", NULL, &result), "text is null");
  MpNonfiniteFinder *finder = NULL;
  int goesOn = 0;
  expect(mpNonfiniteFinderCreate(kModel, strlen(kModel), NULL, NULL, &finder), "name is null");
  expect(mpNonfiniteFinderCreate(kModel, strlen(kModel), "m.mlir", NULL, &finder), "");
  expect(mpNonfiniteFinderSee(finder, NULL, NULL, &result, &goesOn), "step is null");
  mpNonfiniteFinderDestroy(finder);
  mpNonfiniteFinderDestroy(NULL);
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
  testModel();
  testExplain();
  expect(mpCompile(kModel, length, "m.mlir", wrong, 1, argv[1]), "unknown setting 'policee'");
  expect(mpCompile("func.func @m(", 13, "m.mlir", NULL, 0, argv[1]), "m.mlir:1:");
  expect(mpCompile(kModel, length, "m.mlir", inference, 3, "/nonexistent/m.mpx"), "/nonexistent/");
  expect(mpCompile(NULL, 0, "m.mlir", NULL, 0, argv[1]), "text is null");
  if (failures == 0)
    printf("every expectation holds\n");
  return failures != 0;
}
