// First values of the state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every element is a pure function of (run's seed, initializer's seed, name, element): no thread,
// device or order of rows changes a bit, and two parameters of one shape and seed differ. The same
// bits come out on every machine: besides integer arithmetic only correctly rounded operations of
// doubles are used.
//
// The seed of an initializer tells apart what one run's seed would make equal; the run's seed
// (--seed) moves all of them. --seed=0 leaves an initializer's own seed as it is.

#ifndef MP_RUNTIME_CORE_INITIALIZE_H
#define MP_RUNTIME_CORE_INITIALIZE_H

#include "mp/Runtime/Tensors/Tensor.h"

namespace mp {

/// Sizes that glorot and he scale by. For a matrix [in, out] these are its sizes, as Keras and, up
/// to its transposed weights, PyTorch count them; a vector is both its own; of three dimensions or
/// more the first is the number of output channels and the last that of input channels (KRSC), each
/// times the sizes between them.
struct Fans {
  double in;
  double out;
};
Fans fansOf(const TensorTypeT &type);

/// The first value of a state entry.
///
///   zeros, ones, constant(a), normal(mean a, deviation b), uniform [a, b)
///   glorot_uniform [-l, l), l = sqrt(6 / (in + out))    glorot_normal: deviation sqrt(2 / (in +
///   out)) he_uniform     [-l, l), l = sqrt(6 / in)            he_normal:     deviation sqrt(2 /
///   in)
///
/// Values are computed as doubles and rounded once to the element type; a uniform value that would
/// round to its upper end becomes its lower. Normal values are not truncated (as PyTorch's, unlike
/// Keras's). The state "rng" without initializer is (runSeed, 0). Fails for another entry without
/// initializer and for a normal or uniform one of an integer type, naming it.
ErrorOr<HostTensor> initialValue(const executable::StateEntryT &entry, uint64_t runSeed);

/// The x at which the standard normal distribution reaches `probability`, which is in (0, 1).
/// Wichura's algorithm AS 241 (PPND16, relative error about 1e-16), the same bits everywhere.
double normalQuantile(double probability);

} // namespace mp

#endif // MP_RUNTIME_CORE_INITIALIZE_H
