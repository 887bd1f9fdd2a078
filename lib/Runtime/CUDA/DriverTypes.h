//===- DriverTypes.h - what the CUDA driver's functions take ----*- C++ -*-===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the driver's binary interface that this room uses, so that no CUDA header is needed to
// build it. Layouts and numbers are those of the driver for 64-bit Linux, which never change; a test
// compares them with cuda.h where there is one.
//
//===----------------------------------------------------------------------===//

#ifndef MP_LIB_RUNTIME_CUDA_DRIVERTYPES_H
#define MP_LIB_RUNTIME_CUDA_DRIVERTYPES_H

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
enum Result : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kStubLibrary = 34,
  kDeviceUnavailable = 46,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kNoBinaryForGPU = 209,
  kEccUncorrectable = 214,
  kInvalidPTX = 218,
  kNvlinkUncorrectable = 220,
  kUnsupportedPTXVersion = 222,
  kContained = 226,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kContextIsDestroyed = 709,
  kAssert = 710,
  kHardwareStackError = 714,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kInvalidAddressSpace = 717,
  kInvalidPC = 718,
  kLaunchFailed = 719,
  kSystemNotReady = 802,
  kSystemDriverMismatch = 803,
  kStreamCaptureInvalidated = 901,
  kUnknown = 999,
};

enum DeviceAttribute : int {
  kMultiprocessors = 16,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
  kSharedBytesPerBlock = 97, // what a kernel may ask for by kMaxDynamicSharedBytes
};

enum FunctionAttribute : int {
  kMaxDynamicSharedBytes = 8,
  kNonPortableCluster = 14,
};

enum JitOption : int {
  kErrorLog = 5,
  kErrorLogBytes = 6,
};

enum CaptureMode : int { kCaptureThreadLocal = 1 };

inline constexpr unsigned kStreamNonBlocking = 1;
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

#endif // MP_LIB_RUNTIME_CUDA_DRIVERTYPES_H
