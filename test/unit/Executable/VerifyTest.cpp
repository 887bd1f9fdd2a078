// One case for each sentence of the verifier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each case breaks one rule in a table that was right, and gives the whole message.

#include "Executable/Sample.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

using namespace mp;
using namespace mp::executable;

namespace {

struct Case {
  const char *name;
  std::function<void(ExecutableT &)> damage;
  const char *message;
};

VariantT &train(ExecutableT &table) { return *table.programs[0]->variants[0]; }
VariantT &train32(ExecutableT &table) { return *table.programs[0]->variants[1]; }
VariantT &reference(ExecutableT &table) { return *table.programs[0]->variants[2]; }
LaunchT &forward(ExecutableT &table) { return *train(table).commands[1]->what.AsLaunch(); }
LaunchT &adam(ExecutableT &table) { return *train(table).commands[4]->what.AsLaunch(); }
CopyT &copy(ExecutableT &table) { return *train(table).commands[2]->what.AsCopy(); }
FillT &fill(ExecutableT &table) { return *train(table).commands[0]->what.AsFill(); }

void setSlice(ExecutableT &table, Space space, uint32_t index, uint64_t offset, uint64_t bytes,
              Access access = Access::Read) {
  forward(table).buffers[1] = Buffer(BufferSlice(space, index, offset, bytes), access);
}

/// Makes every variant for a processor one for a GPU: blocks of 128 threads, in clusters of 2.
void retarget(ExecutableT &table, const char *target, BlobKind code) {
  table.blobs[0]->kind = code;
  for (auto &program : table.programs)
    for (auto &variant : program->variants) {
      if (variant->target != "cpu")
        continue;
      variant->target = target;
      variant->features = {"sm_80"};
      for (auto &command : variant->commands)
        if (LaunchT *launch = command->what.AsLaunch()) {
          launch->scratch_bytes = 0;
          launch->threads = 128;
          launch->shared_bytes = 49152;
          launch->grid = launch->cluster = 2;
        }
    }
}

constexpr uint64_t kHuge = std::numeric_limits<uint64_t>::max() - 63;

const Case kHeadCases[] = {
    {"Version", [](ExecutableT &t) { t.version = 7; }, "version 7 of the table, expected 2"},
    {"ControlCharacters", [](ExecutableT &t) { t.model = "a\x1b[2J"; },
     "model 'a?[2J' holds control characters or is not UTF-8"},
    {"NoUTF8", [](ExecutableT &t) { t.state[0]->name = "a\xff"; },
     "state name 'a?' holds control characters or is not UTF-8"},
    {"MetadataValue", [](ExecutableT &t) { t.metadata[0]->value = "a\nb"; },
     "metadata key 'optimizer': value 'a?b' holds control characters or is not UTF-8"},
    {"LongText", [](ExecutableT &t) { t.policy.assign(4097, 'x'); }, "policy of 4097 bytes, expected at most 4096"},
    {"MetadataNull", [](ExecutableT &t) { t.metadata[0].reset(); }, "an entry of the metadata is null"},
    {"MetadataKeyEmpty", [](ExecutableT &t) { t.metadata[0]->key = ""; }, "metadata key is empty"},
    {"MetadataKeyTwice", [](ExecutableT &t) { t.metadata.push_back(std::make_unique<KeyValueT>(*t.metadata[0])); },
     "metadata key 'optimizer' appears twice"},
    {"BlobNull", [](ExecutableT &t) { t.blobs[2].reset(); }, "blob 2 is null"},
    {"BlobKind", [](ExecutableT &t) { t.blobs[1]->kind = BlobKind(6); }, "blob 1: unknown kind 6"},
    {"BlobAlignment", [](ExecutableT &t) { t.blobs[1]->offset += 8; }, "blob 1: offset 200 is not a multiple of 64"},
    {"BlobInHeader", [](ExecutableT &t) { t.blobs[0]->offset = 0; },
     "blob 0: 100 bytes at 0 are not between header and table"},
    {"BlobBeyond", [](ExecutableT &t) { t.blobs[2]->offset = 1 << 20; },
     "blob 2: 9 bytes at 1048576 are not between header and table"},
    {"BlobLengthOverflow", [](ExecutableT &t) { t.blobs[2]->length = kHuge; },
     "blob 2: 18446744073709551552 bytes at 320 are not between header and table"},
    {"BlobsOverlap", [](ExecutableT &t) { t.blobs[0]->length = 129; }, "blobs 0 and 1 overlap"},
    {"NoProgram", [](ExecutableT &t) { t.programs.clear(); }, "holds no program"},
    {"ProgramNull", [](ExecutableT &t) { t.programs[1].reset(); }, "a program is null"},
    {"ProgramNameEmpty", [](ExecutableT &t) { t.programs[1]->name = ""; }, "program name is empty"},
    {"ProgramTwice", [](ExecutableT &t) { t.programs[2]->name = "train_step"; }, "program 'train_step' appears twice"},
    {"NoVariant", [](ExecutableT &t) { t.programs[1]->variants.clear(); }, "program 'eval': has no variant"},
    {"VariantNull", [](ExecutableT &t) { t.programs[0]->variants[1].reset(); },
     "program 'train_step': variant 1 is null"},
    {"VariantTwice",
     [](ExecutableT &t) { t.programs[2]->variants.push_back(std::make_unique<VariantT>(*t.programs[2]->variants[0])); },
     "program 'derive': variant 2: a second one for target 'cpu', the same features and batch 0"},
    {"TargetEmpty", [](ExecutableT &t) { train(t).target = ""; }, "program 'train_step': variant 0: target is empty"},
    {"FeatureEmpty", [](ExecutableT &t) { train(t).features[1] = ""; },
     "program 'train_step': variant 0: feature is empty"},
    {"BatchNegative", [](ExecutableT &t) { train(t).batch = -1; },
     "program 'train_step': variant 0: batch of -1, expected at least 0"},
    {"ConstantsIndex", [](ExecutableT &t) { train(t).constants = 3; },
     "program 'train_step': variant 0: constants in blob 3, but there are 3 blobs"},
    {"ConstantsKind", [](ExecutableT &t) { train(t).constants = 2; },
     "program 'train_step': variant 0: constants in blob 2, which is ProgramText"},
    {"StatisticsType", [](ExecutableT &t) { train(t).statistics->ops_by_type[0]->type = "\n"; },
     "program 'train_step': variant 0: statistics hold a type without a proper name"},
    {"Memory", [](ExecutableT &t) { train(t).arena_bytes = kHuge; },
     "program 'train_step': variant 0: arena, state, arguments and results need more than 140737488355328 bytes"},
};

const Case kStateCases[] = {
    {"Null", [](ExecutableT &t) { t.state[1].reset(); }, "a state is null"},
    {"NameEmpty", [](ExecutableT &t) { t.state[1]->name = ""; }, "state name is empty"},
    {"NameTwice", [](ExecutableT &t) { t.state[1]->name = "kernel"; }, "state 'kernel' appears twice"},
    {"Role", [](ExecutableT &t) { t.state[1]->role = StateRole(9); }, "state 'kernel/adam.m': unknown role 9"},
    {"NoType", [](ExecutableT &t) { t.state[1]->type.reset(); }, "state 'kernel/adam.m': has no type"},
    {"ElementType", [](ExecutableT &t) { t.state[1]->type->element = ElementType(200); },
     "state 'kernel/adam.m': unknown element type 200"},
    {"Rank", [](ExecutableT &t) { t.state[1]->type->shape.assign(33, 1); },
     "state 'kernel/adam.m': rank 33, expected at most 32"},
    {"NegativeSize", [](ExecutableT &t) { t.state[1]->type->shape[0] = -8; },
     "state 'kernel/adam.m': tensor<-8x4xf32> has a negative size or too many elements"},
    {"TooManyElements", [](ExecutableT &t) { t.state[1]->type->shape.assign(2, std::numeric_limits<int64_t>::max()); },
     "state 'kernel/adam.m': tensor<9223372036854775807x9223372036854775807xf32> has a negative size or too many "
     "elements"},
    {"DerivedOfNothing", [](ExecutableT &t) { t.state[4]->derived_of = "bias"; },
     "state 'kernel.f16': derived of 'bias', which is not a parameter"},
    {"DerivedOfState", [](ExecutableT &t) { t.state[4]->derived_of = "rng"; },
     "state 'kernel.f16': derived of 'rng', which is not a parameter"},
    {"DerivedOfOtherShape", [](ExecutableT &t) { t.state[4]->type->shape = {4, 8}; },
     "state 'kernel.f16': is tensor<4x8xf16> and derived of tensor<8x4xf32>, expected its shape in f16 or bf16"},
    {"DerivedBeforeItsParameter",
     [](ExecutableT &t) {
       t.state[4]->layout = "32x8x2";
       t.state[4]->type->shape = {1, 1, 1, 64};
       t.state[0]->type->shape[0] = -8;
       std::swap(t.state[0], t.state[4]);
     },
     "state 'kernel': tensor<-8x4xf32> has a negative size or too many elements"},
    {"DerivedAsInteger", [](ExecutableT &t) { t.state[4]->type->element = ElementType::I32; },
     "state 'kernel.f16': is tensor<8x4xi32> and derived of tensor<8x4xf32>, expected its shape in f16 or bf16"},
    {"DerivedPackedTooSmall",
     [](ExecutableT &t) {
       t.state[4]->layout = "32x8x2";
       t.state[4]->type->shape = {1, 1, 1, 16};
     },
     "state 'kernel.f16': is tensor<1x1x1x16xf16> and derived of tensor<8x4xf32>, expected at least as many elements "
     "of four "
     "dimensions, of a matrix or filters in f16 or bf16"},
    {"DerivedPackedAsMatrix", [](ExecutableT &t) { t.state[4]->layout = "32x8x2"; },
     "state 'kernel.f16': is tensor<8x4xf16> and derived of tensor<8x4xf32>, expected at least as many elements of "
     "four "
     "dimensions, of a matrix or filters in f16 or bf16"},
    {"DerivedPackedOfAVector",
     [](ExecutableT &t) {
       t.state[4]->layout = "32x8x2";
       t.state[4]->type->shape = {1, 1, 1, 64};
       t.state[0]->type->shape = {32};
     },
     "state 'kernel.f16': is tensor<1x1x1x64xf16> and derived of tensor<32xf32>, expected at least as many elements of "
     "four dimensions, of a matrix or filters in f16 or bf16"},
    {"DerivedLayoutText", [](ExecutableT &t) { t.state[4]->layout = "32x8\n"; },
     "state 'kernel.f16': layout '32x8?' holds control characters or is not UTF-8"},
    {"LayoutOfParameter", [](ExecutableT &t) { t.state[0]->layout = "32x8x2"; },
     "state 'kernel': has a layout, but its role is Parameter"},
    {"DerivedSaved", [](ExecutableT &t) { t.state[4]->saved = true; },
     "state 'kernel.f16': derived state has an initializer or is saved"},
    {"DerivedOfByParameter", [](ExecutableT &t) { t.state[0]->derived_of = "kernel"; },
     "state 'kernel': derived of 'kernel', but its role is Parameter"},
    {"NoInitializer", [](ExecutableT &t) { t.state[0]->initializer.reset(); }, "state 'kernel': has no initializer"},
    {"InitializerKind", [](ExecutableT &t) { t.state[0]->initializer->kind = InitializerKind(77); },
     "state 'kernel': unknown initializer 77"},
    {"ConstantOfInteger",
     [](ExecutableT &t) {
       t.state[3]->type->element = ElementType::UI8;
       t.state[3]->initializer->a = 256;
     },
     "state 'loss_scale': constant 256 is not a value of ui8"},
    {"RandomInteger", [](ExecutableT &t) { t.state[0]->type->element = ElementType::I32; },
     "state 'kernel': initializer GlorotUniform needs a float type, found i32"},
    {"InitializerNotFinite",
     [](ExecutableT &t) { t.state[0]->initializer->b = std::numeric_limits<double>::infinity(); },
     "state 'kernel': initializer GlorotUniform with parameters that are not finite"},
    {"NegativeDeviation",
     [](ExecutableT &t) {
       t.state[0]->initializer->kind = InitializerKind::Normal;
       t.state[0]->initializer->b = -1;
     },
     "state 'kernel': initializer Normal with standard deviation -1"},
    {"EmptyInterval",
     [](ExecutableT &t) {
       t.state[0]->initializer->kind = InitializerKind::Uniform;
       t.state[0]->initializer->a = 1;
     },
     "state 'kernel': initializer Uniform from 1 to 0"},
};

// All of these are prefixed with program 'train_step' and the variant.
const Case kSignatureCases[] = {
    {"ArgumentNull", [](ExecutableT &t) { train(t).arguments[1].reset(); }, "variant 0: argument 1 is null"},
    {"ArgumentNameEmpty", [](ExecutableT &t) { train(t).arguments[1]->name = ""; },
     "variant 0: argument 1: name is empty"},
    {"ArgumentTwice", [](ExecutableT &t) { train(t).arguments[1]->name = "x"; },
     "variant 0: argument 1 'x' appears twice"},
    {"ArgumentKind", [](ExecutableT &t) { train(t).arguments[1]->kind = ArgumentKind(5); },
     "variant 0: argument 1 'y': unknown kind 5"},
    {"ArgumentNoType", [](ExecutableT &t) { train(t).arguments[1]->type.reset(); },
     "variant 0: argument 1 'y': has no type"},
    {"LabelThatIsState", [](ExecutableT &t) { train(t).arguments[2]->label = true; },
     "variant 0: argument 2 'kernel': only an input can be a label"},
    {"BatchedState", [](ExecutableT &t) { train(t).arguments[2]->batched = true; },
     "variant 0: argument 2 'kernel': state has no batch"},
    {"StateUnknown", [](ExecutableT &t) { train(t).arguments[2]->name = "bias"; },
     "variant 0: argument 2 'bias': names no state"},
    {"StateOfOtherType", [](ExecutableT &t) { train(t).arguments[2]->type->shape = {4, 8}; },
     "variant 0: argument 2 'kernel': is tensor<4x8xf32>, its state is tensor<8x4xf32>"},
    {"BatchDiffers", [](ExecutableT &t) { train(t).batch = 8; },
     "variant 0: argument 0 'x': is tensor<16x8xui8> and batched, the batch is 8"},
    {"RowWeights", [](ExecutableT &t) { train(t).arguments[0]->kind = ArgumentKind::RowWeights; },
     "variant 0: argument 0 'x': row weights are tensor<16x8xui8>, expected one value for each row of the batch"},
    {"ResultNull", [](ExecutableT &t) { train(t).results[0].reset(); }, "variant 0: result 0 is null"},
    {"ResultNameEmpty", [](ExecutableT &t) { train(t).results[0]->name = ""; }, "variant 0: result 0: name is empty"},
    {"ResultTwice", [](ExecutableT &t) { train(t).results[4]->name = "kernel"; },
     "variant 0: result 4 'kernel' appears twice"},
    {"ResultKind", [](ExecutableT &t) { train(t).results[0]->kind = ResultKind(6); },
     "variant 0: result 0 'loss': unknown kind 6"},
    {"ResultNoType", [](ExecutableT &t) { train(t).results[0]->type.reset(); },
     "variant 0: result 0 'loss': has no type"},
    {"BatchOfNothing",
     [](ExecutableT &t) {
       train(t).batch = 0;
       train(t).arguments[0]->type->shape[0] = 0;
     },
     "variant 0: argument 0 'x': is batched, expected a batch of at least 1, found 0"},
    {"BatchedScalar", [](ExecutableT &t) { train(t).results[0]->batched = true; },
     "variant 0: result 0 'loss': is a scalar and batched"},
    {"LossIsNoScalar", [](ExecutableT &t) { train(t).results[0]->type->shape = {2}; },
     "variant 0: result 0 'loss': Loss is tensor<2xf32>, expected a scalar"},
    {"LogIsNoScalar", [](ExecutableT &t) { train(t).results[7]->type->shape = {1}; },
     "variant 0: result 7 'bad': Log is tensor<1xi32>, expected a scalar"},
    {"MetricIsMatrix", [](ExecutableT &t) { train(t).results[1]->type->shape = {16, 2}; },
     "variant 0: result 1 'accuracy': Metric is tensor<16x2xf32>, expected a value for each row"},
    {"NamesOfOutput", [](ExecutableT &t) { train(t).results[2]->names = {"a"}; },
     "variant 0: result 2 'logits': only a log has names"},
    {"LogNameEmpty", [](ExecutableT &t) { train(t).results[7]->names = {""}; },
     "variant 0: result 7 'bad': log name is empty"},
    {"GradientOfNothing", [](ExecutableT &t) { train(t).results[8]->name = "bias"; },
     "variant 0: result 8 'bias': names no state"},
    {"BatchedNext", [](ExecutableT &t) { train(t).results[3]->batched = true; },
     "variant 0: result 3 'kernel': state has no batch"},
    {"NextUnknown", [](ExecutableT &t) { train(t).results[3]->name = "bias"; },
     "variant 0: result 3 'bias': names no state"},
    {"NextOfOtherType", [](ExecutableT &t) { train(t).results[3]->type->element = ElementType::F16; },
     "variant 0: result 3 'kernel': is tensor<8x4xf16>, its state is tensor<8x4xf32>"},
    {"VariantsDifferInCount", [](ExecutableT &t) { train32(t).results.erase(train32(t).results.begin()); },
     "variant 1: 8 results, variant 0 has 9"},
    {"VariantsDifferInLabel", [](ExecutableT &t) { train32(t).arguments[1]->label = false; },
     "variant 1: argument 1 'y': tensor<32xui8> is not that of variant 0, 'y': tensor<16xui8>"},
    {"VariantsDifferInType", [](ExecutableT &t) { train32(t).arguments[0]->type->shape[1] = 9; },
     "variant 1: argument 0 'x': tensor<32x9xui8> is not that of variant 0, 'x': tensor<16x8xui8>"},
    {"VariantsDifferInResultType", [](ExecutableT &t) { train32(t).results[2]->type->element = ElementType::F16; },
     "variant 1: result 2 'logits': tensor<32x4xf16> is not that of variant 0, 'logits': tensor<16x4xf32>"},
};

const Case kPlanCases[] = {
    {"CommandNull", [](ExecutableT &t) { train(t).commands[1].reset(); }, "variant 0: command 1: unknown kind"},
    {"CommandKind", [](ExecutableT &t) { train(t).commands[1]->what.Reset(); }, "variant 0: command 1: unknown kind"},
    {"KernelName", [](ExecutableT &t) { forward(t).kernel = "\n"; },
     "variant 0: command 1: launch of '?': kernel name '?' holds control characters or is not UTF-8"},
    {"SymbolStartsWithDigit", [](ExecutableT &t) { forward(t).symbol = "1st"; },
     "variant 0: command 1: launch of 'the kernel forward': symbol is not a C identifier"},
    {"SymbolWithDot", [](ExecutableT &t) { forward(t).symbol = "dense.forward"; },
     "variant 0: command 1: launch of 'the kernel forward': symbol is not a C identifier"},
    {"CodeIndex", [](ExecutableT &t) { forward(t).blob = 3; },
     "variant 0: command 1: launch of 'the kernel forward': code in blob 3, but there are 3 blobs"},
    {"CodeKind", [](ExecutableT &t) { forward(t).blob = 1; },
     "variant 0: command 1: launch of 'the kernel forward': code in blob 1, which is Constants, expected NativeCode"},
    {"ThreadsOfAProcessor", [](ExecutableT &t) { forward(t).threads = 32; },
     "variant 0: command 1: launch of 'the kernel forward': blocks of 32 threads with 0 bytes of shared memory in "
     "clusters "
     "of 1 for target 'cpu', which is not a GPU"},
    {"BuffersInMemoryOfAProcessor", [](ExecutableT &t) { forward(t).buffers_in_memory = true; },
     "variant 0: command 1: launch of 'the kernel forward': buffers in memory for target 'cpu', which is not a GPU"},
    {"GridZero", [](ExecutableT &t) { forward(t).grid = 0; },
     "variant 0: command 1: launch of 'the kernel forward': grid of 0, expected 1 to 2147483647"},
    {"GridTooLarge", [](ExecutableT &t) { forward(t).grid = uint64_t(1) << 31; },
     "variant 0: command 1: launch of 'the kernel forward': grid of 2147483648, expected 1 to 2147483647"},
    {"Scratch", [](ExecutableT &t) { forward(t).scratch_bytes = uint64_t(1) << 31; },
     "variant 0: command 1: launch of 'the kernel forward': scratch of 2147483648 bytes, expected at most "
     "1073741824"},
    {"Access", [](ExecutableT &t) { setSlice(t, Space::State, 0, 0, 128, Access(3)); },
     "variant 0: command 1: launch of 'the kernel forward': buffer 1: unknown access 3"},
    {"CopyWithoutSlice", [](ExecutableT &t) { copy(t).source.reset(); },
     "variant 0: command 2: copy: has no source or no destination"},
    {"CopySizes", [](ExecutableT &t) { *copy(t).source = BufferSlice(Space::Arena, 0, 1024, 128); },
     "variant 0: command 2: copy: 128 bytes to 256"},
    {"CopySource", [](ExecutableT &t) { *copy(t).source = BufferSlice(Space::Arena, 1, 1024, 256); },
     "variant 0: command 2: copy: source: Arena 1 [1024, +256]: the arena has index 0 only"},
    {"CopyDestination", [](ExecutableT &t) { *copy(t).destination = BufferSlice(Space::Argument, 0, 0, 128); },
     "variant 0: command 2: copy: destination: Argument 0 [0, +128]: arguments are read-only"},
    {"CopyOverItself",
     [](ExecutableT &t) {
       *copy(t).source = BufferSlice(Space::Arena, 0, 0, 256);
       *copy(t).destination = BufferSlice(Space::Arena, 0, 128, 256);
     },
     "variant 0: command 2: copy: Arena 0 [0, +256] and Arena 0 [128, +256] overlap, and one is written"},
    {"FillWithoutSlice", [](ExecutableT &t) { fill(t).destination.reset(); },
     "variant 0: command 0: fill: has no destination"},
    {"FillDestination", [](ExecutableT &t) { *fill(t).destination = BufferSlice(Space::Constant, 0, 0, 64); },
     "variant 0: command 0: fill: destination: Constant 0 [0, +64]: constants are read-only"},
    {"FillPattern", [](ExecutableT &t) { fill(t).pattern_bytes = 3; },
     "variant 0: command 0: fill: pattern of 3 bytes, expected 1, 2, 4 or 8"},
    {"FillRest", [](ExecutableT &t) { *fill(t).destination = BufferSlice(Space::Arena, 0, 0, 1022); },
     "variant 0: command 0: fill: 1022 bytes are not a multiple of a pattern of 4"},
    {"ResultNeverWritten", [](ExecutableT &t) { train(t).commands.erase(train(t).commands.begin() + 2); },
     "variant 0: result 2 'logits' is never written"},
};

// All of these are about buffer 1 of command 1.
const Case kSliceCases[] = {
    {"Space", [](ExecutableT &t) { setSlice(t, Space(5), 0, 0, 4); }, "buffer 1: unknown space 5"},
    {"Alignment", [](ExecutableT &t) { setSlice(t, Space::State, 0, 4, 4); },
     "buffer 1: State 0 [4, +4]: offset is not a multiple of 64"},
    {"OffsetBeyond", [](ExecutableT &t) { setSlice(t, Space::State, 0, 192, 0); },
     "buffer 1: State 0 [192, +0] is outside its 128 bytes"},
    {"BytesBeyond", [](ExecutableT &t) { setSlice(t, Space::State, 0, 64, 65); },
     "buffer 1: State 0 [64, +65] is outside its 128 bytes"},
    {"Overflow", [](ExecutableT &t) { setSlice(t, Space::State, 0, 64, kHuge); },
     "buffer 1: State 0 [64, +18446744073709551552] is outside its 128 bytes"},
    {"ArenaBounds", [](ExecutableT &t) { setSlice(t, Space::Arena, 0, 1280, 1); },
     "buffer 1: Arena 0 [1280, +1] is outside its 1280 bytes"},
    {"StateIndex", [](ExecutableT &t) { setSlice(t, Space::State, 5, 0, 4); },
     "buffer 1: State 5 [0, +4]: expected an index less than 5"},
    {"StateWithoutNext",
     [](ExecutableT &t) {
       train(t).results.pop_back();
       setSlice(t, Space::State, 4, 0, 64, Access::Write);
     },
     "buffer 1: State 4 [0, +64]: writes 'kernel.f16', of which no result is the next value"},
    {"ArgumentIndex", [](ExecutableT &t) { setSlice(t, Space::Argument, 7, 0, 4); },
     "buffer 1: Argument 7 [0, +4]: expected an index less than 7"},
    {"ArgumentWritten", [](ExecutableT &t) { setSlice(t, Space::Argument, 1, 0, 16, Access::ReadWrite); },
     "buffer 1: Argument 1 [0, +16]: arguments are read-only"},
    {"ArgumentThatIsState", [](ExecutableT &t) { setSlice(t, Space::Argument, 2, 0, 128); },
     "buffer 1: Argument 2 [0, +128]: the argument is state, which lies in space State"},
    {"ArgumentBounds", [](ExecutableT &t) { setSlice(t, Space::Argument, 1, 0, 17); },
     "buffer 1: Argument 1 [0, +17] is outside its 16 bytes"},
    {"ResultIndex", [](ExecutableT &t) { setSlice(t, Space::Result, 10, 0, 4); },
     "buffer 1: Result 10 [0, +4]: expected an index less than 10"},
    {"ResultThatIsState", [](ExecutableT &t) { setSlice(t, Space::Result, 3, 0, 128); },
     "buffer 1: Result 3 [0, +128]: the result is next state, which lies in space State"},
    {"ResultBounds", [](ExecutableT &t) { setSlice(t, Space::Result, 2, 64, 256); },
     "buffer 1: Result 2 [64, +256] is outside its 256 bytes"},
    {"ConstantWritten", [](ExecutableT &t) { setSlice(t, Space::Constant, 0, 0, 4, Access::Write); },
     "buffer 1: Constant 0 [0, +4]: constants are read-only"},
    {"ConstantIndex", [](ExecutableT &t) { setSlice(t, Space::Constant, 1, 0, 4); },
     "buffer 1: Constant 1 [0, +4]: the variant has one constants blob"},
    {"ConstantBounds", [](ExecutableT &t) { setSlice(t, Space::Constant, 0, 128, 4); },
     "buffer 1: Constant 0 [128, +4] is outside its 128 bytes"},
    {"WriteOverRead", [](ExecutableT &t) { setSlice(t, Space::Arena, 0, 1088, 64); },
     "Arena 0 [1024, +256] and Arena 0 [1088, +64] overlap, and one is written"},
    {"WriteOverWrite", [](ExecutableT &t) { setSlice(t, Space::Arena, 0, 960, 128, Access::Write); },
     "Arena 0 [960, +128] and Arena 0 [1024, +256] overlap, and one is written"},
    {"SameSliceNotInPlace", [](ExecutableT &t) { setSlice(t, Space::Arena, 0, 1024, 256); },
     "Arena 0 [1024, +256] is written and in another buffer, and not all of them are ReadWrite"},
};

const Case kReferenceCases[] = {
    {"TwoCommands",
     [](ExecutableT &t) { reference(t).commands.push_back(std::make_unique<CommandT>(*train(t).commands[0])); },
     "command 1: fill: destination: Arena 0 [0, +1024] is outside its 0 bytes"},
    {"Symbol", [](ExecutableT &t) { reference(t).commands[0]->what.AsLaunch()->symbol = "main"; },
     "target 'reference' is one launch of symbol 'train_step', of grid 1, with a buffer for each argument and result"},
    {"Code", [](ExecutableT &t) { reference(t).commands[0]->what.AsLaunch()->blob = 0; },
     "command 0: launch of 'the kernel train_step': code in blob 0, which is NativeCode, expected ProgramText"},
    {"ArgumentOrder",
     [](ExecutableT &t) {
       std::vector<Buffer> &buffers = reference(t).commands[0]->what.AsLaunch()->buffers;
       std::swap(buffers[0], buffers[1]);
     },
     "buffer 0 is not the whole argument or result at that position"},
    {"ResultOrder",
     [](ExecutableT &t) {
       std::vector<Buffer> &buffers = reference(t).commands[0]->what.AsLaunch()->buffers;
       std::swap(buffers[7], buffers[8]);
     },
     "buffer 7 is not the whole argument or result at that position"},
};

/// Applies `change` to every variant of program `index`.
template <typename Change> void forVariants(ExecutableT &table, size_t index, Change change) {
  for (auto &variant : table.programs[index]->variants)
    change(*variant);
}

const Case kDerivedCases[] = {
    {"NoProgram", [](ExecutableT &t) { t.programs.pop_back(); }, "state 'kernel.f16': no program 'derive' makes it"},
    {"NotMade",
     [](ExecutableT &t) {
       t.programs.erase(t.programs.begin());
       t.state.push_back(std::make_unique<StateEntryT>(*t.state[4]));
       t.state.back()->name = "kernel.half";
     },
     "state 'kernel.half': no program 'derive' makes it"},
    {"NotWritten",
     [](ExecutableT &t) {
       t.programs[0]->variants.pop_back();
       forVariants(t, 0, [](VariantT &v) { v.results.pop_back(); });
     },
     "program 'train_step': variant 0: writes 'kernel', but not 'kernel.f16', which is derived of it"},
    {"NotMadeForItsFeatures",
     [](ExecutableT &t) {
       for (auto &variant : t.programs[2]->variants)
         variant->features = {"other"};
     },
     "program 'train_step': variant 0: reads 'kernel.f16', which no variant of 'derive' for its features makes"},
    {"MadeOfState",
     [](ExecutableT &t) {
       t.programs[2]->variants.pop_back();
       forVariants(t, 2, [](VariantT &v) { v.arguments[0]->name = "kernel/adam.m"; });
     },
     "program 'derive': variant 0: argument 'kernel/adam.m' is not a parameter"},
    {"MadeOfInput",
     [](ExecutableT &t) {
       t.programs[2]->variants.pop_back();
       forVariants(t, 2, [](VariantT &v) { v.arguments[0]->kind = ArgumentKind::Input; });
     },
     "program 'derive': variant 0: argument 'kernel' is not a parameter"},
    {"MakesOther",
     [](ExecutableT &t) {
       t.programs[2]->variants.pop_back();
       forVariants(t, 2, [](VariantT &v) {
         v.results.push_back(std::make_unique<ResultT>(*v.results[0]));
         v.results.back()->name = "kernel/adam.m";
         v.results.back()->type->element = ElementType::F32;
       });
     },
     "program 'derive': variant 0: result 'kernel/adam.m' is not derived state"},
};

// All of these are about command 1 of a variant for a GPU.
const Case kGPUCases[] = {
    {"CodeOfAProcessor", [](ExecutableT &t) { t.blobs[0]->kind = BlobKind::NativeCode; },
     "code in blob 0, which is NativeCode, expected PTX or Cubin"},
    {"CodeOfTheOtherTarget", [](ExecutableT &t) { train(t).target = "simt"; },
     "code in blob 0, which is PTX, expected SimulatedCode"},
    {"Scratch", [](ExecutableT &t) { forward(t).scratch_bytes = 64; },
     "scratch of 64 bytes, a GPU's blocks have shared memory"},
    {"NoThreads", [](ExecutableT &t) { forward(t).threads = 0; }, "blocks of 0 threads, expected 1 to 1024"},
    {"TooManyThreads", [](ExecutableT &t) { forward(t).threads = 1025; }, "blocks of 1025 threads, expected 1 to 1024"},
    {"SharedMemory", [](ExecutableT &t) { forward(t).shared_bytes = 232464; },
     "shared memory of 232464 bytes, expected at most 232448"},
    {"SharedMemoryOfPartAccesses", [](ExecutableT &t) { forward(t).shared_bytes = 28; },
     "shared memory of 28 bytes, expected a multiple of 16"},
    {"MoreParametersThanAnyGPUHas", [](ExecutableT &t) { forward(t).buffers.resize(545, forward(t).buffers[0]); },
     "545 buffers as parameters, expected at most 544; more need buffers_in_memory"},
    {"NoCluster", [](ExecutableT &t) { forward(t).cluster = 0; }, "clusters of 0 blocks, expected 1 to 16"},
    {"LargeCluster", [](ExecutableT &t) { forward(t).cluster = 17; }, "clusters of 17 blocks, expected 1 to 16"},
    {"GridOfPartClusters", [](ExecutableT &t) { forward(t).grid = 3; }, "grid of 3 is not a multiple of clusters of 2"},
};

void expectRefusal(const Case &test, const std::string &prefix, ExecutableT table = sample::table()) {
  SCOPED_TRACE(test.name);
  test.damage(table);
  uint64_t blobsEnd = sample::table().blobs.back()->offset + 64;
  EXPECT_EQ(verifyExecutable(table, blobsEnd).message(), prefix + test.message);
}

TEST(Verify, AcceptsTheSample) { EXPECT_EQ(verifyExecutable(sample::table(), 384).message(), ""); }

TEST(Verify, Head) {
  for (const Case &test : kHeadCases)
    expectRefusal(test, "");
}

TEST(Verify, State) {
  for (const Case &test : kStateCases)
    expectRefusal(test, "");
}

TEST(Verify, Signature) {
  for (const Case &test : kSignatureCases)
    expectRefusal(test, "program 'train_step': ");
}

TEST(Verify, Plan) {
  for (const Case &test : kPlanCases)
    expectRefusal(test, "program 'train_step': ");
}

TEST(Verify, BufferSlice) {
  for (const Case &test : kSliceCases)
    expectRefusal(test, "program 'train_step': variant 0: command 1: launch of 'the kernel forward': ");
}

TEST(Verify, Reference) {
  for (const Case &test : kReferenceCases)
    expectRefusal(test, "program 'train_step': variant 2: ");
}

TEST(Verify, Derived) {
  for (const Case &test : kDerivedCases)
    expectRefusal(test, "");
}

TEST(Verify, GPU) {
  for (const Case &test : kGPUCases) {
    ExecutableT table = sample::table();
    retarget(table, "nvptx", BlobKind::PTX);
    expectRefusal(test,
                  "program 'train_step': variant 0: command 1: launch of 'the kernel forward': ", std::move(table));
  }
}

TEST(Verify, AcceptsCodeOfEachTarget) {
  for (auto [target, code] : {std::pair("nvptx", BlobKind::PTX), std::pair("nvptx", BlobKind::Cubin),
                              std::pair("simt", BlobKind::SimulatedCode)}) {
    ExecutableT table = sample::table();
    retarget(table, target, code);
    EXPECT_EQ(verifyExecutable(table, 384).message(), "");
  }
}

TEST(Verify, WithoutConstantsNoSliceIsConstant) {
  ExecutableT table = sample::table();
  train(table).constants = -1;
  EXPECT_EQ(verifyExecutable(table, 384).message(),
            "program 'train_step': variant 0: command 1: launch of 'the kernel forward': buffer 2: "
            "Constant 0 [64, +16]: the variant has no constants");
}

TEST(Verify, AcceptsWhatTheRulesAllow) {
  ExecutableT table = sample::table();
  // Reading one slice twice, and reading overlapping slices.
  forward(table).buffers.push_back(Buffer(BufferSlice(Space::State, 0, 0, 128), Access::Read));
  forward(table).buffers.push_back(Buffer(BufferSlice(Space::State, 0, 64, 64), Access::Read));
  // No bytes overlap nothing, even where others write.
  forward(table).buffers.push_back(Buffer(BufferSlice(Space::Arena, 0, 1088, 0), Access::Write));
  // One buffer alone may be read and written.
  adam(table).buffers.push_back(Buffer(BufferSlice(Space::Arena, 0, 0, 64), Access::ReadWrite));
  // Neighbours do not overlap.
  adam(table).buffers.push_back(Buffer(BufferSlice(Space::Arena, 0, 64, 64), Access::Write));
  EXPECT_EQ(verifyExecutable(table, 384).message(), "");
}

} // namespace
