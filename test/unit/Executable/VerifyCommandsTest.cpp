// One case for each sentence of the verifier about what variants run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Executable/VerifyCases.h"

using namespace mp;
using namespace mp::executable;

namespace {

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

const Case kPlanCases[] = {
    {"CommandNull", [](ExecutableT &t) { train(t).commands[1].reset(); }, "variant 0: command 1: unknown kind"},
    {"CommandKind", [](ExecutableT &t) { train(t).commands[1]->what.Reset(); }, "variant 0: command 1: unknown kind"},
    {"KernelName", [](ExecutableT &t) { forward(t).kernel = "\n"; },
     "variant 0: command 1: launch of '?': kernel name '?' holds control characters or is not UTF-8"},
    {"SymbolStartsWithDigit", [](ExecutableT &t) { forward(t).symbol = "1st"; },
     "variant 0: command 1: launch of 'the kernel forward': symbol is not a C identifier"},
    {"SymbolWithDot", [](ExecutableT &t) { forward(t).symbol = "dense.forward"; },
     "variant 0: command 1: launch of 'the kernel forward': symbol is not a C identifier"},
    {"CodeIndex", [](ExecutableT &t) { forward(t).blob = 4; },
     "variant 0: command 1: launch of 'the kernel forward': code in blob 4, but there are 4 blobs"},
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
    EXPECT_EQ(verifyExecutable(table, 512).message(), "");
  }
}

TEST(Verify, WithoutConstantsNoSliceIsConstant) {
  ExecutableT table = sample::table();
  train(table).constants = -1;
  EXPECT_EQ(verifyExecutable(table, 512).message(),
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
  EXPECT_EQ(verifyExecutable(table, 512).message(), "");
}

} // namespace
