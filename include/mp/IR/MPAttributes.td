// Initializers and derived state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_ATTRIBUTES_TD
#define MP_ATTRIBUTES_TD

include "mp/IR/MPBase.td"

class MP_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<MP_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

// How a parameter or state gets its first value. Fans are those of a [fan_in, fan_out] matrix.
def MP_ZerosAttr : MP_Attr<"Zeros", "zeros"> { let summary = "all elements 0"; }
def MP_OnesAttr : MP_Attr<"Ones", "ones"> { let summary = "all elements 1"; }

def MP_ConstantInitializerAttr : MP_Attr<"ConstantInitializer", "constant"> {
  let summary = "all elements `value`, rounded to the element type";
  let parameters = (ins "::mlir::FloatAttr":$value);
  let assemblyFormat = "`<` $value `>`";
}
def MP_NormalAttr : MP_Attr<"Normal", "normal"> {
  let summary = "independent normal values";
  let parameters = (ins "::mlir::FloatAttr":$mean, "::mlir::FloatAttr":$stddev, DefaultValuedParameter<"int64_t", "0">:$seed);
  let assemblyFormat = "`<` struct(params) `>`";
}
def MP_UniformAttr : MP_Attr<"Uniform", "uniform"> {
  let summary = "independent uniform values in [low, high)";
  let parameters = (ins "::mlir::FloatAttr":$low, "::mlir::FloatAttr":$high, DefaultValuedParameter<"int64_t", "0">:$seed);
  let assemblyFormat = "`<` struct(params) `>`";
}

class MP_FanAttr<string name, string attrMnemonic, string text> : MP_Attr<name, attrMnemonic> {
  let summary = text;
  let parameters = (ins DefaultValuedParameter<"int64_t", "0">:$seed);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
}
def MP_GlorotUniformAttr : MP_FanAttr<"GlorotUniform", "glorot_uniform", "uniform in +-sqrt(6 / (fan_in + fan_out))">;
def MP_GlorotNormalAttr : MP_FanAttr<"GlorotNormal", "glorot_normal", "normal, standard deviation sqrt(2 / (fan_in + fan_out))">;
def MP_HeUniformAttr : MP_FanAttr<"HeUniform", "he_uniform", "uniform in +-sqrt(6 / fan_in)">;
def MP_HeNormalAttr : MP_FanAttr<"HeNormal", "he_normal", "normal, standard deviation sqrt(2 / fan_in)">;

def MP_RowMajorAttr : MP_Attr<"RowMajor", "row_major"> { let summary = "elements in row-major order, without gaps"; }

def MP_DerivedAttr : MP_Attr<"Derived", "derived"> {
  let summary = "the copy of a parameter in a low type";
  let description = [{
    State that is always `mp.cast` of the parameter `of` to `type`: whatever writes the parameter writes it, too, program
    `derive` makes it of the parameters, and no checkpoint holds it. Its elements lie as `layout` says: in row-major
    order, or packed as `mp.pack` has them, for products that read them so. The state is named "OF/TYPE", packed
    "OF/TYPE@LAYOUT".

    Constraints:
    - (C1) `of` is not empty.
    - (C2) `type` is f16 or bf16.
    - (C3) `layout` is #mp.row_major or #mp.packed.

    Example: `#mp.derived<of = "dense.kernel", type = f16, layout = #mp.row_major>`
  }];
  let parameters = (ins "::mlir::StringAttr":$of, "::mlir::Type":$type, "::mlir::Attribute":$layout);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// What the state table calls it: "dense.kernel/f16", "dense.kernel/f16@32x256x2t".
    ::mlir::StringAttr getStateName() const;
    /// Its layout where it lies packed, or null.
    ::mp::PackedAttr getPacked() const;
    /// The type of the state, of a parameter's.
    ::mlir::RankedTensorType getStateType(::mlir::RankedTensorType parameter) const;
  }];
}

def MP_StatisticsAttr : MP_Attr<"Statistics", "statistics"> {
  let summary = "what the ops of a program compute in";
  let description = [{
    `ops` has, by element type, the number of ops that compute in it; constants, casts and data movement count in none.
    Taken before kernels are formed: after that, an op that several kernels repeat counts in each.

    Example: `#mp.statistics<casts = 4, ops = {f16 = 9 : i64, f32 = 2 : i64}>`
  }];
  let parameters = (ins "int64_t":$casts, "::mlir::DictionaryAttr":$ops);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // MP_ATTRIBUTES_TD
