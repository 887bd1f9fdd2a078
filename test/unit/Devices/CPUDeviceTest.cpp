// Tests of the CPU device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Devices/CPU/CPUDevice.h"
#include "Runtime/TinyModel.h"
#include "mp/Hardware/HostFeatures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

using namespace mp;
using namespace mp::test;

static std::unique_ptr<Device> makeDevice(DeviceOptions options = {}) {
  ErrorOr<std::unique_ptr<Device>> device = createCPUDevice(options);
  EXPECT_TRUE(device.ok());
  return std::move(*device);
}

/// The kernel's list of features, under LLVM's names where those differ.
TEST(CPUDevice, FeaturesAgreeWithTheKernel) {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line) && line.rfind("flags", 0) != 0) {
  }
  std::istringstream words(line);
  std::set<std::string> flags{std::istream_iterator<std::string>(words), {}};
  ASSERT_TRUE(flags.count("sse2"));
  const std::pair<const char *, const char *> names[] = {{"avx", "avx"},
                                                         {"avx2", "avx2"},
                                                         {"fma", "fma"},
                                                         {"f16c", "f16c"},
                                                         {"avx512f", "avx512f"},
                                                         {"avx512bw", "avx512bw"},
                                                         {"avx512vl", "avx512vl"},
                                                         {"avx512dq", "avx512dq"},
                                                         {"avx512_bf16", "avx512bf16"},
                                                         {"avx512_fp16", "avx512fp16"},
                                                         {"avx512_vnni", "avx512vnni"},
                                                         {"bmi2", "bmi2"},
                                                         {"popcnt", "popcnt"},
                                                         {"sse4_2", "sse4.2"},
                                                         {"abm", "lzcnt"}};
  const std::vector<std::string> &ours = hostFeatures();
  for (auto [kernel, llvm] : names)
    EXPECT_EQ(flags.count(kernel) > 0, std::count(ours.begin(), ours.end(), llvm) > 0) << kernel;
}

TEST(CPUDevice, DescribesItself) {
  DeviceDescription description = makeDevice({2})->description();
  EXPECT_EQ(description.name, "cpu");
  EXPECT_EQ(description.units, 2u);
  EXPECT_GT(description.memoryBytes, uint64_t(1) << 20);
  EXPECT_FALSE(description.model.empty());
}

TEST(CPUDevice, MemoryIsAlignedAndZero) {
  std::unique_ptr<Device> device = makeDevice();
  for (uint64_t bytes : {0, 1, 63, 1000}) {
    ErrorOr<std::unique_ptr<DeviceMemory>> block = device->allocate(bytes);
    ASSERT_TRUE(block.ok());
    EXPECT_EQ(reinterpret_cast<uintptr_t>((*block)->address()) % 64, 0u);
    for (uint64_t i = 0; i < bytes; ++i)
      EXPECT_EQ((*block)->hostView()[i], std::byte(0));
  }
  EXPECT_FALSE(device->allocate(uint64_t(1) << 60).ok());
}

TEST(CPUDevice, RefusesTransfersOutsideOfABlock) {
  std::unique_ptr<Device> device = makeDevice();
  std::unique_ptr<DeviceMemory> block = std::move(*device->allocate(16));
  std::vector<std::byte> bytes(8);
  EXPECT_TRUE(device->upload(*block, 8, bytes).ok());
  EXPECT_FALSE(device->upload(*block, 9, bytes).ok());
  EXPECT_FALSE(device->download(*block, UINT64_MAX, bytes).ok());
}

TEST(CPUDevice, RefusesNativeCodeWhereToldTo) {
  std::shared_ptr<const LoadedExecutable> file = loadTinyModel();
  const executable::ProgramT &infer = *file->table.programs.back();
  std::unique_ptr<Device> device = makeDevice({.allowNative = false});
  EXPECT_EQ(device->load(*file, infer, *infer.variants[0]).message(),
            "program infer: has native code, which --no-native refuses");
}

TEST(CPUDevice, RefusesWhatIsNoCode) {
  auto load = [](TinyModel model) {
    ErrorOr<FileBytes> bytes = serializeExecutable(std::move(model.table), model.blobs);
    EXPECT_TRUE(bytes.ok()) << bytes.message();
    ErrorOr<LoadedExecutable> file = readExecutable(bytes->span());
    EXPECT_TRUE(file.ok()) << file.message();
    const executable::ProgramT &infer = *file->table.programs.back();
    return makeDevice()->load(*file, infer, *infer.variants[0]).message();
  };
  TinyModel model = makeTinyModel();
  std::vector<std::byte> code = model.blobs[0];
  model.blobs[0].assign(100, std::byte(7));
  EXPECT_EQ(load(std::move(model)), "program infer: kernel infer_row: native code is not a 64-bit "
                                    "little-endian ELF file");
  for (size_t size : {size_t(0), size_t(20), size_t(64), code.size() / 2}) {
    model = makeTinyModel();
    model.blobs[0].resize(size);
    std::string message = load(std::move(model));
    EXPECT_NE(message.find("native code"), std::string::npos) << message;
  }
  model = makeTinyModel();
  model.table.programs.back()->variants[0]->commands[0]->what.AsLaunch()->symbol = "absent";
  EXPECT_EQ(load(std::move(model)), "program infer: kernel infer_row: native code does not have the symbol 'absent'");
}

/// Two libraries at once are two libraries, although the system knows both by a number in /proc.
TEST(CPUDevice, KeepsLibrariesApart) {
  std::shared_ptr<const LoadedExecutable> file = loadTinyModel();
  std::unique_ptr<Device> device = makeDevice();
  std::vector<std::unique_ptr<LoadedVariant>> loaded;
  for (int round = 0; round < 3; ++round)
    for (const auto &program : file->table.programs)
      for (const auto &variant : program->variants) {
        ErrorOr<std::unique_ptr<LoadedVariant>> one = device->load(*file, *program, *variant);
        ASSERT_TRUE(one.ok()) << one.message();
        if (round != 1) // freed at once, so that its number is taken again
          loaded.push_back(std::move(*one));
      }
}

TEST(CPUDevice, ChecksBindings) {
  std::shared_ptr<const LoadedExecutable> file = loadTinyModel();
  const executable::ProgramT &infer = *file->table.programs.back();
  std::unique_ptr<Device> device = makeDevice();
  std::unique_ptr<LoadedVariant> loaded = std::move(*device->load(*file, infer, *infer.variants[0]));
  EXPECT_EQ(loaded->enqueue({}).message(), "argument 0 is not bound");
  std::unique_ptr<DeviceMemory> small = std::move(*device->allocate(31));
  std::unique_ptr<DeviceMemory> large = std::move(*device->allocate(96));
  DeviceMemory *arguments[] = {small.get(), nullptr};
  EXPECT_EQ(loaded->enqueue({{}, arguments, {}}).message(), "argument 0 is bound to 31 bytes, expected 32");
  arguments[0] = large.get();
  DeviceMemory *results[] = {large.get()};
  EXPECT_EQ(loaded->enqueue({{}, arguments, results}).message(), "state 0 is not bound");
  DeviceMemory *state[] = {large.get()};
  EXPECT_TRUE(loaded->enqueue({state, arguments, results}).ok());
}

TEST(DeviceRegistry, KnowsNames) {
  registerCPUDevice();
  EXPECT_TRUE(createDevice("cpu").ok());
  EXPECT_EQ(createDevice("abacus").message(), "unknown device 'abacus'; expected one of cpu");
}
