// From programs to kernels with a schedule and buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the order in which the pipeline runs them (docs/kernels.md).

#ifndef MP_KERNELS_PASSES_TD
#define MP_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

// What the passes that choose by a machine take.
class Options<list<Option> those> { list<Option> options = those; }
def Machine : Options<[
    Option<"features", "features", "std::string", "\"avx2\"",
           "What the kernels run on: a level of CPU features, such as avx2, or a chip, such as sm_80">,
  ]>;

def DecomposePass : Pass<"mp-decompose", "::mlir::func::FuncOp"> {
  let summary = "replace composite ops by what kernels hold";
  let description = [{
    Losses, unscaling, finite checks, norms and clipping become rows, maps, partial results and scalars, convolutions of
    single channels maps and sums, sums of few long columns two steps. Nothing but this pass knows how. The operand `like`, of which only the shape was read, is dropped. What has no elements, and what is
    reduced of no elements, becomes a constant: a sum or a product over no k is 0, a mean NaN, a maximum -inf. A slice of a
    slice becomes one of what the first is taken of. A program
    gets `mp.statistics`: what its ops compute in, as they are before.

    Attention stays whole where the machine that `features` names has an emitter that walks its keys: on a CPU, without dropout.
    Elsewhere it becomes products, rows and maps, and a remark (`mp-decompose`) tells the bytes of the scores, which then lie
    in memory.

    Needs static shapes (`mp-specialize`) and no region ops (`mp-autocast`); else it names the op and the pass.

    Example:

    ```mlir
    func.func @loss(%z: tensor<4x10xf16>, %y: tensor<4xui8>) -> tensor<f32> {
      %l = mp.softmax_cross_entropy %z, %y : tensor<4x10xf16>, tensor<4xui8> -> tensor<f32>
      return %l : tensor<f32>
    }
    // becomes
    func.func @loss(%z: tensor<4x10xf16>, %y: tensor<4xui8>) -> tensor<f32> {
      %r = mp.softmax_cross_entropy_rows %z, %y : tensor<4x10xf16>, tensor<4xui8> -> tensor<4xf32>
      %l = mp.reduce_mean %r dimensions [0] : tensor<4xf32> -> tensor<f32>
      return %l : tensor<f32>
    }
    ```
  }];
  let dependentDialects = ["::mp::MPDialect"];
  let options = Machine.options;
}

def PadChannelsPass : Pass<"mp-pad-channels", "::mlir::func::FuncOp"> {
  let summary = "make pixels of a convolution whole accesses of a GPU";
  let description = [{
    Of three channels in 16 bits a pixel is 6 bytes, and a GPU copies it element by element. Where windows read each pixel
    several times, images and filters of 3 channels or more get channels of zeros, so that a pixel is a multiple of 8
    bytes; of a gradient in such a filter, or in such an image, what belongs to the zeros is left out. A copy is an op of
    its own, which all that reads the image shares (`cse`). Where windows advance by an even number of pixels, two pixels
    of a line become one of twice the channels, 16 bytes; what a filter lacks of whole pairs is taps of zeros.
    An image that elementwise ops make of one in memory, as of bytes, is copied as it lies there, with its first channel
    for zeros, and converted then, by the same kernel. Of one or two channels, in integers, what a window reads of a
    line is copied as the channels of one pixel, so that a line of the filter is one tap.

    No finite value changes but by the order in which an instruction adds up products. A tap of zeros meets a pixel beside
    the window: where that is infinite or NaN the result is NaN, and where a gradient of the result is, that of the pixel.
    CPUs, convolutions in groups and other types stay as they are. A remark tells what was padded. Needs static shapes.

    Example, `mp-pad-channels{features=sm_80}`:

    ```mlir
    func.func @f(%x: tensor<8x32x32x3xf16>, %w: tensor<16x3x3x3xf16>) -> tensor<8x30x30x16xf16> {
      %y = mp.conv %x, %w acc f32 : tensor<8x32x32x3xf16>, tensor<16x3x3x3xf16> -> tensor<8x30x30x16xf16>
      return %y : tensor<8x30x30x16xf16>
    }
    // becomes
    func.func @f(%x: tensor<8x32x32x3xf16>, %w: tensor<16x3x3x3xf16>) -> tensor<8x30x30x16xf16> {
      %0 = mp.pad %x low [0, 0, 0, 0] high [0, 0, 0, 1] : tensor<8x32x32x3xf16> -> tensor<8x32x32x4xf16>
      %1 = mp.pad %w low [0, 0, 0, 0] high [0, 0, 0, 1] : tensor<16x3x3x3xf16> -> tensor<16x3x3x4xf16>
      %y = mp.conv %0, %1 acc f32 : tensor<8x32x32x4xf16>, tensor<16x3x3x4xf16> -> tensor<8x30x30x16xf16>
      return %y : tensor<8x30x30x16xf16>
    }
    ```
  }];
  let dependentDialects = ["::mp::MPDialect"];
  let options = Machine.options;
}

