// What the CUDA driver's functions take.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the driver's binary interface that this room uses, so that no CUDA header is needed to
// build it. Layouts and numbers are those of the driver for 64-bit Linux, which never change; a test
// compares them with cuda.h where there is one.

#ifndef MP_LIB_DEVICES_CUDA_DRIVERTYPES_H
#define MP_LIB_DEVICES_CUDA_DRIVERTYPES_H

#include <cstddef>
#include <cstdint>

namespace mp::cuda {

using DeviceNumber = int;
using DevicePointer = unsigned long long;
using ContextHandle = struct ContextObject *;
using StreamHandle = struct StreamObject *;
using EventHandle = struct EventObject *;
using ModuleHandle = struct ModuleObject *;
using FunctionHandle = struct FunctionObject *;
using GraphHandle = struct GraphObject *;
using GraphExecHandle = struct GraphExecObject *;

/// What every function of the driver returns; the rest have names that the driver itself knows.
enum class Result : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  StubLibrary = 34,
  DeviceUnavailable = 46,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidContext = 201,
  NoBinaryForGPU = 209,
  EccUncorrectable = 214,
  InvalidPTX = 218,
  NvlinkUncorrectable = 220,
  UnsupportedPTXVersion = 222,
  Contained = 226,
  NotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchTimeout = 702,
  ContextIsDestroyed = 709,
  Assert = 710,
  HardwareStackError = 714,
  IllegalInstruction = 715,
  MisalignedAddress = 716,
  InvalidAddressSpace = 717,
  InvalidPC = 718,
  LaunchFailed = 719,
  SystemNotReady = 802,
  SystemDriverMismatch = 803,
  StreamCaptureInvalidated = 901,
  Unknown = 999,
};

enum class DeviceAttribute : int {
  Multiprocessors = 16,
  CapabilityMajor = 75,
  CapabilityMinor = 76,
  SharedBytesPerBlock = 97, // what a kernel may ask for by FunctionAttribute::MaxDynamicSharedBytes
};

enum class FunctionAttribute : int {
  MaxDynamicSharedBytes = 8,
  NonPortableCluster = 14,
};

enum class JitOption : int {
  ErrorLog = 5,
  ErrorLogBytes = 6,
};

enum class CaptureMode : int { ThreadLocal = 1 };

inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDefault = 0; // notes the time, too
inline constexpr unsigned kEventDisableTiming = 2;
inline constexpr unsigned kHostPortable = 1;
inline constexpr unsigned kHostMapped = 2;

/// Kernels take so much dynamic shared memory without asking.
inline constexpr unsigned kFreeSharedBytes = 48 * 1024;

/// Clusters of so many blocks run on every device that has clusters.
inline constexpr unsigned kPortableCluster = 8;

struct LaunchAttribute {
  static constexpr int kClusterDimension = 4;

  int id;
  char pad[4];
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } cluster;
  };
};

struct LaunchConfig {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  StreamHandle stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

} // namespace mp::cuda

#endif // MP_LIB_DEVICES_CUDA_DRIVERTYPES_H
