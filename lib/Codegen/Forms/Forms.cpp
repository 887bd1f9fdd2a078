// What ops compute, attached to the dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Forms.h"

using namespace mlir;
using namespace mp;

void mp::registerForms(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, MPDialect *) {
    attachElementwiseForms(context);
    attachDropoutForms(context);
    attachOptimizerForms(context);
    attachIndexingForms(context);
    attachDepthwiseForms(context);
    attachPoolingForms(context);
    attachTopKForms(context);
    attachLossScalingForms(context);
    attachMomentForms(context);
    attachReductionForms(context);
    attachResampleForms(context);
    attachRowForms(context);
  });
}
