// How the blocks of kernels divide their work, and how operands lie for them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_SCHEDULES_TD
#define MP_SCHEDULES_TD

include "mp/IR/MPAttributes.td"

// The schedule of one kind of kernel. One with a parameter `threads` answers the interface's getThreads with it.
class MP_ScheduleAttr<string name, string attrMnemonic, I32EnumCase kind>
    : MP_Attr<name # "Schedule", attrMnemonic, [MP_ScheduleInterface]> {
  let genVerifyDecl = 1;
  string getKind = "::mp::KernelKind getKind() const { return ::mp::KernelKind::" # kind.symbol # "; }\n";
  let extraClassDeclaration = getKind;
}

// On a CPU `vector` is the number of f32 lanes of a vector register: 4, 8 or 16. On a GPU it is the number of elements
// that a thread takes at once, and `threads` the threads of a block; on a CPU a block is one thread.
class MP_OneOrMore<string what> : DefaultValuedParameter<"int64_t", "1", what>;

// What multiplies on a CPU: a fused multiply-add for each product, dot products of pairs of bf16, or AMX's tiles of bf16
// or f16.
def MP_TileInstruction : I32Enum<"TileInstruction", "what multiplies the register tiles of a CPU", [
    I32EnumCase<"Fma", 0, "fma">, I32EnumCase<"Dot", 1, "dot">, I32EnumCase<"Amx", 2, "amx">]> {
  let cppNamespace = "::mp";
}

def MP_ContractionScheduleAttr : MP_ScheduleAttr<"Contraction", "contraction", MP_KindContraction> {
  let summary = "a matrix product with a map prologue and a map epilogue";
  let description = [{
    One block computes `block_m` x `block_n` elements of the result and walks k in steps of `block_k`, packing both
    operands; inside, register tiles of `tile_m` x `tile_n`. Grid: parts of k * batch * ceil(M / block_m) * ceil(N / block_n).
    `instruction` is what multiplies: `fma`; `dot`, of bf16 with sums in f32; `amx`, of bf16 or f16 with sums in f32,
    16 x 16 of them in a tile register, 32 of k at once. Where the machine has no tiles, vectors compute what they would.
    With `products` of 3, 6 or 9 each operand of f32 is split into bf16, and for each 32 of k so many products of these
    parts are added, the smallest first; with 3 also operands of f16, which two bf16 hold exactly.
    An operand for which `pack_lhs` or
    `pack_rhs` is said is packed by a kernel of its own, once for all blocks, and read through `mp.unpack`. With
    `stream_rhs` rhs is read where it lies, along its rows, and packed by nobody: few rows of lhs read it once. With
    `read_lhs` so is lhs: a matrix along its rows, of k whole pairs of a `dot` and whole registers of an `amx`; or
    images, of which a block keeps the rows of pixels that it needs. With `read_rhs` rhs is images whose pixels are k,
    as for the gradient of a filter: a block keeps the rows that `block_k` needs, and tiles read them for every tap. An
    `amx` has panels of them, one after the other for the taps of a row, and reads those for every row of taps.
    With `transposed` lhs and rhs change places, with all that is said of them here: rows of the product are columns of
    the result, and vectors lie along rows of the op's lhs. Images whose pixels are k are then those of lhs
    (`read_lhs`), and images of which a block keeps the rows of pixels that are its columns those of rhs (`read_rhs`).

    Constraints:
    - (C1) Every parameter is positive; tiles divide blocks, `vector` divides `tile_n`.
    - (C2) `vector` of a `dot` is 4, 8 or 16.
    - (C3) Of `pack_rhs`, `stream_rhs` and `read_rhs` one is said at most, of an `amx` not the second; `read_lhs` and
      `read_rhs` are of one product, and the first is not said with `pack_lhs`.
    - (C4) `amx`: `vector` is 16, 32 divides `block_k`, which is at most 2^20; sums, a column of lhs, or one tile of it where tiles have 16 columns, and one tile of rhs are at most 8 tiles.
    - (C5) `products` is 1, or 3, 6 or 9 of an `amx`.
    - (C6) `transposed` is not of an `amx`, and not said with `pack_lhs` or `pack_rhs`.

    Example: `#mp.contraction<block_m = 96, block_n = 256, block_k = 256, tile_m = 12, tile_n = 32, vector = 16>`,
    `#mp.contraction<block_m = 64, block_n = 64, block_k = 256, tile_m = 32, tile_n = 32, vector = 16, instruction = amx, products = 6>`
  }];
  let parameters = (ins "int64_t":$block_m, "int64_t":$block_n, "int64_t":$block_k, "int64_t":$tile_m,
                        "int64_t":$tile_n, "int64_t":$vector,
                        DefaultValuedParameter<"::mp::TileInstruction", "::mp::TileInstruction::Fma">:$instruction,
                        MP_OneOrMore<"products of parts for each of operands">:$products,
                        DefaultValuedParameter<"bool", "false">:$pack_lhs,
                        DefaultValuedParameter<"bool", "false">:$pack_rhs,
                        DefaultValuedParameter<"bool", "false">:$stream_rhs,
                        DefaultValuedParameter<"bool", "false">:$read_lhs,
                        DefaultValuedParameter<"bool", "false">:$read_rhs,
                        DefaultValuedParameter<"bool", "false">:$transposed);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = getKind # [{
    /// Into how many bf16 an operand is split for so many products; 1 where it is multiplied as it is.
    static int64_t partsOf(int64_t products) { return products == 1 ? 1 : products == 3 ? 2 : 3; }
    int64_t getParts() const { return partsOf(getProducts()); }
  }];
}

