// From an emitted function to optimized LLVM IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Lower/Translate.h"

#include "Codegen/Forms/Forms.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"

using namespace mlir;
using namespace mp;

void mp::registerEmittedDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                  NVVM::NVVMDialect, scf::SCFDialect, ub::UBDialect, vector::VectorDialect>();
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  ub::registerConvertUBToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  registerForms(registry);
}

void mp::loadEmittedDialects(MLIRContext *context) {
  DialectRegistry registry;
  registerEmittedDialects(registry);
  context->appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context->getOrLoadDialect(name);
}

LogicalResult mp::lowerToLLVM(ModuleOp module, const NativeArithmetic &native) {
  if (failed(legalizeArithmetic(module, native)))
    return failure();
  PassManager passes(module.getContext());
  // These make one conversion of an integer's way to f16 and bf16 through f32 or f64, and no target has all of those.
  passes.addPass(createCanonicalizerPass(GreedyRewriteConfig(), {"(anonymous namespace)::TruncFSIToFPToSIToFP",
                                                                 "(anonymous namespace)::TruncFUIToFPToUIToFP"}));
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertToLLVMPass());
  return passes.run(module);
}

std::unique_ptr<TranslatedModule> mp::translateToLLVMIR(ModuleOp module, StringRef kernel) {
  auto translated = std::make_unique<TranslatedModule>();
  translated->kernel = kernel.str();
  translated->context = std::make_unique<llvm::LLVMContext>();
  translated->module = translateModuleToLLVMIR(module, *translated->context, kernel);
  if (!translated->module) {
    module.emitError("kernel '") << kernel << "' has no LLVM IR";
    return nullptr;
  }
  return translated;
}

void mp::optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  // The search for checksums walks every path through the arithmetic of an unrolled loop: hours for an exponential. No
  // kernel computes one. A flag of LLVM's, for the whole process.
  llvm::DisableLIRP::HashRecognize = true;

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);

  llvm::TargetLibraryInfoImpl library(module.getTargetTriple());
  library.disableAllFunctions();
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });

  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

std::string mp::printIR(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

llvm::Error mp::emitFile(llvm::Module &module, llvm::TargetMachine &machine, llvm::SmallVectorImpl<char> &out,
                         llvm::CodeGenFileType type) {
  llvm::raw_svector_ostream stream(out);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return llvm::createStringError("LLVM's target " + machine.getTargetTriple().str() +
                                   " cannot write this kind of file");
  passes.run(module);
  return llvm::Error::success();
}