def FormKernelsPass : Pass<"mp-form-kernels", "::mlir::func::FuncOp"> {
  let summary = "gather the ops of a program into kernels";
  let description = [{
    Every op moves into an `mp.kernel`: elementwise chains into the kernel of their producer or consumer, a contraction
    with its epilogue and the casts of its operands, a reduction with what feeds it. Kernels of one kind that do not
    depend on each other become one: column sums, finite checks, optimizer updates, scalars, and the rows of one tensor.
    Values that are cheap to compute again (casts, splat constants, iota) are computed in each kernel that reads them. A
    reshape stays outside as a view, and a constant that is no splat as data.

    No value changes: a kernel's body holds the same ops on the same types. Depends on no target.

    Needs `mp-decompose`. A remark tells how many kernels there are.

    Example:

    ```mlir
    func.func @dense(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
      %h = mp.matmul %x, %w acc f32 : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
      %r = mp.relu %h : tensor<4x2xf32>
      return %r : tensor<4x2xf32>
    }
    // becomes
    func.func @dense(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
      %r = mp.kernel "matmul_0" (%a = %x, %b = %w) : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32> {
        %0 = mp.matmul %a, %b acc f32 : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
        %1 = mp.relu %0 : tensor<4x2xf32>
        mp.yield %1 : tensor<4x2xf32>
      }
      return %r : tensor<4x2xf32>
    }
    ```
  }];
  let dependentDialects = ["::mp::MPDialect"];
}

def ProductRounding : Options<[
    Option<"allowTF32", "allow-tf32", "bool", "false",
           "Matrix products of f32 on GPUs round their operands to tf32, where the chip multiplies that">,
    Option<"allowFP16ReducedPrecisionReduction", "allow-fp16-reduced-precision-reduction", "bool", "false",
           "Matrix products of f16 whose k is cut into parts round the sum of each part to f16">,
    Option<"allowBF16ReducedPrecisionReduction", "allow-bf16-reduced-precision-reduction", "bool", "false",
           "The same of bf16">,
    Option<"allowBF16x3", "allow-bf16x3", "bool", "false",
           "Matrix products of f32 on a CPU with tiles of bf16 are sums of 3 products of two bf16 each operand">,
    Option<"allowBF16x6", "allow-bf16x6", "bool", "false", "The same with 6 products of three bf16">,
    Option<"allowBF16x9", "allow-bf16x9", "bool", "false", "The same with all 9 products">,
  ]>;

