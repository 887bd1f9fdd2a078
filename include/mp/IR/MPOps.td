// All families.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "mp/IR/MPAttributes.td"
include "mp/IR/MPBatchNormOps.td"
include "mp/IR/MPContractionOps.td"
include "mp/IR/MPConvolutionOps.td"
include "mp/IR/MPDataOps.td"
include "mp/IR/MPElementwiseOps.td"
include "mp/IR/MPIndexingOps.td"
include "mp/IR/MPKernelOps.td"
include "mp/IR/MPOptimizerOps.td"
include "mp/IR/MPPoolingOps.td"
include "mp/IR/MPLossOps.td"
include "mp/IR/MPReductionOps.td"
include "mp/IR/MPRegionOps.td"
include "mp/IR/MPScheduledOps.td"
include "mp/IR/MPTrainingOps.td"
include "mp/IR/MPUnaryOps.td"
