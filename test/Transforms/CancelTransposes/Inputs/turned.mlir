// Each sum reads a value and its transpose, by one permutation of which three make none.
func.func @turned(%x: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {
  %v0 = mp.relu %x : tensor<4x4x4xf32>
  %a0 = mp.transpose %v0 permutation [1, 2, 0] : tensor<4x4x4xf32> -> tensor<4x4x4xf32>
  %v1 = mp.add %a0, %v0 : tensor<4x4x4xf32>, tensor<4x4x4xf32> -> tensor<4x4x4xf32>
  %a1 = mp.transpose %v1 permutation [1, 2, 0] : tensor<4x4x4xf32> -> tensor<4x4x4xf32>
  %v2 = mp.add %a1, %v1 : tensor<4x4x4xf32>, tensor<4x4x4xf32> -> tensor<4x4x4xf32>
  %a2 = mp.transpose %v2 permutation [1, 2, 0] : tensor<4x4x4xf32> -> tensor<4x4x4xf32>
  %v3 = mp.add %a2, %v2 : tensor<4x4x4xf32>, tensor<4x4x4xf32> -> tensor<4x4x4xf32>
  return %v3 : tensor<4x4x4xf32>
}