def SplitContractionsPass : Pass<"mp-split-contractions", "::mlir::func::FuncOp"> {
  let summary = "cut long products over few blocks into parts";
  let description = [{
    A product with a long k and few blocks leaves most of a GPU idle. Where the cost model says that it is worth a
    second kernel, the product's kernel becomes two: `mp.matmul_parts` sums parts of k into a value of its own, and what
    is left adds these up in order, in f32 (f64 for f64), and does what followed the product. A product whose text gives
    it a schedule (`mp.schedule`) is cut as that says. On a CPU products of few rows are cut, whose right operand is
    read once, at the speed of memory: each thread reads whole rows, which lie together; and gradients of filters, into
    parts of whole images (`mp.conv_filter_grad_parts`).

    Needs `mp-form-kernels`. After it no product's schedule has more parts of k than the product, which
    `mp-verify-kernels{scheduled}` checks. A remark tells where sums of parts are rounded, as an option allows.

    Example, `mp-split-contractions{features=sm_80}`:

    ```mlir
    func.func @gradient(%x: tensor<64x64xf16>, %y: tensor<64x64xf16>) -> tensor<64x64xf16> {
      %w = mp.kernel "matmul_0" (%a = %x, %b = %y) : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16> {
        %0 = mp.matmul %a, %b acc f32 {mp.schedule = #mp.mma<block_m = 64, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 2, split_k = 2, instruction = mma.m16n8k16>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf16>
        mp.yield %0 : tensor<64x64xf16>
      }
      return %w : tensor<64x64xf16>
    }
    // becomes
    func.func @gradient(%x: tensor<64x64xf16>, %y: tensor<64x64xf16>) -> tensor<64x64xf16> {
      %p = mp.kernel "matmul_0.parts" (%a = %x, %b = %y) : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<2x64x64xf32> {
        %0 = mp.matmul_parts %a, %b depth 32 acc f32 {mp.schedule = #mp.mma<block_m = 64, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 2, split_k = 2, instruction = mma.m16n8k16>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<2x64x64xf32>
        mp.yield %0 : tensor<2x64x64xf32>
      }
      %w = mp.kernel "matmul_0" (%a = %p) : (tensor<2x64x64xf32>) -> tensor<64x64xf16> {
        %0 = mp.reduce_sum %a dimensions [0] : tensor<2x64x64xf32> -> tensor<64x64xf32>
        %1 = mp.cast %0 : tensor<64x64xf32> -> tensor<64x64xf16>
        mp.yield %1 : tensor<64x64xf16>
      }
      return %w : tensor<64x64xf16>
    }
    ```
  }];
  let dependentDialects = ["::mp::MPDialect"];
  let options = Machine.options # ProductRounding.options;
}

def ScheduleKernelsPass : Pass<"mp-schedule-kernels", "::mlir::func::FuncOp"> {
  let summary = "give each kernel a schedule";
  let description = [{
    The kind of a schedule follows from the kernel's body, its numbers from shapes and the row of the level or the chip
    in its table, never from the machine that compiles or the number of threads.

    Needs `mp-form-kernels`, and `mp-split-contractions` where a GPU is to run the kernels. `features` names a level of
    CPU features (`avx2`) or a chip (`sm_80`); one that is in neither table is an error.

    Example, `mp-schedule-kernels{features=avx2}`:

    ```mlir
    func.func @infer(%x: tensor<64xf32> {mp.input = "x"}) -> (tensor<64xf32> {mp.output = "y"})
        attributes {mp.program = "infer", mp.batch = 64 : i64} {
      %y = mp.kernel "relu_0" (%a = %x) : (tensor<64xf32>) -> tensor<64xf32> {
        %0 = mp.relu %a : tensor<64xf32>
        mp.yield %0 : tensor<64xf32>
      }
      return %y : tensor<64xf32>
    }
    // becomes
    func.func @infer(%x: tensor<64xf32> {mp.input = "x"}) -> (tensor<64xf32> {mp.output = "y"})
        attributes {mp.program = "infer", mp.batch = 64 : i64} {
      %y = mp.kernel "relu_0" (%a = %x) schedule(#mp.map<block = 1024, vector = 8>) : (tensor<64xf32>) -> tensor<64xf32> {
        %0 = mp.relu %a : tensor<64xf32>
        mp.yield %0 : tensor<64xf32>
      }
      return %y : tensor<64xf32>
    }
    ```
  }];
  let dependentDialects = ["::mp::MPDialect"];
  let options = Machine.options # ProductRounding.options;
}

