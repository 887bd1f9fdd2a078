// What the runtime asks of a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device owns memory and one queue. Everything put into the queue happens in the order in which
// it was put there; the host waits only where it asks for a value. A device that computes at once
// (the CPU) has an empty queue at every moment and is a special case of this; one that has its own
// memory and captures command lists (a GPU) is the general one:
//
//   upload x into input        host goes on as soon as its bytes may be reused
//   enqueue train_step         bound to input, state, and slot i of a ring of host-visible results
//   p[i] = mark()
//   wait(p[i - 2])             reads loss and flag of an older step while this one runs

#ifndef MP_RUNTIME_CORE_DEVICE_H
#define MP_RUNTIME_CORE_DEVICE_H

#include "mp/Base/Status.h"
#include "mp/Executable/Executable.h"
#include "mp/Executable/Targets.h"
#include "mp/Runtime/Core/SIMTOptions.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mp {

/// One pair of types that a device's matrix units multiply and add up in.
struct MatrixUnit {
  executable::ElementType operands;
  executable::ElementType accumulator;
  std::string instruction; // "avx512bf16", "wgmma": for people

  bool operator==(const MatrixUnit &) const = default;
};

/// What a device is, as `devices` prints it and as a variant's needs are compared with.
struct DeviceDescription {
  std::string name;                  // what --device says: "cpu", "reference", "cuda:0"
  std::string target;                // which variants it runs
  std::string model;                 // "Intel(R) Xeon(R) Platinum 8488C"
  std::vector<std::string> features; // as LLVM names them, or a chip ("sm_90a")
  uint64_t memoryBytes = 0;
  unsigned units = 0; // threads or multiprocessors that run blocks at once
  std::vector<MatrixUnit> matrixUnits;
  std::string unit = "thread"; // what one of the units is called
  /// Features that it has and the operating system keeps from this process.
  std::vector<std::string> refused = {};
};

/// Where memory lies. HostVisible is for what the host reads or writes often and in small parts:
/// scalars of the log.
enum class MemoryKind : uint8_t { Device, HostVisible };

/// A block of a device's memory, aligned to 64 bytes and zero when allocated. Freed by its
/// destructor, which waits for the queue where it must.
class DeviceMemory {
public:
  virtual ~DeviceMemory() = default;

  uint64_t size() const { return bytes; }

  /// The block's address in the device's own address space; what a kernel is given.
  virtual void *address() const = 0;

  /// The block as the host sees it, or null where it does not. Reading it is right after the queue
  /// has passed the last write, writing it after the last read.
  virtual std::byte *hostView() const = 0;

protected:
  explicit DeviceMemory(uint64_t bytes) : bytes(bytes) {}

private:
  uint64_t bytes;
};

/// The memory that one run works on, by the indices of the executable. Each block holds at least
/// the bytes of its type.
struct Bindings {
  std::span<DeviceMemory *const> state;     // by row of the state table; null where the variant does not touch it
  std::span<DeviceMemory *const> arguments; // by argument of the variant; null for kind State
  std::span<DeviceMemory *const> results;   // by result of the variant; null for kind Next
};

/// One variant made ready on one device: code loaded, constants uploaded, arena allocated.
class LoadedVariant {
public:
  virtual ~LoadedVariant() = default;

  /// Puts one run into the device's queue. The memory must live until the queue has passed it. A
  /// device may keep what it learned about a set of bindings (a captured graph), so a caller that
  /// cycles through few sets is served best.
  virtual Status enqueue(const Bindings &bindings) = 0;

  /// Runs once, waits, and gives the seconds of each command of the plan, in order. An error where a device cannot tell
  /// them apart.
  virtual ErrorOr<std::vector<double>> timeCommands(const Bindings &bindings);

  /// Device memory that it holds for itself: arena, constants, workspaces.
  virtual uint64_t residentBytes() const = 0;
};

/// A position in a device's queue.
using QueuePoint = uint64_t;