def MP_PackScheduleAttr : MP_ScheduleAttr<"Pack", "pack", MP_KindPack> {
  let summary = "an operand of a product, packed";
  let description = [{
    One block packs `panels` panels of one chunk of k. Grid: batch * chunks * ceil(panels of the operand / `panels`).

    Constraints:
    - (C1) Every parameter is positive.

    Example: `#mp.pack<panels = 4, vector = 16>`
  }];
  let parameters = (ins "int64_t":$panels, "int64_t":$vector);
  let assemblyFormat = "`<` struct(params) `>`";
}

// What multiplies on a GPU. Which chip has it, and what it multiplies, is in mp/Analysis/MatrixTiles.h.
def MP_MatrixInstruction : I32Enum<"MatrixInstruction", "what multiplies the tiles of a warp", [
    I32EnumCase<"Wmma16x16x16", 0, "wmma.m16n16k16">, I32EnumCase<"Mma16x8x8", 1, "mma.m16n8k8">,
    I32EnumCase<"Mma16x8x16", 2, "mma.m16n8k16">, I32EnumCase<"Mma16x8x8TF32", 3, "mma.m16n8k8.tf32">,
    I32EnumCase<"Fma", 4, "fma">]> {
  let cppNamespace = "::mp";
}

def MP_MmaScheduleAttr : MP_ScheduleAttr<"Mma", "mma", MP_KindContraction> {
  let summary = "a matrix product with a map prologue and a map epilogue, on a GPU";
  let description = [{
    One block, of `warps_m` x `warps_n` warps, computes `block_m` x `block_n` elements of the result, each warp an equal
    tile of them. It walks k in steps of `block_k`, `stages` of which are in shared memory at once: computed with, or on
    their way. `split_k` is the number of parts of `mp.matmul_parts`. Grid: split_k * batch * ceil(M / block_m) *
    ceil(N / block_n).

    Constraints:
    - (C1) Every parameter is positive; blocks and `stages` are at most 4096, `stages` is at least 2.
    - (C2) Blocks and warps are powers of two; warps divide blocks into tiles of at least 16 x 16 (16 x 32 of `fma`).
    - (C3) `block_k` is a power of two and at least 16 (8 of `fma` and of `mma.m16n8k8.tf32`).
    - (C4) A block has at most 32 warps.

    Example: `#mp.mma<block_m = 128, block_n = 128, block_k = 32, warps_m = 2, warps_n = 4, stages = 4, instruction = mma.m16n8k16>`
  }];
  let parameters = (ins "int64_t":$block_m, "int64_t":$block_n, "int64_t":$block_k, "int64_t":$warps_m,
                        "int64_t":$warps_n, "int64_t":$stages, MP_OneOrMore<"parts of k">:$split_k,
                        EnumParameter<MP_MatrixInstruction>:$instruction);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = getKind # [{
    int64_t getThreads() const { return 32 * getWarpsM() * getWarpsN(); }
    int64_t getWarpM() const { return getBlockM() / getWarpsM(); }
    int64_t getWarpN() const { return getBlockN() / getWarpsN(); }
  }];
}

