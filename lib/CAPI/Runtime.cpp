// Running Halfstep executables from C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CAPI/Bytes.h"
#include "CAPI/SessionHandle.h"
#include "CAPI/Status.h"
#include "CAPI/Structs.h"
#include "CAPI/Tensors.h"

#include "mp-c/Runtime.h"
#include "mp/Base/Version.h"
#include "mp/Devices/CPU/CPUDevice.h"
#include "mp/Devices/CUDA/CUDADevice.h"
#include "mp/Devices/SIMT/SIMTDevice.h"
#include "mp/Executable/Targets.h"
#include "mp/Runtime/Core/BestChip.h"
#include "mp/Training/Data/Classes.h"

#include <mutex>

using namespace mp;

static_assert(MP_F64 == static_cast<int>(ElementType::F64) && MP_BF16 == static_cast<int>(ElementType::BF16));

static void registerDevices() {
  static std::once_flag once;
  std::call_once(once, [] {
    registerCPUDevice();
    registerSIMTDevice();
    registerCUDADevice();
  });
}

const char *mpStatusMessage(const MpStatus *status) { return status ? status->status.message().c_str() : ""; }

void mpStatusFault(const MpStatus *status, MpFault *fault) {
  if (!fault)
    return;
  static const Fault none;
  const Fault &own = status ? status->status.fault() : none;
  MpFault told{};
  told.code = static_cast<MpFaultCode>(own.code);
  told.op = own.op.c_str();
  told.name = own.name.c_str();
  told.value = own.value.c_str();
  told.detail = own.detail.c_str();
  told.operand = own.operand;
  told.other = own.other;
  told.elements = own.elements;
  told.known = status ? status->known.data() : nullptr;
  told.knownCount = status ? status->known.size() : 0;
  told.file = own.file.c_str();
  told.line = own.line;
  told.constraint = own.constraint;
  told.text = status ? status->status.markedMessage().c_str() : "";
  giveTo(*fault, told);
}

void mpStatusDestroy(MpStatus *status) { delete status; }

int64_t mpTensorsCount(const MpTensors *tensors) { return tensors ? static_cast<int64_t>(tensors->get().size()) : 0; }

static const NamedTensor *at(const MpTensors *tensors, int64_t index) {
  return index >= 0 && index < mpTensorsCount(tensors) ? &tensors->get()[static_cast<size_t>(index)] : nullptr;
}

const char *mpTensorsName(const MpTensors *tensors, int64_t index) {
  const NamedTensor *named = at(tensors, index);
  return named ? named->name.c_str() : nullptr;
}

MpTensor mpTensorsGet(const MpTensors *tensors, int64_t index) {
  const NamedTensor *named = at(tensors, index);
  if (!named)
    return {MP_I1, 0, nullptr, nullptr, 0};
  const HostTensor &tensor = named->tensor;
  return {static_cast<MpElementType>(tensor.type.element), static_cast<int64_t>(tensor.type.shape.size()),
          tensor.type.shape.data(), tensor.bytes.data(), tensor.bytes.size()};
}

void mpTensorsDestroy(MpTensors *tensors) { delete tensors; }

const char *mpVersion(void) { return kVersion; }

const char *mpDeviceNames(void) {
  registerDevices();
  static const std::string names = [] {
    std::string text;
    for (const std::string &name : presentDevices())
      text += (text.empty() ? "" : "\n") + name;
    return text;
  }();
  return names.c_str();
}

MpStatus *mpDeviceSettings(const char *device, MpBytes **settings) {
  return guarded([&]() -> Status {
    for (Status given : {needs(device, "device"), needs(settings, "settings")})
      if (!given.ok())
        return given;
    registerDevices();
    ErrorOr<std::unique_ptr<Device>> made = createDevice(device, {});
    if (!made)
      return made.status();
    const std::string &target = (*made)->description().target;
    std::string text = "target=" + target;
    if (targetFormat(target).isGPU) {
      ErrorOr<std::string> chip = bestChip(**made);
      if (!chip)
        return chip.status();
      text += "\nchip=" + *chip;
    }
    *settings = new MpBytes{std::move(text), {}};
    return Status::success();
  });
}

