// Gives the precompiled header a target to live in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
