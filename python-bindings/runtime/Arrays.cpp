// Arrays of Python as tensors of the C API, and back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Arrays.h"

namespace nb = nanobind;

namespace {
struct Row {
  MpElementType element;
  nb::dlpack::dtype type;
};
} // namespace

static constexpr nb::dlpack::dtype typeOf(nb::dlpack::dtype_code code, uint8_t bits) {
  return {static_cast<uint8_t>(code), bits, 1};
}

static constexpr Row kRows[] = {
    {MP_I1, typeOf(nb::dlpack::dtype_code::Bool, 8)},    {MP_UI8, typeOf(nb::dlpack::dtype_code::UInt, 8)},
    {MP_I32, typeOf(nb::dlpack::dtype_code::Int, 32)},   {MP_I64, typeOf(nb::dlpack::dtype_code::Int, 64)},
    {MP_F16, typeOf(nb::dlpack::dtype_code::Float, 16)}, {MP_BF16, typeOf(nb::dlpack::dtype_code::Bfloat, 16)},
    {MP_F32, typeOf(nb::dlpack::dtype_code::Float, 32)}, {MP_F64, typeOf(nb::dlpack::dtype_code::Float, 64)},
};

static MpElementType elementOf(nb::dlpack::dtype type) {
  for (const Row &row : kRows)
    if (row.type == type)
      return row.element;
  throw nb::type_error("an array's elements have no type that a model takes; expected bool, uint8, int32, int64, "
                       "float16, bfloat16, float32 or float64");
}

Tensor::Tensor(const AnyArray &array, int element)
    : array(array), element(element < 0 ? elementOf(array.dtype()) : static_cast<MpElementType>(element)) {
  for (size_t i = 0; i < array.ndim(); ++i)
    shape.push_back(static_cast<int64_t>(array.shape(i)));
}

MpTensor Tensor::get() const {
  return {element, static_cast<int64_t>(shape.size()), shape.data(), array.data(), array.nbytes()};
}

nb::list toPython(Owned<MpTensors> tensors) {
  // Every array holds all of them: they were made together.
  std::shared_ptr<MpTensors> shared = std::move(tensors);
  nb::list list;
  for (int64_t i = 0; i < mpTensorsCount(shared.get()); ++i) {
    MpTensor tensor = mpTensorsGet(shared.get(), i);
    nb::dlpack::dtype type = kRows[tensor.element].type;
    if (tensor.element == MP_BF16)
      type = typeOf(nb::dlpack::dtype_code::UInt, 16);
    std::vector<size_t> shape(tensor.shape, tensor.shape + tensor.rank);
    nb::capsule owner(new std::shared_ptr<MpTensors>(shared),
                      [](void *pointer) noexcept { delete static_cast<std::shared_ptr<MpTensors> *>(pointer); });
    nb::ndarray<nb::numpy> array(const_cast<void *>(tensor.data), shape.size(), shape.data(), owner, nullptr, type);
    list.append(nb::make_tuple(mpTensorsName(shared.get(), i), static_cast<int>(tensor.element), array));
  }
  return list;
}
