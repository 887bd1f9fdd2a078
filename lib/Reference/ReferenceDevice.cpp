// The evaluator as a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Reference/ReferenceDevice.h"
#include "mp/Devices/CPU/CPUDevice.h"
#include "mp/IR/MP.h"
#include "mp/IR/ParserLimits.h"
#include "mp/Reference/Evaluator.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <cstring>
#include <functional>

using namespace mp;
using namespace mp::executable;

/// Success of `action`, or the first error that it emits.
static Status statusOf(mlir::MLIRContext &context, llvm::function_ref<llvm::LogicalResult()> action) {
  std::string first;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (first.empty() && diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
      first = diagnostic.str();
  });
  if (succeeded(action()))
    return Status::success();
  return Status::error(first.empty() ? "failed without a message" : first);
}

namespace {

class ReferenceVariant final : public LoadedVariant {
public:
  ReferenceVariant(const LaunchT &launch, const VariantT &variant)
      : launch(launch), variant(variant), context(mlir::MLIRContext::Threading::DISABLED) {
    context.printOpOnDiagnostic(false);
    context.loadDialect<MPDialect, mlir::func::FuncDialect>();
  }

  Status parse(std::span<const std::byte> blob, const std::string &program);
  Status enqueue(const Bindings &bindings) override;
  uint64_t residentBytes() const override { return 0; }

private:
  Status checkSignature();
  ErrorOr<std::byte *> resolve(const BufferSlice &slice, const Bindings &bindings) const;

  const LaunchT &launch; // its buffers are all arguments, then all results
  const VariantT &variant;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp func;
};

class ReferenceDevice final : public Device {
public:
  explicit ReferenceDevice(std::unique_ptr<Device> host) : host(std::move(host)) {
    self = {
        "reference", targets::reference, "op by op in f64, rounded once", {}, this->host->description().memoryBytes, 1,
        {}};
  }

  const DeviceDescription &description() const override { return self; }

  ErrorOr<std::unique_ptr<DeviceMemory>> allocate(uint64_t bytes, MemoryKind kind) override {
    return host->allocate(bytes, kind);
  }
  Status upload(DeviceMemory &destination, uint64_t offset, std::span<const std::byte> source) override {
    return host->upload(destination, offset, source);
  }
  Status download(const DeviceMemory &source, uint64_t offset, std::span<std::byte> destination) override {
    return host->download(source, offset, destination);
  }
  ErrorOr<std::unique_ptr<LoadedVariant>> load(const LoadedExecutable &file, const ProgramT &program,
                                               const VariantT &variant) override;
  QueuePoint mark() override { return host->mark(); }
  Status wait(QueuePoint point) override { return host->wait(point); }

private:
  std::unique_ptr<Device> host; // whose memory this is
  DeviceDescription self;
};

} // namespace

Status ReferenceVariant::parse(std::span<const std::byte> blob, const std::string &program) {
  const llvm::StringRef text(reinterpret_cast<const char *>(blob.data()), blob.size());
  if (std::optional<ParserLimit> limit = findParserLimit(text))
    return makeError(limit->message, " at line ", limit->line, ", column ", limit->column).in("text");
  // The parser wants a terminated string, which a blob is not.
  const std::string terminated = text.str();
  Status parsed = statusOf(context, [&] {
    module = mlir::parseSourceString<mlir::ModuleOp>(terminated, mlir::ParserConfig(&context), program);
    return llvm::success(static_cast<bool>(module));
  });
  if (!parsed.ok())
    return parsed.in("text");
  func = module->lookupSymbol<mlir::func::FuncOp>(launch.symbol);
  if (!func || func.isExternal())
    return makeError("its text has no function '", launch.symbol, "'");
  return checkSignature();
}