def PackOperandsPass : Pass<"mp-pack-operands", "::mlir::func::FuncOp"> {
  let summary = "pack operands once that several blocks read";
  let description = [{
    A product on a CPU packs its operands block by block. Where its schedule says `pack_lhs` or `pack_rhs`, because so
    many blocks read the operand that this costs more than a kernel, a kernel in front of the product's packs it, with
    what computes it, and the product reads it through `mp.unpack`. No bit changes.

    Needs `mp-schedule-kernels`, and does nothing where no schedule asks for it.

    Example:

    ```mlir
    func.func @f(%x: tensor<28x64xf32>, %w: tensor<64x512xf32>) -> tensor<28x512xf32> {
      %y = mp.kernel "matmul_0" (%a = %x, %b = %w) schedule(#mp.contraction<block_m = 28, block_n = 32, block_k = 64, tile_m = 14, tile_n = 32, vector = 16, pack_lhs = true>) : (tensor<28x64xf32>, tensor<64x512xf32>) -> tensor<28x512xf32> {
        %0 = mp.matmul %a, %b acc f32 : tensor<28x64xf32>, tensor<64x512xf32> -> tensor<28x512xf32>
        mp.yield %0 : tensor<28x512xf32>
      }
      return %y : tensor<28x512xf32>
    }
    // becomes
    func.func @f(%x: tensor<28x64xf32>, %w: tensor<64x512xf32>) -> tensor<28x512xf32> {
      %p = mp.kernel "matmul_0.lhs" (%a = %x) schedule(#mp.pack<panels = 2, vector = 16>) : (tensor<28x64xf32>) -> tensor<1x1x2x896xf32> {
        %0 = mp.pack %a batches 1 panels <rows = 14, depth = 64, unit = 1, depth_inner = true> : tensor<28x64xf32> -> tensor<1x1x2x896xf32>
        mp.yield %0 : tensor<1x1x2x896xf32>
      }
      %y = mp.kernel "matmul_0" (%a = %p, %b = %w) schedule(#mp.contraction<block_m = 28, block_n = 32, block_k = 64, tile_m = 14, tile_n = 32, vector = 16, pack_lhs = true>) : (tensor<1x1x2x896xf32>, tensor<64x512xf32>) -> tensor<28x512xf32> {
        %0 = mp.unpack %a batches 1 panels <rows = 14, depth = 64, unit = 1, depth_inner = true> : tensor<1x1x2x896xf32> -> tensor<28x64xf32>
        %1 = mp.matmul %0, %b acc f32 : tensor<28x64xf32>, tensor<64x512xf32> -> tensor<28x512xf32>
        mp.yield %1 : tensor<28x512xf32>
      }
      return %y : tensor<28x512xf32>
    }
    ```
  }];
  let dependentDialects = ["::mp::MPDialect"];
}