def MP_MapScheduleAttr : MP_ScheduleAttr<"Map", "map", MP_KindMap> {
  let summary = "elements that depend on no other element of the kernel";
  let description = [{
    The results of one shape are one loop nest, in the order in which the shapes first appear among the results; one
    block computes `block` elements of one nest, in row-major order. Grid: the sum over nests of ceil(elements / block). On
    a GPU a thread may take fewer than `vector` elements of a nest, and a block as many fewer. On a CPU a nest that packs what it makes has blocks of whole rows of panels.

    With a `tile`, nests that are matrices that some transpose exchanges have blocks of `tile` rows and `tile`
    columns, batch * ceil(rows / tile) * ceil(columns / tile) of them; what is transposed passes through shared memory.

    Constraints:
    - (C1) Every parameter is positive; `vector` divides `block`.
    - (C2) With a `tile`, `block` is tile * tile and `vector` divides `tile`.

    Example: `#mp.map<block = 65536, vector = 8>`, `#mp.map<block = 4096, vector = 4, threads = 256>`,
    `#mp.map<block = 4096, vector = 2, threads = 256, tile = 64>`
  }];
  let parameters = (ins "int64_t":$block, "int64_t":$vector, MP_OneOrMore<"threads of a block">:$threads,
                        MP_OneOrMore<"rows and columns of a tile">:$tile);
  let assemblyFormat = "`<` struct(params) `>`";
}

def MP_RowScheduleAttr : MP_ScheduleAttr<"Row", "row", MP_KindRow> {
  let summary = "rows over the last dimension, each on its own";
  let description = [{
    One block computes `rows` rows, `threads_per_row` threads each, threads / threads_per_row rows at once. Grid: ceil(R / rows), R the product
    of all but the last dimension.

    Constraints:
    - (C1) Every parameter is positive; `threads_per_row` divides `threads`.

    Example: `#mp.row<rows = 32, vector = 8>`, `#mp.row<rows = 16, vector = 4, threads = 128, threads_per_row = 32>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$vector, MP_OneOrMore<"threads of a block">:$threads,
                        MP_OneOrMore<"threads of a row">:$threads_per_row);
  let assemblyFormat = "`<` struct(params) `>`";
}

def MP_ColumnScheduleAttr : MP_ScheduleAttr<"Column", "column", MP_KindColumn> {
  let summary = "reductions over leading dimensions, rows in order";
  let description = [{
    One block reduces `columns` columns of one matrix of one root, on a GPU no more than it has; or, on a CPU, where a
    matrix has fewer, all columns of several matrices; of matrices that are reduced together so many in all. Grid: the sum over roots of the blocks of all its matrices.

    Constraints:
    - (C1) Every parameter is positive; `vector` divides `columns`.

    Example: `#mp.column<columns = 64, vector = 16>`
  }];
  let parameters = (ins "int64_t":$columns, "int64_t":$vector, MP_OneOrMore<"threads of a block">:$threads);
  let assemblyFormat = "`<` struct(params) `>`";
}

def MP_PartialScheduleAttr : MP_ScheduleAttr<"Partial", "partial", MP_KindPartial> {
  let summary = "one value for each block of the elements of a tensor";
  let description = [{
    `block` is the `block` of every root, `mp.nonfinite_blocks` or `mp.sum_squares_blocks`. Grid: the sum over roots of
    ceil(elements / block).

    Constraints:
    - (C1) Every parameter is positive.

    Example: `#mp.partial<block = 65536, vector = 16>`
  }];
  let parameters = (ins "int64_t":$block, "int64_t":$vector, MP_OneOrMore<"threads of a block">:$threads);
  let assemblyFormat = "`<` struct(params) `>`";
}

