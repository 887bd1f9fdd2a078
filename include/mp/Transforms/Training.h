//===- Training.h - the passes that make a model train ----------*- C++ -*-===//

#ifndef MP_TRANSFORMS_TRAINING_H
#define MP_TRANSFORMS_TRAINING_H

#include "mlir/Pass/PassManager.h"
#include "mp/Transforms/Passes.h"

namespace mp {

/// The options of each pass from a model to the programs of its training job.
struct TrainingOptions {
  /// Left out where `batch` is 0: the model's sizes are all stated.
  SpecializePassOptions specialize;
  AutocastPassOptions autocast;
  LossScalingPassOptions lossScaling;
  OptimizerPassOptions optimizer;
};

/// Specialize, autocast, inference, autodiff, loss scaling, optimizer: the order of docs/IR.md, 2 to 6. Then the
/// scaledness of what came out is verified.
void buildTrainingPipeline(mlir::OpPassManager &manager, const TrainingOptions &options);

/// Makes `mp-training` a pipeline of mp-opt. Its options `batch`, `pad` and `policy` are those of their passes;
/// `autocast`, `loss-scaling` and `optimizer` take any of theirs in braces:
///   --mp-training="batch=64 policy=mixed_float16 loss-scaling={mode=dynamic floor=2} optimizer={kind=sgd}"
void registerTrainingPipeline();

} // namespace mp

#endif // MP_TRANSFORMS_TRAINING_H
