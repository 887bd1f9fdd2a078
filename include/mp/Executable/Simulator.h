// GPU functions compiled for the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What generated code and the simulated device agree on. A GPU function becomes
//
//   void symbol(void **buffers, int64_t block, SimulatorContext *context);
//
// and every simulated thread runs it once for each block. Special registers are fields of the context; every other NVVM
// op is a call of one function of the context's table:
//
//   functions[entry](context, site, operands, results)
//
// `operands` are the op's operands one after another, each at the next multiple of its own size as in a C struct (i1 is
// one byte); a vector of two 16-bit floats and a fragment's i32 are one word. `results` has room for the result in the
// same form. Which op becomes which entry is the table in lib/Codegen/Lower/SIMT/Table.cpp.

#ifndef MP_EXECUTABLE_SIMULATOR_H
#define MP_EXECUTABLE_SIMULATOR_H

#include <cstdint>

namespace mp {

/// What code and device must have in common; any change below is another number.
inline constexpr uint32_t kSimulatorVersion = 2;

/// Behind the symbol of each function stands a word SYMBOL + this: the version, with kSimulatorChecked where loads and
/// stores are reported to the device.
inline constexpr char kSimulatorInfoSuffix[] = "__simulator";
inline constexpr uint32_t kSimulatorChecked = 0x100;

/// The functions of the device, by index in SimulatorContext::functions; behind each its operands, its site's
/// immediates and its result.
enum class SimulatorEntry : uint32_t {
  Barrier,          ///< id, threads (0: all), predicate; [SimulatorReduction or ~0]; i32
  BarrierArrive,    ///< id, threads
  SyncWarp,         ///< mask
  ClusterArrive,    ///<
  ClusterWait,      ///<
  Sleep,            ///< nanoseconds
  Shuffle,          ///< mask, value, offset, clamp; [NVVM's ShflKind]; value, i1
  Vote,             ///< mask, i1; [NVVM's VoteSyncKind]; i1 or i32
  Elect,            ///< mask; i1
  Reduce,           ///< value, mask; [NVVM's ReduxKind]; i32
  LoadMatrix,       ///< address; [matrices, transposed]; words
  StoreMatrix,      ///< address, words; [matrices, transposed]
  Multiply,         ///< words of A, B, C; [k, SimulatorElement of A and B, of C, of D]; words
  FragmentLoad,     ///< address, stride; [fragment 0: A, 1: B, 2: C; 1 if column major; element]; words
  FragmentStore,    ///< address, stride, words; [1 if column major; element]
  FragmentMultiply, ///< words of A, B, C; [1 if A is column major, B; SimulatorElement of C, of D]; words
  AsyncCopy,        ///< to, from, bytes to copy (the rest is 0); [bytes to write]
  AsyncCommit,      ///<
  AsyncWait,        ///< [groups that may stay]
  ConvertTF32,      ///< f32; [1: to nearest, ties away from 0; 0: truncated]; i32
  Narrow,           ///< f64; [SimulatorElement]; 16 bits
  Load,             ///< address, i64 bytes; [address space]; with checks only, before the access
  Store,            ///< the same
  Atomic,           ///< the same
};
inline constexpr uint32_t kSimulatorEntries = static_cast<uint32_t>(SimulatorEntry::Atomic) + 1;

enum class SimulatorElement : uint32_t { F16, BF16, TF32, F32 };

/// One op of the code, where it is called: its immediates, then its name, number and source location for people.
struct SimulatorSite {
  uint32_t immediates[4];
  char text[1]; // more follows, up to a 0
};

struct SimulatorContext;
using SimulatorFunction = void (*)(SimulatorContext *context, const SimulatorSite *site, const void *operands,
                                   void *results);

/// One simulated thread, as generated code sees it: the functions, shared memory, and the special registers.
struct SimulatorContext {
  const SimulatorFunction *functions;
  void *shared; ///< the block's, at a multiple of 256 KiB below 4 GiB
  uint32_t thread, threads, block, blocks;
  uint32_t lane, warp, warps, sharedBytes;
  uint32_t clusterBlock, clusterBlocks, cluster, clusters; ///< block and blocks of the cluster, cluster of the grid
  uint32_t laneMaskEq, laneMaskLe, laneMaskLt, laneMaskGe, laneMaskGt;
  uint32_t zero, one, warpSize; ///< 0 and 1, what registers of the other dimensions hold, and 32
};

/// What the symbol of a simulated function is.
using SimulatedKernel = void (*)(void **buffers, int64_t block, SimulatorContext *context);

} // namespace mp

#endif // MP_EXECUTABLE_SIMULATOR_H
