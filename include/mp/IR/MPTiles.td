// What ops say of the tiles in which products are made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lib/IR/ProductTiles.cpp has a line for each op. The questions of every op are in MPInterfaces.td: these are asked only by
// what schedules products, checks them, and makes their code.

#ifndef MP_TILES_TD
#define MP_TILES_TD

include "mlir/IR/OpBase.td"

def MP_TileReductionInterface : OpInterface<"TileReductionInterface"> {
  let cppNamespace = "::mp";
  let description = [{
    An operation of role tile: it reduces its first operand tile by tile, in the kernel of a product whose blocks are its
    tiles.
  }];
  let methods = [
    InterfaceMethod<"The tile of the first operand that a result, or a row of results, is of.", "::mp::ResultTile",
      "getTile">,
  ];
}

def MP_WinnerInterface : OpInterface<"WinnerInterface"> {
  let cppNamespace = "::mp";
  let description = [{
    A pooling that gives one pixel of each window as it is, and perhaps which one: nothing is rounded, so that a type that
    holds what is pooled holds the results.
  }];
  let methods = [
    InterfaceMethod<"Builds the same pooling of `lines` [N, pixels, C], each of which is one window.",
      "::mlir::Operation *", "poolLines", (ins "::mlir::ImplicitLocOpBuilder &":$b, "::mlir::Value":$lines)>,
  ];
}

#endif // MP_TILES_TD
