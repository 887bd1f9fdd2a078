// Devices that run cases of ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Agreement/Machine.h"

#include "Agreement/ProgramText.h"

#include "mp/Codegen/Lower/Native/HostLevel.h"
#include "mp/Devices/CPU/CPUDevice.h"
#include "mp/Devices/SIMT/SIMTDevice.h"
#include "mp/Reference/ReferenceDevice.h"
#include "mp/Runtime/Core/Session.h"

#include <cmath>

using namespace mp;

bool Machine::splitsF16() const { return target == "cpu" && hostLevel().tilesBF16 && !hostLevel().tilesF16; }

static ErrorOr<std::unique_ptr<Device>> makeDevice(const std::string &target, unsigned threads) {
  if (target == "simt") {
    // One host thread runs the threads of a block in their order, two in another; every access is checked.
    DeviceOptions options{threads};
    options.simulation.seed = threads - 1;
    options.simulation.bounds = options.simulation.races = options.simulation.uninitialized = true;
    return createSIMTDevice(options);
  }
  return target == "cpu" ? createCPUDevice({threads}) : createReferenceDevice({threads});
}

ErrorOr<std::shared_ptr<const LoadedExecutable>> mp::compileFor(const CaseProgram &program, const Machine &machine) {
  CompileOptions options;
  options.training = false;
  options.target = machine.target;
  if (!machine.chip.empty())
    options.chips = {machine.chip};
  options.reportAccesses = machine.isGPU();
  options.autocast.policy = "float32";
  return ProgramText(program.text()).load(options);
}

ErrorOr<NamedTensors> mp::runOn(std::shared_ptr<const LoadedExecutable> file, const NamedTensors &inputs,
                                const Machine &machine, unsigned threads) {
  ErrorOr<std::unique_ptr<Device>> device = makeDevice(machine.target, threads);
  if (!device)
    return device.status();
  ErrorOr<std::unique_ptr<Session>> session = Session::create(std::move(file), std::move(*device));
  return session ? (*session)->run("infer", inputs) : session.status();
}

ErrorOr<NamedTensors> mp::runOn(const CaseProgram &program, const Machine &machine, unsigned threads) {
  ErrorOr<std::shared_ptr<const LoadedExecutable>> file = compileFor(program, machine);
  return file ? runOn(*file, program.inputs(), machine, threads) : file.status();
}

NamedTensors mp::absolutes(const NamedTensors &tensors) {
  NamedTensors result = tensors;
  for (NamedTensor &named : result)
    if (isFloat(named.tensor.type.element))
      for (uint64_t i = 0; i < named.tensor.count(); ++i)
        storeElement(named.tensor.bytes, named.tensor.type.element, i, std::abs(elementAt(named.tensor, i)));
  return result;
}