/// The moment at which a device's queue passed some position.
class TimeStamp {
public:
  virtual ~TimeStamp() = default;

  /// Seconds from `earlier`, of the same device, to this one. Waits for both.
  virtual ErrorOr<double> secondsSince(const TimeStamp &earlier) const = 0;
};

/// Something that runs variants. Used by one thread at a time, except hostView() of memory.
class Device {
public:
  virtual ~Device() = default;

  virtual const DeviceDescription &description() const = 0;

  /// Success if the device can run the variant of a file; otherwise the message says what it needs and
  /// what the device is, as "needs avx512f, device cpu (AMD EPYC 7B12) has avx2, fma". Compares target,
  /// then features; a device that asks for more of code looks into it.
  virtual Status canRun(const LoadedExecutable &file, const executable::VariantT &variant) const;

  /// Among variants that it can run the device prefers the higher number. By default the one that
  /// asks for more features, since it was made for a narrower set of machines.
  virtual double preference(const executable::VariantT &variant) const;

  virtual ErrorOr<std::unique_ptr<DeviceMemory>> allocate(uint64_t bytes, MemoryKind kind = MemoryKind::Device) = 0;

  /// Puts a copy from the host into the queue and returns when `source` may be reused.
  virtual Status upload(DeviceMemory &destination, uint64_t offset, std::span<const std::byte> source) = 0;

  /// Waits for what was put into the queue before, then copies to the host.
  virtual Status download(const DeviceMemory &source, uint64_t offset, std::span<std::byte> destination) = 0;

  /// Makes a variant ready. `file` must outlive the result; `program` and `variant` are parts of
  /// its table.
  virtual ErrorOr<std::unique_ptr<LoadedVariant>>
  load(const LoadedExecutable &file, const executable::ProgramT &program, const executable::VariantT &variant) = 0;

  /// The queue's end as it is now.
  virtual QueuePoint mark() = 0;

  /// Waits until the queue has passed `point`; fails if anything before it did.
  virtual Status wait(QueuePoint point) = 0;

  /// Puts a reading of the device's clock into the queue. By default of the host's, at once, for a device whose queue
  /// is always empty. The device outlives it.
  virtual ErrorOr<std::unique_ptr<TimeStamp>> stamp();
};

/// What the user says about the device as a whole.
struct DeviceOptions {
  unsigned threads = 0;        // CPU: threads that run blocks, 0 for all that the process may use
  bool pinThreads = false;     // CPU: each of them on a processor of its own
  bool allowNative = true;     // false refuses variants that hold machine code
  unsigned ordinal = 0;        // which of several of a kind: 1 of "cuda:1"
  std::string chip = "";       // GPU: run code for this chip ("sm_80") alone; empty for the best that there is
  SIMTOptions simulation = {}; // simulated GPU: what it looks for
};

using DeviceFactory = std::function<ErrorOr<std::unique_ptr<Device>>(const DeviceOptions &options)>;

/// How many devices of a kind this machine has.
using DeviceCounter = std::function<unsigned()>;

/// Adds a kind of device under the name that --device gives it. Called by the program that links
/// it, before the first createDevice, from one thread; a second registration of a name replaces the
/// first. A kind with a counter has numbers: "cuda:1", and "cuda" for "cuda:0".
void registerDevice(std::string name, DeviceFactory factory, DeviceCounter counter = {});

/// The names registered, in order of registration.
std::vector<std::string> registeredDevices();

/// The names of the devices that this machine has: of a kind with numbers as many as there are.
std::vector<std::string> presentDevices();

/// The most threads that a device may be asked for: beyond any machine, so that a slip of the finger starts no more.
inline constexpr unsigned kMostThreads = 1024;

/// Makes a device, or says which names there are. Options that it would ignore, and more threads than kMostThreads, are
/// errors.
ErrorOr<std::unique_ptr<Device>> createDevice(std::string_view name, const DeviceOptions &options = {});

} // namespace mp

#endif // MP_RUNTIME_CORE_DEVICE_H