def PackWeightsPass : Pass<"mp-pack-weights", "::mlir::ModuleOp"> {
  let summary = "keep weights packed between steps that products read packed";
  let description = [{
    A kernel that packs derived state, as `mp-pack-operands` makes them for the weights of a low type, gives the same in
    every run until the weight changes. It becomes derived state of its own, `w/bf16@LAYOUT`: programs read it, `derive`
    makes it, and whatever writes the parameter writes it. A map that computes the next weight packs it as it does so, rows of
    the matrix at a time; else a kernel behind it does. A copy in row-major order that no program reads any more is gone.

    Where the module trains, layouts are those that `train_step` and `accumulate` read; `eval` and `infer` take what is
    there and pack the rest. No bit changes.

    Needs `mp-pack-operands` in all programs, and program `derive`.

    Example:

    ```mlir
    func.func @infer(%x: tensor<4x2xbf16> {mp.input = "x"}, %w: tensor<2x3xbf16> {mp.derived = #mp.derived<of = "w", type = bf16, layout = #mp.row_major>})
        -> (tensor<4x3xbf16> {mp.output = "y"}) attributes {mp.program = "infer"} {
      %p = mp.kernel "matmul_0.rhs" (%a = %w) schedule(#mp.pack<panels = 1, vector = 16>) : (tensor<2x3xbf16>) -> tensor<1x1x1x512xbf16> {
        %0 = mp.pack %a batches 1 transposed panels <rows = 16, depth = 32, unit = 2, depth_inner = false> : tensor<2x3xbf16> -> tensor<1x1x1x512xbf16>
        mp.yield %0 : tensor<1x1x1x512xbf16>
      }
      %y = mp.kernel "matmul_0" (%a = %x, %b = %p) : (tensor<4x2xbf16>, tensor<1x1x1x512xbf16>) -> tensor<4x3xbf16> {
        %0 = mp.unpack %b batches 1 transposed panels <rows = 16, depth = 32, unit = 2, depth_inner = false> : tensor<1x1x1x512xbf16> -> tensor<2x3xbf16>
        %1 = mp.matmul %a, %0 acc f32 : tensor<4x2xbf16>, tensor<2x3xbf16> -> tensor<4x3xbf16>
        mp.yield %1 : tensor<4x3xbf16>
      }
      return %y : tensor<4x3xbf16>
    }
    func.func @derive(%w: tensor<2x3xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
        -> (tensor<2x3xbf16> {mp.derived = #mp.derived<of = "w", type = bf16, layout = #mp.row_major>}) attributes {mp.program = "derive"} {
      %c = mp.kernel "cast_0" (%a = %w) : (tensor<2x3xf32>) -> tensor<2x3xbf16> {
        %0 = mp.cast %a {autocast} : tensor<2x3xf32> -> tensor<2x3xbf16>
        mp.yield %0 : tensor<2x3xbf16>
      }
      return %c : tensor<2x3xbf16>
    }
    // becomes
    func.func @infer(%x: tensor<4x2xbf16> {mp.input = "x"}, %p: tensor<1x1x1x512xbf16> {mp.derived = #mp.derived<of = "w", type = bf16, layout = #mp.packed<transposed = true, panels = <rows = 16, depth = 32, unit = 2, depth_inner = false>>>})
        -> (tensor<4x3xbf16> {mp.output = "y"}) attributes {mp.program = "infer"} {
      %y = mp.kernel "matmul_0" (%a = %x, %b = %p) : (tensor<4x2xbf16>, tensor<1x1x1x512xbf16>) -> tensor<4x3xbf16> {
        %0 = mp.unpack %b batches 1 transposed panels <rows = 16, depth = 32, unit = 2, depth_inner = false> : tensor<1x1x1x512xbf16> -> tensor<2x3xbf16>
        %1 = mp.matmul %a, %0 acc f32 : tensor<4x2xbf16>, tensor<2x3xbf16> -> tensor<4x3xbf16>
        mp.yield %1 : tensor<4x3xbf16>
      }
      return %y : tensor<4x3xbf16>
    }
    func.func @derive(%w: tensor<2x3xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
        -> (tensor<1x1x1x512xbf16> {mp.derived = #mp.derived<of = "w", type = bf16, layout = #mp.packed<transposed = true, panels = <rows = 16, depth = 32, unit = 2, depth_inner = false>>>}) attributes {mp.program = "derive"} {
      %c = mp.kernel "cast_0.pack" (%a = %w) schedule(#mp.pack<panels = 1, vector = 16>) : (tensor<2x3xf32>) -> tensor<1x1x1x512xbf16> {
        %0 = mp.cast %a {autocast} : tensor<2x3xf32> -> tensor<2x3xbf16>
        %1 = mp.pack %0 batches 1 transposed panels <rows = 16, depth = 32, unit = 2, depth_inner = false> : tensor<2x3xbf16> -> tensor<1x1x1x512xbf16>
        mp.yield %1 : tensor<1x1x1x512xbf16>
      }
      return %c : tensor<1x1x1x512xbf16>
    }
    ```
  }];
  let dependentDialects = ["::mp::MPDialect"];
}

