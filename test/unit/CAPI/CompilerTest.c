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

/* That a call fails with an error of this code about an attribute, a setting or an operand of this name. */
static void expectFault(MpStatus *status, MpFaultCode code, const char *name, int64_t operand) {
  MpFault fault = {.size = sizeof fault};
  mpStatusFault(status, &fault);
  if (!status || fault.code != code || strcmp(fault.name, name) != 0 || fault.operand != operand ||
      strcmp(fault.text, mpStatusMessage(status)) != 0) {
    fprintf(stderr, "expected fault %d of '%s', operand %d; found %d of '%s', operand %d: %s\n", (int)code, name,
            (int)operand, (int)fault.code, fault.name, (int)fault.operand, mpStatusMessage(status));
    failures += 1;
  }
  mpStatusDestroy(status);
}

/* A model is made op by op, compiled in memory, and what is wrong with one is told where it is. */
static void testModel(void) {
  MpModel *model = NULL, *copy = NULL;
  MpBytes *text = NULL, *executable = NULL, *ofText = NULL;
  int64_t values[4] = {0, 0, 0, 0};
  size_t count = 0;
  int errors = 0;
  const char *settings[3] = {"policy=float32", "batch-size=2", "training=false"};
  MpCompileOptions options = {
      .size = sizeof options, .settings = settings, .count = 3, .onDiagnostic = countDiagnostic, .user = &errors};
  const int64_t rows[2] = {-1, 2}, weights[2] = {2, 1}, negative[1] = {-2};
  const MpInitializer ones = {.kind = MP_ONES}, none = {.kind = (MpInitializerKind)99};
  MpModelArgument argument = {.size = sizeof argument, .name = "x", .type = {MP_F32, 2, rows}};
  MpModelOp op = {.size = sizeof op,
                  .op = "mp.matmul",
                  .operands = values,
                  .operandCount = 2,
                  .name = "head",
                  .file = "m.py",
                  .line = 7};
  MpTensorType type = {MP_F32, 0, NULL};
  expect(mpModelCreate("m", &model), "");
  expect(mpModelAddArgument(model, &argument, &values[0]), "");
  argument = (MpModelArgument){.size = sizeof argument,
                               .name = "w",
                               .role = MP_ROLE_PARAMETER,
                               .type = {MP_F32, 2, weights},
                               .initializer = &ones};
  expect(mpModelAddArgument(model, &argument, &values[1]), "");
  argument.initializer = &none;
  expect(mpModelAddArgument(model, &argument, &values[2]), "there is no initializer 99");
  argument = (MpModelArgument){.size = sizeof argument, .name = "v", .type = {MP_F32, 1, negative}};
  expect(mpModelAddArgument(model, &argument, &values[2]), "a size is -2, expected at least 0, or -1 for an open one");
  argument.type.rank = -1;
  expect(mpModelAddArgument(model, &argument, &values[2]), "a type has rank -1, expected 0 to 4096");
  argument.type = (MpTensorType){(MpElementType)8, 0, NULL};
  expect(mpModelAddArgument(model, &argument, &values[2]), "there is no element type 8");
  argument = (MpModelArgument){.size = sizeof argument, .name = "v", .role = MP_ROLE_LOSS};
  expect(mpModelAddArgument(model, &argument, &values[2]), "argument 'v' has role 4, expected input");
  expect(mpModelAddOp(model, &op, &values[2], 0, &count), "has 1 results, there is room for 0");
  expect(mpModelAddOp(model, &op, &values[2], 1, &count), "");

  /* Each fault by its code. */
  MpAttribute attribute = {.size = sizeof attribute, .name = "acc", .kind = MP_ATTRIBUTE_ELEMENT, .element = MP_F16};
  MpModelOp wrong = op;
  wrong.attributes = &attribute;
  wrong.attributeCount = 1;
  expectFault(mpModelAddOp(model, &wrong, &values[3], 1, &count), MP_FAULT_CONSTRAINT, "", -1);
  attribute.kind = MP_ATTRIBUTE_INTEGER;
  expectFault(mpModelAddOp(model, &wrong, &values[3], 1, &count), MP_FAULT_ATTRIBUTE_KIND, "acc", -1);
  attribute.kind = MP_ATTRIBUTE_NONE;
  expectFault(mpModelAddOp(model, &wrong, &values[3], 1, &count), MP_FAULT_ATTRIBUTE_KIND, "acc", -1);
  attribute.name = "ac";
  expectFault(mpModelAddOp(model, &wrong, &values[3], 1, &count), MP_FAULT_UNKNOWN_ATTRIBUTE, "ac", -1);
  wrong = op;
  wrong.operandCount = 1;
  expectFault(mpModelAddOp(model, &wrong, &values[3], 1, &count), MP_FAULT_OPERAND_COUNT, "", -1);
  wrong.op = "mp.matmull";
  expectFault(mpModelAddOp(model, &wrong, &values[3], 1, &count), MP_FAULT_UNKNOWN_OP, "", -1);
  wrong = op;
  wrong.op = "mp.logical_and";
  expectFault(mpModelAddOp(model, &wrong, &values[3], 1, &count), MP_FAULT_OPERAND_TYPE, "lhs", 0);
  wrong.op = "mp.compare";
  expectFault(mpModelAddOp(model, &wrong, &values[3], 1, &count), MP_FAULT_MISSING_ATTRIBUTE, "predicate", -1);
  attribute = (MpAttribute){.size = sizeof attribute, .name = "predicate", .kind = MP_ATTRIBUTE_WORD, .word = "less"};
  wrong.attributes = &attribute;
  wrong.attributeCount = 1;
  expectFault(mpModelAddOp(model, &wrong, &values[3], 1, &count), MP_FAULT_UNKNOWN_WORD, "predicate", -1);
  wrong = (MpModelOp){.size = sizeof op, .op = "mp.iota"};
  expectFault(mpModelAddOp(model, &wrong, &values[3], 1, &count), MP_FAULT_MISSING_ATTRIBUTE, "dimension", -1);

  /* A constant of bytes, of its own elements and of doubles that are rounded to them. */
  const double third = 1.0 / 3;
  const uint16_t half = 0x3800;
  attribute = (MpAttribute){.size = sizeof attribute,
                            .name = "value",
                            .kind = MP_ATTRIBUTE_TENSOR,
                            .element = MP_F64,
                            .tensor = {MP_BF16, 0, NULL, &third, sizeof third}};
  MpModelOp constant = {.size = sizeof op, .op = "mp.constant", .attributes = &attribute, .attributeCount = 1};
  expect(mpModelAddOp(model, &constant, &values[3], 1, &count), "");
  attribute.element = MP_F16;
  attribute.tensor = (MpTensor){MP_F16, 0, NULL, &half, sizeof half};
  expect(mpModelAddOp(model, &constant, &values[3], 1, &count), "");
  attribute.tensor.bytes = 3;
  expect(mpModelAddOp(model, &constant, &values[3], 1, &count), "3 bytes for a constant of 'tensor<f16>'");
  attribute.tensor = (MpTensor){MP_F32, 2, rows, &third, 8};
  expect(mpModelAddOp(model, &constant, &values[3], 1, &count), "has an open size");
  attribute.element = MP_I32;
  attribute.tensor = (MpTensor){MP_F32, 0, NULL, &third, 4};
  expect(mpModelAddOp(model, &constant, &values[3], 1, &count), "elements of 'i32' for a constant of 'tensor<f32>'");

  const MpElementType whole32 = MP_I32;
  expect(mpModelOpenAutocast(model, 1, &whole32), "autocast to 'i32', expected f16, bf16 or f32");
  expect(mpModelCloseAutocast(model), "no autocast region is open");
  op.op = "mp.relu";
  op.operands = &values[2];
  op.operandCount = 1;
  expect(mpModelOpenAutocast(model, 0, NULL), "");
  expect(mpModelText(model, 1, &text), "an autocast region is open");
  expect(mpModelCopy(model, &copy), "an autocast region is open");
  expect(mpModelAddOp(model, &op, &values[2], 1, &count), "");
  expect(mpModelCloseAutocast(model), "");
  expect(mpModelCopy(model, &copy), "");
  expect(mpModelAddResult(model, 99, MP_ROLE_OUTPUT, "y"), "result is value 99 of ");
  expect(mpModelAddResult(model, values[2], MP_ROLE_OUTPUT, NULL), "name is null");
  expect(mpModelAddResult(model, values[2], MP_ROLE_INPUT, "y"), "a result has role 0, expected loss, output");
  expect(mpModelAddResult(model, values[2], MP_ROLE_OUTPUT, "y"), "");
  expect(mpModelType(model, values[2], &type), "");
  if (type.element != MP_F32 || type.rank != 2 || type.shape[1] != 1) {
    fprintf(stderr, "the product has not its type\n");
    failures += 1;
  }
  expect(mpModelType(model, 99, &type), "there is no value 99");
  expect(mpModelText(model, 1, &text), "");
  expect(mpModelCompile(model, "m.mlir", &options, &executable), "");
  /* The copy was made before there was a result. */
  options.onDiagnostic = NULL;
  expect(mpModelCompile(copy, "m.mlir", &options, &ofText), "nothing to compile");
  options.onDiagnostic = countDiagnostic;
  mpModelDestroy(copy);
  mpModelDestroy(model);
  char whole[4096];
  snprintf(whole, sizeof whole, "%.*s", (int)mpBytesSize(text), (const char *)mpBytesData(text));
  const char *product = strstr(whole, "mp.matmul"); /* not the one for which there was no room */
  if (!product || strstr(product + 1, "mp.matmul")) {
    fprintf(stderr, "the model has not one product\n");
    failures += 1;
  }
  expect(mpCompileToBytes(mpBytesData(text), mpBytesSize(text), "m.mlir", &options, &ofText), "");
  if (mpBytesSize(ofText) != mpBytesSize(executable) ||
      memcmp(mpBytesData(ofText), mpBytesData(executable), mpBytesSize(executable)) != 0) {
    fprintf(stderr, "the model and its text are compiled differently\n");
    failures += 1;
  }
  mpBytesDestroy(ofText);
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
