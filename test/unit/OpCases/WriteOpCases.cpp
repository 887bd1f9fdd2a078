// Models of every op, as files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: write-op-cases FOLDER. Writes for each op that GPUs compute FOLDER/OP.mlir, its cases in f32 and f16;
// FOLDER/OP.bf16.mlir, those that need bf16; FOLDER/OP.acc-f16.mlir, those that add up in f16; and the inputs of
// FOLDER/X.mlir as FOLDER/X.mlir.INPUT.npy.

#include "OpCases/CaseProgram.h"
#include "mp/Runtime/Tensors/Npy.h"

#include <fstream>
#include <iostream>
#include <set>

using namespace mp;

static Status write(const std::string &path, const CaseProgram &program) {
  std::ofstream file(path);
  file << program.text();
  if (!file.flush())
    return makeError("cannot write ", path);
  for (const NamedTensor &input : program.inputs())
    if (Status written = writeNpy(path + "." + input.name + ".npy", input.tensor); !written.ok())
      return written;
  return Status::success();
}

/// What sets a case apart: the chip that it takes, or how near to another sum it is.
static std::string partOf(const OpCase &use, ElementType element) {
  return usesBF16(use, element) ? ".bf16" : use.text.find("acc f16") != std::string::npos ? ".acc-f16" : "";
}

/// The cases of an op that are in `part`.
static CaseProgram programOf(const std::string &op, const std::string &part) {
  CaseProgram program;
  for (ElementType element : {ElementType::F32, ElementType::F16, ElementType::BF16})
    for (const OpCase *use : nativeCases(op))
      if ((use->isTyped() || element == ElementType::F32) && partOf(*use, element) == part)
        program.add({use}, element);
  return program;
}

/// Ops that only scheduling makes, of products.
static const std::set<std::string> kMadeBySchedules = {
    "mp.matmul_parts", "mp.conv_filter_grad_parts", "mp.sum_row_blocks", "mp.row_block_moments", "mp.nonfinite_tiles"};

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: write-op-cases FOLDER\n";
    return 2;
  }
  for (const std::string &op : opsWithCases()) {
    if (kMadeBySchedules.contains(op))
      continue;
    for (const std::string part : {"", ".bf16", ".acc-f16"}) {
      const CaseProgram program = programOf(op, part);
      if (program.isEmpty())
        continue;
      const std::string path = std::string(argv[1]) + "/" + op.substr(op.find('.') + 1) + part;
      if (Status written = write(path + ".mlir", program); !written.ok()) {
        std::cerr << written.message() << '\n';
        return 1;
      }
    }
  }
  return 0;
}
