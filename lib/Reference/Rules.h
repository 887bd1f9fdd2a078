// What each op computes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rule per op, in the files and the order of the dialect's op families. A rule reads operands
// from the frame and returns the results; verified ops with tensors of the types that the IR states
// are all it ever sees.

#ifndef MP_LIB_REFERENCE_RULES_H
#define MP_LIB_REFERENCE_RULES_H

#include "Reference/Frame.h"

#include "mp/IR/MP.h"

namespace mp::rules {

using Tensors = std::vector<Tensor>;

// Contractions.cpp
Tensor evaluate(MatmulOp op, const Frame &frame);
Tensor evaluate(MatmulPartsOp op, const Frame &frame);
Tensor evaluate(PackOp op, const Frame &frame);
Tensor evaluate(UnpackOp op, const Frame &frame);

// Attention.cpp
Tensors evaluate(AttentionOp op, const Frame &frame);
Tensors evaluate(AttentionGradOp op, const Frame &frame);

// BatchNorm.cpp
Tensors evaluate(BatchNormOp op, const Frame &frame);
Tensors evaluate(BatchNormGradOp op, const Frame &frame);
Tensor evaluate(BatchNormInferenceOp op, const Frame &frame);
Tensor evaluate(UpdateRunningOp op, const Frame &frame);

// Convolutions.cpp
Tensor evaluate(ConvOp op, const Frame &frame);
Tensor evaluate(ConvTransposeOp op, const Frame &frame);
Tensor evaluate(ConvFilterGradOp op, const Frame &frame);
Tensor evaluate(ConvFilterGradPartsOp op, const Frame &frame);
Tensor evaluate(DepthwiseConvOp op, const Frame &frame);
Tensor evaluate(DepthwiseConvTransposeOp op, const Frame &frame);
Tensor evaluate(DepthwiseConvRowSumsOp op, const Frame &frame);

// Pooling.cpp
Tensor evaluate(MaxPoolOp op, const Frame &frame);
Tensor evaluate(MaxPoolGradOp op, const Frame &frame);
Tensors evaluate(MaxPoolWithIndicesOp op, const Frame &frame);
Tensor evaluate(MaxUnpoolOp op, const Frame &frame);
Tensor evaluate(AvgPoolOp op, const Frame &frame);
Tensor evaluate(AvgPoolGradOp op, const Frame &frame);

// Data.cpp
llvm::FailureOr<Tensors> evaluate(ConstantOp op, const Frame &frame);
Tensor evaluate(IotaOp op, const Frame &frame);
Tensor evaluate(RandomUniformOp op, const Frame &frame);
Tensor evaluate(ReshapeOp op, const Frame &frame);
Tensor evaluate(TransposeOp op, const Frame &frame);
Tensor evaluate(BroadcastOp op, const Frame &frame);

// GradientRules.cpp
Tensor evaluate(StopGradientOp op, const Frame &frame);
Tensor evaluate(StraightThroughOp op, const Frame &frame);
Tensor evaluate(ReverseGradientOp op, const Frame &frame);

// Elementwise.cpp
Tensor evaluate(AddOp op, const Frame &frame);
Tensor evaluate(SubOp op, const Frame &frame);
Tensor evaluate(MulOp op, const Frame &frame);
Tensor evaluate(DivOp op, const Frame &frame);
Tensor evaluate(MaxOp op, const Frame &frame);
Tensor evaluate(MinOp op, const Frame &frame);
Tensor evaluate(PowOp op, const Frame &frame);
Tensor evaluate(Atan2Op op, const Frame &frame);
Tensor evaluate(PReluOp op, const Frame &frame);
Tensor evaluate(ExpOp op, const Frame &frame);
Tensor evaluate(LogOp op, const Frame &frame);
Tensor evaluate(SqrtOp op, const Frame &frame);
Tensor evaluate(TanhOp op, const Frame &frame);
Tensor evaluate(GeluOp op, const Frame &frame);
Tensor evaluate(ReluOp op, const Frame &frame);
Tensor evaluate(ReluGradOp op, const Frame &frame);
Tensor evaluate(TanhGradOp op, const Frame &frame);
Tensor evaluate(GeluGradOp op, const Frame &frame);
Tensor evaluate(CompareOp op, const Frame &frame);
Tensor evaluate(SelectOp op, const Frame &frame);
Tensor evaluate(IsFiniteOp op, const Frame &frame);
Tensor evaluate(LogicalAndOp op, const Frame &frame);
Tensor evaluate(LogicalOrOp op, const Frame &frame);
Tensor evaluate(LogicalNotOp op, const Frame &frame);
Tensor evaluate(RemainderOp op, const Frame &frame);
Tensor evaluate(FloorDivideOp op, const Frame &frame);
Tensor evaluate(BitwiseAndOp op, const Frame &frame);
Tensor evaluate(BitwiseOrOp op, const Frame &frame);
Tensor evaluate(BitwiseXorOp op, const Frame &frame);
Tensor evaluate(ShiftLeftOp op, const Frame &frame);
Tensor evaluate(ShiftRightOp op, const Frame &frame);
Tensor evaluate(DropoutOp op, const Frame &frame);
Tensor evaluate(DropoutMaskOp op, const Frame &frame);
Tensor evaluate(MaskedDropoutOp op, const Frame &frame);

// Cast.cpp
Tensor evaluate(CastOp op, const Frame &frame);

// Reductions.cpp
Tensor evaluate(ReduceSumOp op, const Frame &frame);
Tensor evaluate(ReduceMeanOp op, const Frame &frame);
Tensor evaluate(L2NormOp op, const Frame &frame);
Tensor evaluate(ReduceMaxOp op, const Frame &frame);
Tensor evaluate(ReduceMinOp op, const Frame &frame);
Tensor evaluate(ReduceProdOp op, const Frame &frame);
Tensor evaluate(ArgmaxOp op, const Frame &frame);
Tensor evaluate(ArgminOp op, const Frame &frame);
Tensor evaluate(CumsumOp op, const Frame &frame);

// Softmax.cpp
Tensor evaluate(SoftmaxOp op, const Frame &frame);
Tensor evaluate(SoftmaxGradOp op, const Frame &frame);
Tensor evaluate(LogSoftmaxOp op, const Frame &frame);
Tensor evaluate(SoftmaxCrossEntropyOp op, const Frame &frame);
Tensor evaluate(SoftmaxCrossEntropyGradOp op, const Frame &frame);
Tensor evaluate(SoftmaxCrossEntropyRowsOp op, const Frame &frame);
Tensor evaluate(SoftmaxCrossEntropyGradRowsOp op, const Frame &frame);

// Norms.cpp
Tensor evaluate(LayerNormOp op, const Frame &frame);
Tensor evaluate(RMSNormOp op, const Frame &frame);
Tensor evaluate(L2NormalizeOp op, const Frame &frame);
Tensor evaluate(CosineSimilarityOp op, const Frame &frame);
Tensors evaluate(LayerNormStatisticsOp op, const Frame &frame);
Tensor evaluate(LayerNormGradOp op, const Frame &frame);

// GroupNorm.cpp
Tensor evaluate(GroupNormOp op, const Frame &frame);
Tensors evaluate(GroupNormGradOp op, const Frame &frame);

// LossScaling.cpp
Tensor evaluate(GradientSeedOp op, const Frame &frame);
Tensor evaluate(ScaleLossOp op, const Frame &frame);
Tensors evaluate(UnscaleOp op, const Frame &frame);
Tensor evaluate(CheckFiniteOp op, const Frame &frame);
Tensors evaluate(UpdateLossScaleOp op, const Frame &frame);
Tensors evaluate(CountSkipsOp op, const Frame &frame);
Tensor evaluate(AdvanceOp op, const Frame &frame);

// Optimizers.cpp
Tensor evaluate(GlobalNormOp op, const Frame &frame);
Tensors evaluate(ClipByGlobalNormOp op, const Frame &frame);
Tensors evaluate(ClipByNormOp op, const Frame &frame);
Tensors evaluate(ClipByValueOp op, const Frame &frame);
Tensors evaluate(SGDOp op, const Frame &frame);
Tensors evaluate(RMSpropOp op, const Frame &frame);
Tensors evaluate(AdagradOp op, const Frame &frame);
Tensors evaluate(LionOp op, const Frame &frame);

// AdamOptimizers.cpp
Tensors evaluate(AdamOp op, const Frame &frame);
Tensors evaluate(AdamWOp op, const Frame &frame);
Tensors evaluate(NAdamOp op, const Frame &frame);
Tensors evaluate(LAMBOp op, const Frame &frame);
Tensor evaluate(MomentumProductOp op, const Frame &frame);

// Losses.cpp
Tensor evaluate(MSELossOp op, const Frame &frame);
Tensor evaluate(L1LossOp op, const Frame &frame);
Tensor evaluate(HuberLossOp op, const Frame &frame);
Tensor evaluate(SigmoidCrossEntropyOp op, const Frame &frame);
Tensor evaluate(BinaryCrossEntropyOp op, const Frame &frame);

// ClassLosses.cpp
Tensor evaluate(CrossEntropyOp op, const Frame &frame);
Tensor evaluate(NLLLossOp op, const Frame &frame);
Tensor evaluate(KLDivOp op, const Frame &frame);

// Unary.cpp
Tensor evaluate(NegOp op, const Frame &frame);
Tensor evaluate(AbsOp op, const Frame &frame);
Tensor evaluate(FloorOp op, const Frame &frame);
Tensor evaluate(RoundOp op, const Frame &frame);
Tensor evaluate(ReciprocalOp op, const Frame &frame);
Tensor evaluate(RsqrtOp op, const Frame &frame);
Tensor evaluate(ErfOp op, const Frame &frame);
Tensor evaluate(SinOp op, const Frame &frame);
Tensor evaluate(CosOp op, const Frame &frame);
Tensor evaluate(ClampOp op, const Frame &frame);
Tensor evaluate(SigmoidOp op, const Frame &frame);
Tensor evaluate(SiluOp op, const Frame &frame);
Tensor evaluate(SoftplusOp op, const Frame &frame);
Tensor evaluate(LeakyReluOp op, const Frame &frame);
Tensor evaluate(EluOp op, const Frame &frame);
Tensor evaluate(SeluOp op, const Frame &frame);
Tensor evaluate(HardSigmoidOp op, const Frame &frame);
Tensor evaluate(HardSwishOp op, const Frame &frame);

// Functions.cpp
Tensor evaluate(TanOp op, const Frame &frame);
Tensor evaluate(AsinOp op, const Frame &frame);
Tensor evaluate(AcosOp op, const Frame &frame);
Tensor evaluate(AtanOp op, const Frame &frame);
Tensor evaluate(SinhOp op, const Frame &frame);
Tensor evaluate(CoshOp op, const Frame &frame);
Tensor evaluate(Expm1Op op, const Frame &frame);
Tensor evaluate(Log1pOp op, const Frame &frame);
Tensor evaluate(Log2Op op, const Frame &frame);
Tensor evaluate(Log10Op op, const Frame &frame);
Tensor evaluate(ErfinvOp op, const Frame &frame);

// IndexingRules.cpp
Tensor evaluate(SliceOp op, const Frame &frame);
Tensor evaluate(PadOp op, const Frame &frame);
Tensor evaluate(ConcatOp op, const Frame &frame);
Tensor evaluate(FlipOp op, const Frame &frame);
Tensor evaluate(GatherOp op, const Frame &frame);
Tensor evaluate(ScatterAddOp op, const Frame &frame);
Tensor evaluate(GatherElementsOp op, const Frame &frame);
Tensor evaluate(ScatterAddElementsOp op, const Frame &frame);
Tensor evaluate(ScatterElementsOp op, const Frame &frame);
Tensor evaluate(OneHotOp op, const Frame &frame);
Tensors evaluate(SplitOp op, const Frame &frame);
Tensor evaluate(TileOp op, const Frame &frame);
Tensor evaluate(TrilOp op, const Frame &frame);
Tensor evaluate(TriuOp op, const Frame &frame);

// Resize.cpp
Tensor evaluate(ResizeOp op, const Frame &frame);
Tensor evaluate(ResizeGradOp op, const Frame &frame);
Tensor evaluate(ResampleOp op, const Frame &frame);

// TopK.cpp
Tensors evaluate(TopKOp op, const Frame &frame);
Tensor evaluate(TopKGradOp op, const Frame &frame);

// Kernels.cpp
Tensor evaluate(CopyOp op, const Frame &frame);
Tensor evaluate(NonfiniteBlocksOp op, const Frame &frame);
Tensor evaluate(SumSquaresBlocksOp op, const Frame &frame);
Tensor evaluate(SumRowBlocksOp op, const Frame &frame);
Tensors evaluate(RowBlockMomentsOp op, const Frame &frame);
Tensor evaluate(RecenterSquaresOp op, const Frame &frame);
Tensor evaluate(NonfiniteTilesOp op, const Frame &frame);
Tensor evaluate(FirstBadOp op, const Frame &frame);

// Evaluator.cpp: ops that hold ops
llvm::FailureOr<Tensors> evaluate(KernelOp op, Frame &frame);
llvm::FailureOr<Tensors> evaluate(AutocastOp op, Frame &frame);
Tensors evaluate(YieldOp op, const Frame &frame);

} // namespace mp::rules

#endif // MP_LIB_REFERENCE_RULES_H
