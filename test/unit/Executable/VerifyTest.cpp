// One case for each sentence of the verifier about what a table says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Executable/VerifyCases.h"

using namespace mp;
using namespace mp::executable;

namespace {

const Case kHeadCases[] = {
    {"Version", [](ExecutableT &t) { t.version = 7; },
     "version 7 of the table, expected 3 to 4; compile the model again with this Halfstep, or take a later one"},
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
    {"BlobKind", [](ExecutableT &t) { t.blobs[1]->kind = BlobKind(7); }, "blob 1: unknown kind 7"},
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
    {"ConstantsIndex", [](ExecutableT &t) { train(t).constants = 4; },
     "program 'train_step': variant 0: constants in blob 4, but there are 4 blobs"},
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
    {"TrainingParameter", [](ExecutableT &t) { t.state[0]->training = true; },
     "state 'kernel': is training's own, and no state with an initializer"},
    {"TrainingGenerator", [](ExecutableT &t) { t.state[2]->training = true; },
     "state 'rng': is training's own, and no state with an initializer"},
    {"BesideOfNoTraining", [](ExecutableT &t) { t.state[1]->training = false; },
     "state 'kernel/adam.m': is kept beside another, and not training's own"},
    {"ValuesOfAnOlderVersion", [](ExecutableT &t) { t.version = 3; },
     "blob 3 is Values, which version 3 of the format lacks"},
    {"ValuesIndex", [](ExecutableT &t) { t.state[0]->values = 4; },
     "state 'kernel': starts from blob 4, but there are 4 blobs"},
    {"ValuesNegative", [](ExecutableT &t) { t.state[0]->values = -2; },
     "state 'kernel': starts from blob -2, but there are 4 blobs"},
    {"ValuesKind", [](ExecutableT &t) { t.state[0]->values = 1; },
     "state 'kernel': starts from blob 1, which is Constants"},
    {"ValuesLength", [](ExecutableT &t) { t.blobs[3]->length = 64; },
     "state 'kernel': is tensor<8x4xf32> and starts from 64 bytes, expected 128"},
    {"ValuesOfDerived",
     [](ExecutableT &t) {
       t.state[0]->values = -1;
       t.state[4]->values = 3;
     },
     "state 'kernel.f16': is derived and starts from values"},
    {"ValuesOfTwo", [](ExecutableT &t) { t.state[1]->values = 3; },
     "state 'kernel/adam.m': starts from blob 3, which is another state's"},
    {"BesideNothing", [](ExecutableT &t) { t.state[1]->beside = "bias"; },
     "state 'kernel/adam.m': is kept beside 'bias', which is not there"},
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

TEST(Verify, AcceptsTheSample) { EXPECT_EQ(verifyExecutable(sample::table(), 512).message(), ""); }

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

TEST(Verify, Derived) {
  for (const Case &test : kDerivedCases)
    expectRefusal(test, "");
}

} // namespace