static Status createSession(std::shared_ptr<const LoadedExecutable> file, const MpSessionOptions &given,
                            MpSession **result) {
  registerDevices();
  DeviceOptions options;
  options.threads = given.threads;
  options.pinThreads = given.pinThreads != 0;
  ErrorOr<std::unique_ptr<Device>> device = createDevice(given.device ? given.device : "cpu", options);
  if (!device)
    return device.status();
  ErrorOr<std::unique_ptr<Session>> session = Session::create(std::move(file), std::move(*device));
  if (!session)
    return session.status();
  std::string names;
  for (const std::string &name : (*session)->stateNames())
    names += (names.empty() ? "" : "\n") + name;
  const bool needsNone = (*session)->table().state.empty();
  *result = new MpSession{std::move(*session), std::move(names), needsNone, {}};
  return Status::success();
}

static Status createSession(ErrorOr<LoadedExecutable> file, const char *deviceName, unsigned threads,
                            MpSession **result) {
  if (!file)
    return file.status();
  MpSessionOptions options{};
  options.device = deviceName;
  options.threads = threads;
  return createSession(std::make_shared<const LoadedExecutable>(std::move(*file)), options, result);
}

MpStatus *mpSessionCreateFor(const MpExecutable *executable, const MpSessionOptions *options, MpSession **session) {
  return guarded([&]() -> Status {
    for (Status given : {needs(executable, "executable"), needs(session, "session")})
      if (!given.ok())
        return given;
    return createSession(executable->file, known(options), session);
  });
}

MpStatus *mpSessionCreate(const char *path, const char *device, unsigned threads, MpSession **session) {
  return guarded([&] {
    if (Status given = needs(path, "path"); !given.ok())
      return given;
    if (Status given = needs(session, "session"); !given.ok())
      return given;
    return createSession(readExecutable(std::string(path)), device, threads, session);
  });
}

MpStatus *mpSessionCreateFromBytes(const void *bytes, size_t size, const char *device, unsigned threads,
                                   MpSession **session) {
  return guarded([&] {
    if (Status given = needs(size ? bytes : "", "bytes"); !given.ok())
      return given;
    if (Status given = needs(session, "session"); !given.ok())
      return given;
    std::span<const std::byte> span(static_cast<const std::byte *>(bytes), size);
    return createSession(readExecutable(span), device, threads, session);
  });
}

Status mp::alone(MpSession &session, const std::function<Status(Session &)> &function) {
  std::unique_lock<std::recursive_mutex> lock(session.mutex, std::try_to_lock);
  if (!lock.owns_lock())
    return makeError(
        "another thread uses the session; give each thread one of its own, or have them take turns by a lock");
  return function(*session.session);
}

Status mp::giveValues(MpSession &session, const std::function<Status(Session &)> &function) {
  return alone(session, [&](Session &own) {
    Status given = function(own);
    session.hasValues |= given.ok();
    return given;
  });
}

Status mp::needsValues(const MpSession &session, const char *program) {
  if (session.hasValues)
    return Status::success();
  return makeError("program ", program,
                   " has no state yet, all of it is zeros: call mpSessionInitialize, or "
                   "mpSessionLoadWeights, before");
}

void mpSessionDestroy(MpSession *session) { delete session; }

MpStatus *mpSessionInitialize(MpSession *session, uint64_t seed) {
  return guarded([&] {
    if (Status given = needs(session, "session"); !given.ok())
      return given;
    return giveValues(*session, [&](Session &own) { return own.initialize(seed); });
  });
}

MpStatus *mpSessionGetState(MpSession *session, const char *name, MpTensors **value) {
  return guarded([&]() -> Status {
    for (Status given : {needs(session, "session"), needs(name, "name"), needs(value, "value")})
      if (!given.ok())
        return given;
    return alone(*session, [&](Session &own) {
      ErrorOr<HostTensor> tensor = own.state(name);
      if (tensor)
        *value = toC({{name, std::move(*tensor)}});
      return tensor.status();
    });
  });
}

/// The type of a caller's tensor, whose size is checked.
static ErrorOr<TensorTypeT> typeOf(const MpTensor &tensor, const char *name) {
  if (tensor.element < MP_I1 || tensor.element > MP_F64 || tensor.rank < 0 || (tensor.rank > 0 && !tensor.shape) ||
      (tensor.bytes > 0 && !tensor.data))
    return makeError("tensor '", name, "' has no valid type, shape or data");
  TensorTypeT type = makeType(static_cast<ElementType>(tensor.element), {tensor.shape, tensor.shape + tensor.rank});
  std::optional<uint64_t> expected = byteCount(type);
  if (!expected || *expected != tensor.bytes)
    return makeError("tensor '", name, "' is ", typeName(type), ", given ", tensor.bytes, " bytes");
  return type;
}