def MP_SerialScheduleAttr : MP_ScheduleAttr<"Serial", "serial", MP_KindSerial> {
  let summary = "one block that runs op after op";
  let description = [{
    Intermediates lie in the kernel's scratch memory. Grid: 1.

    Constraints:
    - (C1) Every parameter is positive.

    Example: `#mp.serial<vector = 8>`
  }];
  let parameters = (ins "int64_t":$vector, MP_OneOrMore<"threads of a block">:$threads);
  let assemblyFormat = "`<` struct(params) `>`";
}

def MP_AttentionScheduleAttr : MP_ScheduleAttr<"Attention", "attention", MP_KindAttention> {
  let summary = "attention, or its gradient, whose scores never lie in memory";
  let description = [{
    Of `mp.attention` one block computes `queries` queries of one head and walks the keys, `keys` at once. Grid: batch * heads *
    ceil(T / queries). Of `mp.attention_grad` one block has all heads that share keys, and for each `keys` of these walks
    the queries, `queries` at once. Grid: batch * heads of keys. Products are made in register tiles of `tile` rows and
    at most `tile_vectors` vectors of `vector` columns.

    Constraints:
    - (C1) Every parameter is positive; `tile` divides `queries` and `keys`, and `vector` divides `keys`.

    Example: `#mp.attention<queries = 64, keys = 128, tile = 8, tile_vectors = 2, vector = 16>`
  }];
  let parameters = (ins "int64_t":$queries, "int64_t":$keys, "int64_t":$tile, "int64_t":$tile_vectors, "int64_t":$vector);
  let assemblyFormat = "`<` struct(params) `>`";
}

def MP_PanelsAttr : MP_Attr<"Panels", "panels"> {
  let summary = "how an operand of a product lies packed";
  let description = [{
    k is cut into chunks of `depth`, rows into panels of `rows`; `unit` neighbours in k are one word. A panel of a chunk
    is words [depth / unit][rows], with `depth_inner` [rows][depth / unit]. What is beyond the operand is 0. With `parts`
    each element is the sum of so many bf16, the largest first: instead of depth / unit words in k there are
    [depth / 32][parts][32 / unit].

    Constraints:
    - (C1) Every number is positive, and at most 2^20; `unit` divides `depth`.
    - (C2) `parts` is at most 3; of several, `unit` is 2 and 32 divides `depth`.

    Example: `#mp.panels<rows = 14, depth = 262, unit = 2, depth_inner = true>`,
    `#mp.panels<rows = 32, depth = 256, unit = 2, depth_inner = true, parts = 3>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$depth, "int64_t":$unit, "bool":$depth_inner,
                        MP_OneOrMore<"bf16 of each element">:$parts);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    /// Neighbours in k that lie together: those of a word, or those whose parts lie side by side.
    int64_t getStep() const { return getParts() > 1 ? ::mp::kDepthOfParts : getUnit(); }
  }];
  let genVerifyDecl = 1;
}

def MP_PackedAttr : MP_Attr<"Packed", "packed"> {
  let summary = "a matrix as `mp.pack` lays it out";
  let description = [{
    How a weight lies packed for products, as `mp.pack` of one batch gives it: its rows are rows of panels, or with
    `transposed` their k. One of three dimensions or more is `filters`.

    Example: `#mp.packed<transposed = true, panels = <rows = 32, depth = 256, unit = 2, depth_inner = false>>`
  }];
  let parameters = (ins "bool":$transposed, "::mp::PanelsAttr":$panels);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    /// What a weight of this type becomes, in elements of `element`.
    ::mlir::RankedTensorType getPackedType(::mlir::RankedTensorType weight, ::mlir::Type element) const;
    /// A word for names, "32x256x2t": rows and depth of a panel, the unit, and what differs from rows of words.
    std::string getWord() const;
  }];
}

#endif // MP_SCHEDULES_TD
