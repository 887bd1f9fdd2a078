// Types by the rates of a file in the place of the level's, whatever machine this is.

// DEFINE: %{tuning} = %S/Inputs/avx512bf16.tuning
// DEFINE: %{cost} = mp-opt %s -mp-autocast

// A file with the table's figures decides as the table does; the remark says that it was a file, and which.
// RUN: %{cost}="policy=auto features=avx512bf16" -o %t.table
// RUN: %{cost}="policy=auto features=avx512bf16 tuning=%{tuning}" -o %t.same
// RUN: diff %t.table %t.same
// RUN: %{cost}="policy=auto features=avx512bf16 tuning=%{tuning}" -remarks-filter=mp-autocast -o /dev/null 2>&1 | FileCheck %s --check-prefix=MODELLED
// MODELLED: Remark="a step on avx512bf16, tuning {{[0-9a-f]+}}, low where faster: bf16 {{[0-9.]+}} {{us|ms}}, f16

// The hash is of what the file says, not of where it is.
// RUN: cp %{tuning} %t.copy
// RUN: %{cost}="policy=auto features=avx512bf16 tuning=%{tuning}" -remarks-filter=mp-autocast -o /dev/null 2>&1 | grep -o 'tuning [0-9a-f]*' > %t.hash
// RUN: %{cost}="policy=auto features=avx512bf16 tuning=%t.copy" -remarks-filter=mp-autocast -o /dev/null 2>&1 | grep -o 'tuning [0-9a-f]*' | diff %t.hash -

// Where products of bf16 are ten times as slow they are f16, twice as fast as those of f32 here; where those of f16 are
// slow, too, f32.
// RUN: sed 's/"bf16": 3.6e+11/"bf16": 3.6e+10/; s/"f16": 1.95e+11/"f16": 3.9e+11/' %{tuning} > %t.other
// RUN: %{cost}="policy=auto features=avx512bf16 tuning=%t.other" | FileCheck %s --check-prefix=HALF
// RUN: sed 's/"f16": 3.9e+11/"f16": 1.95e+10/' %t.other > %t.slow
// RUN: %{cost}="policy=auto features=avx512bf16 tuning=%t.slow" | FileCheck %s --check-prefix=WIDE
// RUN: sed 's/"f16": 1.95e+11/"f16": 1.95e+12/' %{tuning} > %t.half
// RUN: %{cost}="policy=auto features=avx512bf16 tuning=%t.half" | FileCheck %s --check-prefix=HALF
// RUN: %{cost}="policy=mixed_float16 rule=cost features=avx512bf16 tuning=%t.half" | FileCheck %s --check-prefix=HALF
// RUN: FileCheck %s --check-prefix=LOW < %t.same

// Every figure counts: the same product, where converting takes long, and where memory or the cache is what it waits for.
// RUN: sed 's/"bf16": 4e+10/"bf16": 4e+8/' %{tuning} > %t.casts
// RUN: %{cost}="policy=auto type=bf16 features=avx512bf16 tuning=%t.casts" | FileCheck %s --check-prefix=WIDE
// RUN: sed 's/"memory_bytes_per_second": 1.5e+10/"memory_bytes_per_second": 1e+7/' %t.slow > %t.memory
// RUN: %{cost}="policy=auto type=bf16 features=avx512bf16 tuning=%t.memory" | FileCheck %s --check-prefix=LOW
// RUN: sed 's/"cache_bytes_per_second": 1e+11/"cache_bytes_per_second": 1e+6/; s/"cache_bytes": 1048576/"cache_bytes": 8388608/' %t.slow > %t.cache
// RUN: %{cost}="policy=auto type=bf16 features=avx512bf16 tuning=%t.cache" -remarks-filter=mp-autocast -o /dev/null 2>&1 | FileCheck %s --check-prefix=SECONDS
// SECONDS: bf16 {{[0-9.]+}}e+03 ms, f32 {{[0-9.]+}}e+0{{[34]}} ms

// RUN: not %{cost}="policy=auto features=avx2 tuning=%{tuning}" 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: error: mp-autocast: tuning={{.*}}avx512bf16.tuning: is of level avx512bf16, and the target's is avx2; name the file's by target=cpu:avx512bf16, or measure the target's by mp-run tune
// RUN: not %{cost}="policy=auto features=avx512bf16 tuning=%t.none" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: mp-autocast: tuning: {{.*}}.none: cannot open: No such file or directory

// LOW: mp.matmul {{.*}} -> tensor<512x512xbf16>
// WIDE: mp.matmul {{.*}} -> tensor<512x512xf32>
// HALF: mp.matmul {{.*}} -> tensor<512x512xf16>
func.func @large(%x: tensor<512x512xf32> {mp.parameter = "x"}, %w: tensor<512x512xf32> {mp.parameter = "w"}) -> tensor<512x512xf32> {
  %0 = mp.matmul %x, %w acc f32 : tensor<512x512xf32>, tensor<512x512xf32> -> tensor<512x512xf32>
  %1 = mp.relu %0 : tensor<512x512xf32>
  return %1 : tensor<512x512xf32>
}