ErrorOr<HostTensor> mp::fromC(const MpTensor &tensor, const char *name) {
  ErrorOr<TensorTypeT> type = typeOf(tensor, name);
  if (!type)
    return type.status();
  const std::byte *data = static_cast<const std::byte *>(tensor.data);
  return HostTensor{std::move(*type), {data, data + tensor.bytes}};
}

ErrorOr<NamedTensors> mp::fromC(const char *const *names, const MpTensor *tensors, size_t count, const char *what) {
  NamedTensors named;
  for (size_t i = 0; i < count; ++i) {
    if (Status given = needs(names[i], what); !given.ok())
      return given;
    ErrorOr<HostTensor> tensor = fromC(tensors[i], names[i]);
    if (!tensor)
      return tensor.status();
    named.push_back({names[i], std::move(*tensor)});
  }
  return named;
}

ErrorOr<DataArray> mp::viewOfC(const MpTensor &tensor, const char *name) {
  ErrorOr<TensorTypeT> type = typeOf(tensor, name);
  if (!type)
    return type.status();
  return DataArray{name, std::move(*type), {static_cast<const std::byte *>(tensor.data), tensor.bytes}};
}

MpTensors *mp::toC(NamedTensors tensors) { return new MpTensors{std::move(tensors), nullptr}; }

MpStatus *mpSessionSetState(MpSession *session, const char *name, MpTensor value) {
  return guarded([&]() -> Status {
    for (Status given : {needs(session, "session"), needs(name, "name")})
      if (!given.ok())
        return given;
    ErrorOr<HostTensor> tensor = fromC(value, name);
    if (!tensor)
      return tensor.status();
    return giveValues(*session, [&](Session &own) { return own.setState(name, *tensor); });
  });
}

MpStatus *mpSessionSetStates(MpSession *session, const char *const *names, const MpTensor *values, size_t count) {
  return guarded([&]() -> Status {
    for (Status given : {needs(session, "session"), needs(count && !names ? nullptr : session, "names"),
                         needs(count && !values ? nullptr : session, "values")})
      if (!given.ok())
        return given;
    ErrorOr<NamedTensors> named = fromC(names, values, count, "a state's name");
    if (!named)
      return named.status();
    return giveValues(*session, [&](Session &own) { return own.setState(*named); });
  });
}

const char *mpSessionStateNames(const MpSession *session) { return session ? session->stateNames.c_str() : ""; }

/// Checks what would be NaN in results: labels that are no classes, indices that are of nothing. What else is wrong
/// with inputs the run says.
static Status checkInputs(const Session &session, const char *program, const NamedTensors &inputs) {
  ErrorOr<const executable::VariantT *> variant = session.select(program);
  if (!variant)
    return Status::success();
  const Classes classes = classesOf(session, **variant);
  for (const auto &argument : (*variant)->arguments)
    if (const HostTensor *given = findTensor(inputs, argument->name))
      if (Status known = checkClasses(*argument, given->type, given->bytes, classes); !known.ok())
        return known;
  return Status::success();
}

MpStatus *mpSessionRun(MpSession *session, const char *program, const char *const *names, const MpTensor *inputs,
                       size_t count, MpTensors **results) {
  return guarded([&]() -> Status {
    for (Status given :
         {needs(session, "session"), needs(program, "program"), needs(count && !names ? nullptr : program, "names"),
          needs(count && !inputs ? nullptr : program, "inputs"), needs(results, "results")})
      if (!given.ok())
        return given;
    ErrorOr<NamedTensors> named = fromC(names, inputs, count, "an input's name");
    if (!named)
      return named.status();
    return alone(*session, [&](Session &own) {
      for (Status given : {needsValues(*session, program), checkInputs(own, program, *named)})
        if (!given.ok())
          return given;
      ErrorOr<NamedTensors> ran = own.run(program, *named);
      if (ran)
        *results = toC(std::move(*ran));
      return ran.status();
    });
  });
}