def ReduceInTilesPass : Pass<"mp-reduce-in-tiles", "::mlir::func::FuncOp"> {
  let summary = "reduce what a product makes where it is made";
  let description = [{
    A sum over the rows of what a scheduled product makes (a bias gradient), and a finite check of it, read from memory
    what a block of the product had in registers. They move into the product's kernel: the sum becomes
    `mp.sum_row_blocks`, a row for each block of rows, which the old kernel adds up, and the check `mp.nonfinite_tiles`.
    A kernel that nothing is left of goes; one that is left gets a schedule for what it does now. `mp.row_block_moments`,
    which is in a product's kernel from the start, gets the blocks of its schedule, and so do its readers.

    Needs `mp-schedule-kernels`. Sums over rows move where products have the schedule of a GPU; checks move on a CPU,
    too. After it the blocks and tiles of these ops are those of the product's schedule, which
    `mp-verify-kernels{scheduled}` checks.

    Example, `mp-reduce-in-tiles{features=sm_80}`:

    ```mlir
    func.func @backward(%x: tensor<128x64xf16>, %y: tensor<64x64xf16>) -> (tensor<128x64xf16>, tensor<64xf16>) {
      %g = mp.kernel "matmul_0" (%a = %x, %b = %y) schedule(#mp.mma<block_m = 64, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 2, instruction = mma.m16n8k16>) : (tensor<128x64xf16>, tensor<64x64xf16>) -> tensor<128x64xf16> {
        %0 = mp.matmul %a, %b acc f32 : tensor<128x64xf16>, tensor<64x64xf16> -> tensor<128x64xf16>
        mp.yield %0 : tensor<128x64xf16>
      }
      %s = mp.kernel "sums" (%a = %g) schedule(#mp.column<columns = 64, vector = 8, threads = 256>) : (tensor<128x64xf16>) -> tensor<64xf16> {
        %0 = mp.reduce_sum %a dimensions [0] : tensor<128x64xf16> -> tensor<64xf16>
        mp.yield %0 : tensor<64xf16>
      }
      return %g, %s : tensor<128x64xf16>, tensor<64xf16>
    }
    // becomes
    func.func @backward(%x: tensor<128x64xf16>, %y: tensor<64x64xf16>) -> (tensor<128x64xf16>, tensor<64xf16>) {
      %g:2 = mp.kernel "matmul_0" (%a = %x, %b = %y) schedule(#mp.mma<block_m = 64, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 2, instruction = mma.m16n8k16>) : (tensor<128x64xf16>, tensor<64x64xf16>) -> (tensor<128x64xf16>, tensor<2x64xf32>) {
        %0 = mp.matmul %a, %b acc f32 : tensor<128x64xf16>, tensor<64x64xf16> -> tensor<128x64xf16>
        %1 = mp.sum_row_blocks %0 block 64 : tensor<128x64xf16> -> tensor<2x64xf32>
        mp.yield %0, %1 : tensor<128x64xf16>, tensor<2x64xf32>
      }
      %s = mp.kernel "sums" (%a = %g#1) schedule(#mp.column<columns = 64, vector = 8, threads = 256>) : (tensor<2x64xf32>) -> tensor<64xf16> {
        %0 = mp.reduce_sum %a dimensions [0] : tensor<2x64xf32> -> tensor<64xf32>
        %1 = mp.cast %0 : tensor<64xf32> -> tensor<64xf16>
        mp.yield %1 : tensor<64xf16>
      }
      return %g#0, %s : tensor<128x64xf16>, tensor<64xf16>
    }
    ```
  }];
  let dependentDialects = ["::mp::MPDialect"];
  let options = Machine.options;
}

def PoolInBlocksPass : Pass<"mp-pool-in-blocks", "::mlir::func::FuncOp"> {
  let summary = "pool what a product makes where it is made";
  let description = [{
    A pooling, and the maps behind it, of what a scheduled product makes and nobody else reads, move into the product's
    kernel: what was pooled has no buffer. On a CPU each block has to have whole windows and all channels, and pools what it
    has made while the caches hold it. On a GPU a warp pools what it has in shared memory, windows of 2, 4, 8 or 16 pixels that
    do not overlap, their largest values: rows of the product are pixels by window there.

    Needs `mp-schedule-kernels`.

    Example:

    ```mlir
    func.func @infer(%x: tensor<2x4x4x8xf32>, %w: tensor<16x1x1x8xf32>) -> tensor<2x2x2x16xf32> {
      %y = mp.kernel "conv_0" (%a = %x, %b = %w) schedule(#mp.contraction<block_m = 32, block_n = 16, block_k = 8, tile_m = 8, tile_n = 16, vector = 8>) : (tensor<2x4x4x8xf32>, tensor<16x1x1x8xf32>) -> tensor<2x4x4x16xf32> {
        %0 = mp.conv %a, %b acc f32 : tensor<2x4x4x8xf32>, tensor<16x1x1x8xf32> -> tensor<2x4x4x16xf32>
        mp.yield %0 : tensor<2x4x4x16xf32>
      }
      %p = mp.kernel "max_pool_1" (%a = %y) schedule(#mp.map<block = 128, vector = 8>) : (tensor<2x4x4x16xf32>) -> tensor<2x2x2x16xf32> {
        %0 = mp.max_pool %a {window = [2, 2]} : tensor<2x4x4x16xf32> -> tensor<2x2x2x16xf32>
        mp.yield %0 : tensor<2x2x2x16xf32>
      }
      return %p : tensor<2x2x2x16xf32>
    }
    // becomes
    func.func @infer(%x: tensor<2x4x4x8xf32>, %w: tensor<16x1x1x8xf32>) -> tensor<2x2x2x16xf32> {
      %p = mp.kernel "conv_0" (%a = %x, %b = %w) schedule(#mp.contraction<block_m = 32, block_n = 16, block_k = 8, tile_m = 8, tile_n = 16, vector = 8>) : (tensor<2x4x4x8xf32>, tensor<16x1x1x8xf32>) -> tensor<2x2x2x16xf32> {
        %0 = mp.conv %a, %b acc f32 : tensor<2x4x4x8xf32>, tensor<16x1x1x8xf32> -> tensor<2x4x4x16xf32>
        %1 = mp.max_pool %0 {window = [2, 2]} : tensor<2x4x4x16xf32> -> tensor<2x2x2x16xf32>
        mp.yield %1 : tensor<2x2x2x16xf32>
      }
      return %p : tensor<2x2x2x16xf32>
    }
    ```
  }];
  let dependentDialects = ["::mp::MPDialect"];
}