/// The function's types are those of the variant's lists.
Status ReferenceVariant::checkSignature() {
  auto compare = [](const char *what, llvm::ArrayRef<mlir::Type> types, const auto &list) -> Status {
    if (types.size() != list.size())
      return makeError("its text has ", types.size(), " ", what, "s, its signature ", list.size());
    for (size_t i = 0; i < types.size(); ++i) {
      std::optional<TensorTypeT> type = tensorTypeOf(types[i]);
      if (!type || *type != *list[i]->type)
        return makeError(what, " ", i, " is ", type ? typeName(*type) : "no tensor of known size", " in its text, ",
                         typeName(*list[i]->type), " in its signature");
    }
    return Status::success();
  };
  Status arguments = compare("argument", func.getArgumentTypes(), variant.arguments);
  return arguments.ok() ? compare("result", func.getResultTypes(), variant.results) : arguments;
}

/// Where the bytes of a slice are now, or which block is not bound or too small.
ErrorOr<std::byte *> ReferenceVariant::resolve(const BufferSlice &slice, const Bindings &bindings) const {
  const std::span<DeviceMemory *const> list = slice.space() == Space::State      ? bindings.state
                                              : slice.space() == Space::Argument ? bindings.arguments
                                                                                 : bindings.results;
  const char *what = EnumNameSpace(slice.space());
  if (slice.index() >= list.size() || !list[slice.index()])
    return makeError(what, " ", slice.index(), " is not bound");
  if (list[slice.index()]->size() < slice.offset() + slice.bytes())
    return makeError(what, " ", slice.index(), " is bound to ", list[slice.index()]->size(), " bytes, expected ",
                     slice.bytes());
  return static_cast<std::byte *>(list[slice.index()]->address()) + slice.offset();
}

Status ReferenceVariant::enqueue(const Bindings &bindings) {
  std::vector<std::byte *> addresses;
  for (const Buffer &buffer : launch.buffers) {
    ErrorOr<std::byte *> address = resolve(buffer.slice(), bindings);
    if (!address)
      return address.status();
    addresses.push_back(*address);
  }
  std::vector<Tensor> arguments;
  for (size_t i = 0; i < variant.arguments.size(); ++i) {
    Tensor argument = Tensor::zeros(*variant.arguments[i]->type);
    if (!argument.bytes.empty())
      std::memcpy(argument.bytes.data(), addresses[i], argument.bytes.size());
    arguments.push_back(std::move(argument));
  }
  std::vector<Tensor> results;
  Status evaluated = statusOf(context, [&]() -> llvm::LogicalResult {
    llvm::FailureOr<std::vector<Tensor>> computed = evaluate(func, arguments);
    if (failed(computed))
      return llvm::failure();
    results = std::move(*computed);
    return llvm::success();
  });
  if (!evaluated.ok())
    return evaluated;
  // Every result is computed before state is written in place.
  for (size_t i = 0; i < results.size(); ++i)
    if (!results[i].bytes.empty())
      std::memcpy(addresses[arguments.size() + i], results[i].bytes.data(), results[i].bytes.size());
  return Status::success();
}

ErrorOr<std::unique_ptr<LoadedVariant>> ReferenceDevice::load(const LoadedExecutable &file, const ProgramT &program,
                                                              const VariantT &variant) {
  const std::string where = "program " + program.name;
  if (Status able = canRun(file, variant); !able.ok())
    return able.in(where);
  const LaunchT *launch = variant.commands.size() == 1 ? variant.commands.front()->what.AsLaunch() : nullptr;
  if (!launch || launch->buffers.size() != variant.arguments.size() + variant.results.size())
    return makeError("expected one launch of all arguments and results").in(where);
  auto loaded = std::make_unique<ReferenceVariant>(*launch, variant);
  if (Status parsed = loaded->parse(file.blob(launch->blob), program.name); !parsed.ok())
    return parsed.in(where);
  return std::unique_ptr<LoadedVariant>(std::move(loaded));
}

ErrorOr<std::unique_ptr<Device>> mp::createReferenceDevice(const DeviceOptions &options) {
  ErrorOr<std::unique_ptr<Device>> host = createCPUDevice(options);
  if (!host)
    return host.status();
  return std::unique_ptr<Device>(std::make_unique<ReferenceDevice>(std::move(*host)));
}

void mp::registerReferenceDevice() { registerDevice("reference", createReferenceDevice); }
