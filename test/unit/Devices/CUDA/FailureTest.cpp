// The CUDA device when calls fail.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/CUDA/DriverTypes.h"
#include "Devices/CUDA/Rig.h"

#include <algorithm>

using namespace mp;
using namespace mp::test;
using namespace mp::executable;

namespace {

using CUDAFailure = CUDATest;

/// Opens a device, trains a few steps with two sets of inputs, and reads what came of it.
Status train(const std::shared_ptr<const LoadedExecutable> &file, StandIn &standIn, size_t &callsBeforeTheEnd) {
  auto run = [&](Session &session) -> Status {
    if (Status set = session.initialize(1); !set.ok())
      return set;
    ErrorOr<std::unique_ptr<ProgramRunner>> step = session.load("train_step", {}, 2);
    if (!step)
      return step.status();
    std::vector<std::byte> bytes(*byteCount(*(*step)->variant().arguments[0]->type), std::byte(1));
    Status status;
    for (unsigned i = 0; i < 4 && status.ok(); ++i) {
      status = (*step)->setArgument(i % 2, 0, bytes);
      if (status.ok())
        status = (*step)->enqueue(i % 2);
      if (status.ok() && i > 0)
        status = (*step)->read((i - 1) % 2, *(*step)->result("loss")).status();
    }
    // An upload that no run follows, awaited by a mark.
    if (status.ok())
      status = session.setState("learning_rate", scalarTensor(ElementType::F32, 0.25));
    if (status.ok())
      status = session.device().wait(session.device().mark());
    if (status.ok())
      status = session.state("dense.kernel").status();
    callsBeforeTheEnd = standIn.calls.size();
    return status;
  };
  ErrorOr<std::unique_ptr<Device>> device = createCUDADevice({}, STAND_IN);
  if (!device)
    return device.status();
  ErrorOr<std::unique_ptr<Session>> session = Session::create(file, std::move(*device));
  return session ? run(**session) : session.status();
}

/// Whether a call gives something back, of which nobody can be told that it failed.
bool givesBack(const std::string &call) {
  static const char *const calls[] = {"cuMemFree",      "cuEventDestroy",     "cuStreamDestroy",
                                      "cuModuleUnload", "cuGraphExecDestroy", "cuDevicePrimaryCtxRelease",
                                      "cuCtxPopCurrent"};
  return std::any_of(std::begin(calls), std::end(calls), [&](const char *each) { return call.starts_with(each); });
}

} // namespace

TEST_F(CUDAFailure, AtEveryCall) {
  std::shared_ptr<const LoadedExecutable> file = load(makeGPUModel());
  size_t atTheEnd = 0;
  ASSERT_EQ(train(file, standIn, atTheEnd).message(), "");
  size_t all = standIn.calls.size();
  ASSERT_GT(all, 150u);
  size_t told = 0;
  for (size_t failing = 1; failing <= all; ++failing) {
    standIn.reset();
    standIn.kernels = modelKernels();
    standIn.failAt = failing;
    standIn.failWith = static_cast<int>(failing % 2 ? cuda::Result::Unknown : cuda::Result::OutOfMemory);
    Status status = train(file, standIn, atTheEnd);
    const std::string &call = standIn.calls[failing - 1];
    if (failing <= atTheEnd && !givesBack(call)) {
      EXPECT_FALSE(status.ok()) << "call " << failing << ", " << call;
      EXPECT_NE(status.message().find(call.substr(0, call.find('('))), std::string::npos)
          << status.message() << " for " << call;
      EXPECT_EQ(status.message().find('\n'), std::string::npos);
      ++told;
    }
    for (const auto &[kind, count] : standIn.alive)
      ADD_FAILURE() << count << " x " << kind << " alive after call " << failing << ", " << call;
    // A wait that failed in a destructor leaves work behind it.
    if (!call.starts_with("cuStreamSynchronize") && !call.starts_with("cuCtxPush"))
      for (const std::string &violation : standIn.violations)
        ADD_FAILURE() << violation << " after call " << failing << ", " << call;
    standIn.violations.clear();
  }
  EXPECT_GT(told, 100u);
}

TEST_F(CUDAFailure, OfAKernelIsToldWhereItsResultIsAwaited) {
  standIn.failingKernels["train_update"] = static_cast<int>(cuda::Result::IllegalAddress);
  std::unique_ptr<Session> session = makeSession();
  ASSERT_EQ(session->initialize(1).message(), "");
  std::unique_ptr<ProgramRunner> step = std::move(*session->load("train_step"));
  ASSERT_EQ(step->enqueue(0).message(), "") << "nothing has run yet";
  const char *lost =
      "CUDA_ERROR_ILLEGAL_ADDRESS, an illegal memory access was encountered; a kernel that ran before failed, "
      "and the device's context is lost: start the program again; compute-sanitizer says which kernel it was";
  EXPECT_EQ(step->wait(0).message(), std::string("program train_step: cuda:0: cuEventSynchronize: ") + lost);
  // The driver says so to whatever follows.
  EXPECT_EQ(session->state("dense.kernel").message(),
            std::string("state 'dense.kernel': cuda:0: cuMemcpyDtoHAsync_v2: ") + lost);
  EXPECT_FALSE(step->enqueue(0).ok());
  step.reset();
  session.reset();
  standIn.violations.clear(); // work that was pending when the context was lost
}
