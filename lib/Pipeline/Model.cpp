// A model file in memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Pipeline/Model.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include "mp/Codegen/Build/Codegen.h"
#include "mp/IR/InputText.h"
#include "mp/IR/ParserLimits.h"
#include "mp/IR/Program.h"

using namespace mlir;

namespace mp {

void registerCompilerDialects(DialectRegistry &registry) {
  registry.insert<MPDialect, func::FuncDialect>();
  registerCodegenDialects(registry);
}

/// A module that holds at least one program, and none whose ops have become kernels.
static OwningOpRef<ModuleOp> checkPrograms(OwningOpRef<ModuleOp> module) {
  if (!module)
    return nullptr;
  WalkResult kernels = module->walk([](KernelOp kernel) {
    kernel.emitError(
        "is a kernel: the file is what the stage 'kernels' made, whose ops are not compiled again; expected "
        "the model, or what a stage before that made, as 'optimizer'");
    return WalkResult::interrupt();
  });
  if (kernels.wasInterrupted())
    return nullptr;
  for (auto func : module->getOps<func::FuncOp>())
    if (getProgramKind(func))
      return module;
  module->emitError("the file holds no program: expected a function with the attribute mp.program = \"model\"");
  return nullptr;
}

/// The lexer reads until a terminator, so that `file` has one behind its text.
static OwningOpRef<ModuleOp> parseBuffer(std::unique_ptr<llvm::MemoryBuffer> file, MLIRContext &context) {
  StringRef text = file->getBuffer(), name = file->getBufferIdentifier();
  auto refuse = [&](unsigned line, unsigned column, const Twine &why) {
    emitError(FileLineColLoc::get(&context, name, line, column)) << why;
    return nullptr;
  };
  if (isBytecode(llvm::MemoryBufferRef(text, name)))
    return refuse(1, 1, "bytecode is not accepted as a model; expected MLIR text");
  if (std::optional<ParserLimit> limit = findParserLimit(text))
    return refuse(limit->line, limit->column, limit->message);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  return checkPrograms(parseSourceFile<ModuleOp>(sources, ParserConfig(&context)));
}

OwningOpRef<ModuleOp> parseModel(StringRef text, StringRef name, MLIRContext &context) {
  return parseBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name), context);
}

OwningOpRef<ModuleOp> readCopy(StringRef bytecode, StringRef name, MLIRContext &context) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(bytecode, name, /*RequiresNullTerminator=*/false),
                             llvm::SMLoc());
  return checkPrograms(parseSourceFile<ModuleOp>(sources, ParserConfig(&context)));
}

OwningOpRef<ModuleOp> readModel(const std::string &path, MLIRContext &context) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputText(path, &error);
  if (!file) {
    emitError(UnknownLoc::get(&context)) << error;
    return nullptr;
  }
  return parseBuffer(std::move(file), context);
}

} // namespace mp