def PlanBuffersPass : Pass<"mp-plan-buffers", "::mlir::func::FuncOp"> {
  let summary = "give each value its buffer";
  let description = [{
    A result of a kernel lies in a result of the program, in the state whose next value it is, or in the arena, where
    values that are never live at once share bytes. A next value is written in place when no later kernel reads the old
    one and the writing kernel reads it, if at all, only at the index it writes; else it goes to the arena and an
    `mp.copy` at the end moves it. A result that is an argument, a constant or a second name of a value becomes an
    `mp.copy`, too. Arena offsets are multiples of 64. A map kernel all of whose results are next values in place, with
    their old bits on a skipped step, gets the `guard` by which its blocks skip it.

    A remark tells the bytes of the arena, of state and of both. Needs `mp-form-kernels`.

    Example:

    ```mlir
    func.func @infer(%x: tensor<64xf32> {mp.input = "x"}) -> (tensor<64xf32> {mp.output = "y"})
        attributes {mp.program = "infer", mp.batch = 64 : i64} {
      %y = mp.kernel "relu_0" (%a = %x) schedule(#mp.map<block = 1024, vector = 8>) : (tensor<64xf32>) -> tensor<64xf32> {
        %0 = mp.relu %a : tensor<64xf32>
        mp.yield %0 : tensor<64xf32>
      }
      return %y : tensor<64xf32>
    }
    // becomes
    func.func @infer(%x: tensor<64xf32> {mp.input = "x"}) -> (tensor<64xf32> {mp.output = "y"})
        attributes {mp.program = "infer", mp.batch = 64 : i64} {
      %y = mp.kernel "relu_0" (%a = %x) schedule(#mp.map<block = 1024, vector = 8>) buffers([#mp.result<0>]) : (tensor<64xf32>) -> tensor<64xf32> {
        %0 = mp.relu %a : tensor<64xf32>
        mp.yield %0 : tensor<64xf32>
      }
      return %y : tensor<64xf32>
    }
    ```
  }];
  let dependentDialects = ["::mp::MPDialect"];
}

def VerifyKernelsPass : Pass<"mp-verify-kernels", "::mlir::func::FuncOp"> {
  let summary = "check that a program is kernels only";
  let description = [{
    After `mp-form-kernels` a program holds `mp.kernel`, `mp.constant`, `mp.reshape` (a view), `mp.copy` and
    `func.return`. With `scheduled` every kernel has a schedule that fits its body, with `planned` every kernel has buffers,
    inside the arena, values that are live at once do not overlap, and a guarded kernel changes nothing on a skipped step.
    What does not hold is an error at the op.

    Example, an error at `mp.relu`:

    ```mlir
    func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {
      %y = mp.relu %x : tensor<64xf32>
      return %y : tensor<64xf32>
    }
    ```
  }];
  let options = [
    Option<"scheduled", "scheduled", "bool", "false", "Every kernel has a schedule that fits its body">,
    Option<"planned", "planned", "bool", "false", "Every kernel has buffers, which do not overlap">,
  ];
}

#endif // MP_KERNELS_PASSES_TD
