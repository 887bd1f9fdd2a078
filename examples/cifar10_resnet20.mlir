// ResNet-20 for CIFAR-10 (He and others 2015, section 4.2): 19 convolutions in three stages of 16, 32 and 64 channels, batch
// normalization after each, shortcuts around each two, the mean of all pixels and a dense layer; 272,474 parameters.
//
//   mp-run train examples/cifar10_resnet20.mlir --data=cifar-10-batches-bin --augment=flip,crop:4 --policy=mixed_bfloat16 --batch-size=128 --optimizer=sgd --momentum=0.9 --weight-decay=0.0001 --learning-rate=0.1 --epochs=10
//
// The two shortcuts that change the number of channels are convolutions of 1x1 (option B there). Running means and variances
// are state that each good step moves; eval and infer normalize by them.
func.func @cifar10_resnet20(
    %x: tensor<?x32x32x3xui8> {mp.input = "x"},
    %y: tensor<?xui8> {mp.input = "y"},
    %conv0_kernel: tensor<16x3x3x3xf32> {mp.parameter = "conv0.kernel", mp.initializer = #mp.he_normal<seed = 1>},
    %bn0_scale: tensor<16xf32> {mp.parameter = "bn0.scale", mp.initializer = #mp.ones},
    %bn0_offset: tensor<16xf32> {mp.parameter = "bn0.offset", mp.initializer = #mp.zeros},
    %bn0_mean: tensor<16xf32> {mp.state = "bn0.running_mean", mp.initializer = #mp.zeros},
    %bn0_variance: tensor<16xf32> {mp.state = "bn0.running_variance", mp.initializer = #mp.ones},
    %s1b1_conv1_kernel: tensor<16x3x3x16xf32> {mp.parameter = "s1b1.conv1.kernel", mp.initializer = #mp.he_normal<seed = 2>},
    %s1b1_bn1_scale: tensor<16xf32> {mp.parameter = "s1b1.bn1.scale", mp.initializer = #mp.ones},
    %s1b1_bn1_offset: tensor<16xf32> {mp.parameter = "s1b1.bn1.offset", mp.initializer = #mp.zeros},
    %s1b1_bn1_mean: tensor<16xf32> {mp.state = "s1b1.bn1.running_mean", mp.initializer = #mp.zeros},
    %s1b1_bn1_variance: tensor<16xf32> {mp.state = "s1b1.bn1.running_variance", mp.initializer = #mp.ones},
    %s1b1_conv2_kernel: tensor<16x3x3x16xf32> {mp.parameter = "s1b1.conv2.kernel", mp.initializer = #mp.he_normal<seed = 3>},
    %s1b1_bn2_scale: tensor<16xf32> {mp.parameter = "s1b1.bn2.scale", mp.initializer = #mp.ones},
    %s1b1_bn2_offset: tensor<16xf32> {mp.parameter = "s1b1.bn2.offset", mp.initializer = #mp.zeros},
    %s1b1_bn2_mean: tensor<16xf32> {mp.state = "s1b1.bn2.running_mean", mp.initializer = #mp.zeros},
    %s1b1_bn2_variance: tensor<16xf32> {mp.state = "s1b1.bn2.running_variance", mp.initializer = #mp.ones},
    %s1b2_conv1_kernel: tensor<16x3x3x16xf32> {mp.parameter = "s1b2.conv1.kernel", mp.initializer = #mp.he_normal<seed = 4>},
    %s1b2_bn1_scale: tensor<16xf32> {mp.parameter = "s1b2.bn1.scale", mp.initializer = #mp.ones},
    %s1b2_bn1_offset: tensor<16xf32> {mp.parameter = "s1b2.bn1.offset", mp.initializer = #mp.zeros},
    %s1b2_bn1_mean: tensor<16xf32> {mp.state = "s1b2.bn1.running_mean", mp.initializer = #mp.zeros},
    %s1b2_bn1_variance: tensor<16xf32> {mp.state = "s1b2.bn1.running_variance", mp.initializer = #mp.ones},
    %s1b2_conv2_kernel: tensor<16x3x3x16xf32> {mp.parameter = "s1b2.conv2.kernel", mp.initializer = #mp.he_normal<seed = 5>},
    %s1b2_bn2_scale: tensor<16xf32> {mp.parameter = "s1b2.bn2.scale", mp.initializer = #mp.ones},
    %s1b2_bn2_offset: tensor<16xf32> {mp.parameter = "s1b2.bn2.offset", mp.initializer = #mp.zeros},
    %s1b2_bn2_mean: tensor<16xf32> {mp.state = "s1b2.bn2.running_mean", mp.initializer = #mp.zeros},
    %s1b2_bn2_variance: tensor<16xf32> {mp.state = "s1b2.bn2.running_variance", mp.initializer = #mp.ones},
    %s1b3_conv1_kernel: tensor<16x3x3x16xf32> {mp.parameter = "s1b3.conv1.kernel", mp.initializer = #mp.he_normal<seed = 6>},
    %s1b3_bn1_scale: tensor<16xf32> {mp.parameter = "s1b3.bn1.scale", mp.initializer = #mp.ones},
    %s1b3_bn1_offset: tensor<16xf32> {mp.parameter = "s1b3.bn1.offset", mp.initializer = #mp.zeros},
    %s1b3_bn1_mean: tensor<16xf32> {mp.state = "s1b3.bn1.running_mean", mp.initializer = #mp.zeros},
    %s1b3_bn1_variance: tensor<16xf32> {mp.state = "s1b3.bn1.running_variance", mp.initializer = #mp.ones},
    %s1b3_conv2_kernel: tensor<16x3x3x16xf32> {mp.parameter = "s1b3.conv2.kernel", mp.initializer = #mp.he_normal<seed = 7>},
    %s1b3_bn2_scale: tensor<16xf32> {mp.parameter = "s1b3.bn2.scale", mp.initializer = #mp.ones},
    %s1b3_bn2_offset: tensor<16xf32> {mp.parameter = "s1b3.bn2.offset", mp.initializer = #mp.zeros},
    %s1b3_bn2_mean: tensor<16xf32> {mp.state = "s1b3.bn2.running_mean", mp.initializer = #mp.zeros},
    %s1b3_bn2_variance: tensor<16xf32> {mp.state = "s1b3.bn2.running_variance", mp.initializer = #mp.ones},
    %s2b1_conv1_kernel: tensor<32x3x3x16xf32> {mp.parameter = "s2b1.conv1.kernel", mp.initializer = #mp.he_normal<seed = 8>},
    %s2b1_bn1_scale: tensor<32xf32> {mp.parameter = "s2b1.bn1.scale", mp.initializer = #mp.ones},
    %s2b1_bn1_offset: tensor<32xf32> {mp.parameter = "s2b1.bn1.offset", mp.initializer = #mp.zeros},
    %s2b1_bn1_mean: tensor<32xf32> {mp.state = "s2b1.bn1.running_mean", mp.initializer = #mp.zeros},
    %s2b1_bn1_variance: tensor<32xf32> {mp.state = "s2b1.bn1.running_variance", mp.initializer = #mp.ones},
    %s2b1_conv2_kernel: tensor<32x3x3x32xf32> {mp.parameter = "s2b1.conv2.kernel", mp.initializer = #mp.he_normal<seed = 9>},
    %s2b1_bn2_scale: tensor<32xf32> {mp.parameter = "s2b1.bn2.scale", mp.initializer = #mp.ones},
    %s2b1_bn2_offset: tensor<32xf32> {mp.parameter = "s2b1.bn2.offset", mp.initializer = #mp.zeros},
    %s2b1_bn2_mean: tensor<32xf32> {mp.state = "s2b1.bn2.running_mean", mp.initializer = #mp.zeros},
    %s2b1_bn2_variance: tensor<32xf32> {mp.state = "s2b1.bn2.running_variance", mp.initializer = #mp.ones},
    %s2b1_conv_shortcut_kernel: tensor<32x1x1x16xf32> {mp.parameter = "s2b1.conv_shortcut.kernel", mp.initializer = #mp.he_normal<seed = 10>},
    %s2b1_bn_shortcut_scale: tensor<32xf32> {mp.parameter = "s2b1.bn_shortcut.scale", mp.initializer = #mp.ones},
    %s2b1_bn_shortcut_offset: tensor<32xf32> {mp.parameter = "s2b1.bn_shortcut.offset", mp.initializer = #mp.zeros},
    %s2b1_bn_shortcut_mean: tensor<32xf32> {mp.state = "s2b1.bn_shortcut.running_mean", mp.initializer = #mp.zeros},
    %s2b1_bn_shortcut_variance: tensor<32xf32> {mp.state = "s2b1.bn_shortcut.running_variance", mp.initializer = #mp.ones},
    %s2b2_conv1_kernel: tensor<32x3x3x32xf32> {mp.parameter = "s2b2.conv1.kernel", mp.initializer = #mp.he_normal<seed = 11>},
    %s2b2_bn1_scale: tensor<32xf32> {mp.parameter = "s2b2.bn1.scale", mp.initializer = #mp.ones},
    %s2b2_bn1_offset: tensor<32xf32> {mp.parameter = "s2b2.bn1.offset", mp.initializer = #mp.zeros},
    %s2b2_bn1_mean: tensor<32xf32> {mp.state = "s2b2.bn1.running_mean", mp.initializer = #mp.zeros},
    %s2b2_bn1_variance: tensor<32xf32> {mp.state = "s2b2.bn1.running_variance", mp.initializer = #mp.ones},
    %s2b2_conv2_kernel: tensor<32x3x3x32xf32> {mp.parameter = "s2b2.conv2.kernel", mp.initializer = #mp.he_normal<seed = 12>},
    %s2b2_bn2_scale: tensor<32xf32> {mp.parameter = "s2b2.bn2.scale", mp.initializer = #mp.ones},
    %s2b2_bn2_offset: tensor<32xf32> {mp.parameter = "s2b2.bn2.offset", mp.initializer = #mp.zeros},
    %s2b2_bn2_mean: tensor<32xf32> {mp.state = "s2b2.bn2.running_mean", mp.initializer = #mp.zeros},
    %s2b2_bn2_variance: tensor<32xf32> {mp.state = "s2b2.bn2.running_variance", mp.initializer = #mp.ones},
    %s2b3_conv1_kernel: tensor<32x3x3x32xf32> {mp.parameter = "s2b3.conv1.kernel", mp.initializer = #mp.he_normal<seed = 13>},
    %s2b3_bn1_scale: tensor<32xf32> {mp.parameter = "s2b3.bn1.scale", mp.initializer = #mp.ones},
    %s2b3_bn1_offset: tensor<32xf32> {mp.parameter = "s2b3.bn1.offset", mp.initializer = #mp.zeros},
    %s2b3_bn1_mean: tensor<32xf32> {mp.state = "s2b3.bn1.running_mean", mp.initializer = #mp.zeros},
    %s2b3_bn1_variance: tensor<32xf32> {mp.state = "s2b3.bn1.running_variance", mp.initializer = #mp.ones},
    %s2b3_conv2_kernel: tensor<32x3x3x32xf32> {mp.parameter = "s2b3.conv2.kernel", mp.initializer = #mp.he_normal<seed = 14>},
    %s2b3_bn2_scale: tensor<32xf32> {mp.parameter = "s2b3.bn2.scale", mp.initializer = #mp.ones},
    %s2b3_bn2_offset: tensor<32xf32> {mp.parameter = "s2b3.bn2.offset", mp.initializer = #mp.zeros},
    %s2b3_bn2_mean: tensor<32xf32> {mp.state = "s2b3.bn2.running_mean", mp.initializer = #mp.zeros},
    %s2b3_bn2_variance: tensor<32xf32> {mp.state = "s2b3.bn2.running_variance", mp.initializer = #mp.ones},
    %s3b1_conv1_kernel: tensor<64x3x3x32xf32> {mp.parameter = "s3b1.conv1.kernel", mp.initializer = #mp.he_normal<seed = 15>},
    %s3b1_bn1_scale: tensor<64xf32> {mp.parameter = "s3b1.bn1.scale", mp.initializer = #mp.ones},
    %s3b1_bn1_offset: tensor<64xf32> {mp.parameter = "s3b1.bn1.offset", mp.initializer = #mp.zeros},
    %s3b1_bn1_mean: tensor<64xf32> {mp.state = "s3b1.bn1.running_mean", mp.initializer = #mp.zeros},
    %s3b1_bn1_variance: tensor<64xf32> {mp.state = "s3b1.bn1.running_variance", mp.initializer = #mp.ones},
    %s3b1_conv2_kernel: tensor<64x3x3x64xf32> {mp.parameter = "s3b1.conv2.kernel", mp.initializer = #mp.he_normal<seed = 16>},
    %s3b1_bn2_scale: tensor<64xf32> {mp.parameter = "s3b1.bn2.scale", mp.initializer = #mp.ones},
    %s3b1_bn2_offset: tensor<64xf32> {mp.parameter = "s3b1.bn2.offset", mp.initializer = #mp.zeros},
    %s3b1_bn2_mean: tensor<64xf32> {mp.state = "s3b1.bn2.running_mean", mp.initializer = #mp.zeros},
    %s3b1_bn2_variance: tensor<64xf32> {mp.state = "s3b1.bn2.running_variance", mp.initializer = #mp.ones},
    %s3b1_conv_shortcut_kernel: tensor<64x1x1x32xf32> {mp.parameter = "s3b1.conv_shortcut.kernel", mp.initializer = #mp.he_normal<seed = 17>},
    %s3b1_bn_shortcut_scale: tensor<64xf32> {mp.parameter = "s3b1.bn_shortcut.scale", mp.initializer = #mp.ones},
    %s3b1_bn_shortcut_offset: tensor<64xf32> {mp.parameter = "s3b1.bn_shortcut.offset", mp.initializer = #mp.zeros},
    %s3b1_bn_shortcut_mean: tensor<64xf32> {mp.state = "s3b1.bn_shortcut.running_mean", mp.initializer = #mp.zeros},
    %s3b1_bn_shortcut_variance: tensor<64xf32> {mp.state = "s3b1.bn_shortcut.running_variance", mp.initializer = #mp.ones},
    %s3b2_conv1_kernel: tensor<64x3x3x64xf32> {mp.parameter = "s3b2.conv1.kernel", mp.initializer = #mp.he_normal<seed = 18>},
    %s3b2_bn1_scale: tensor<64xf32> {mp.parameter = "s3b2.bn1.scale", mp.initializer = #mp.ones},
    %s3b2_bn1_offset: tensor<64xf32> {mp.parameter = "s3b2.bn1.offset", mp.initializer = #mp.zeros},
    %s3b2_bn1_mean: tensor<64xf32> {mp.state = "s3b2.bn1.running_mean", mp.initializer = #mp.zeros},
    %s3b2_bn1_variance: tensor<64xf32> {mp.state = "s3b2.bn1.running_variance", mp.initializer = #mp.ones},
    %s3b2_conv2_kernel: tensor<64x3x3x64xf32> {mp.parameter = "s3b2.conv2.kernel", mp.initializer = #mp.he_normal<seed = 19>},
    %s3b2_bn2_scale: tensor<64xf32> {mp.parameter = "s3b2.bn2.scale", mp.initializer = #mp.ones},
    %s3b2_bn2_offset: tensor<64xf32> {mp.parameter = "s3b2.bn2.offset", mp.initializer = #mp.zeros},
    %s3b2_bn2_mean: tensor<64xf32> {mp.state = "s3b2.bn2.running_mean", mp.initializer = #mp.zeros},
    %s3b2_bn2_variance: tensor<64xf32> {mp.state = "s3b2.bn2.running_variance", mp.initializer = #mp.ones},
    %s3b3_conv1_kernel: tensor<64x3x3x64xf32> {mp.parameter = "s3b3.conv1.kernel", mp.initializer = #mp.he_normal<seed = 20>},
    %s3b3_bn1_scale: tensor<64xf32> {mp.parameter = "s3b3.bn1.scale", mp.initializer = #mp.ones},
    %s3b3_bn1_offset: tensor<64xf32> {mp.parameter = "s3b3.bn1.offset", mp.initializer = #mp.zeros},
    %s3b3_bn1_mean: tensor<64xf32> {mp.state = "s3b3.bn1.running_mean", mp.initializer = #mp.zeros},
    %s3b3_bn1_variance: tensor<64xf32> {mp.state = "s3b3.bn1.running_variance", mp.initializer = #mp.ones},
    %s3b3_conv2_kernel: tensor<64x3x3x64xf32> {mp.parameter = "s3b3.conv2.kernel", mp.initializer = #mp.he_normal<seed = 21>},
    %s3b3_bn2_scale: tensor<64xf32> {mp.parameter = "s3b3.bn2.scale", mp.initializer = #mp.ones},
    %s3b3_bn2_offset: tensor<64xf32> {mp.parameter = "s3b3.bn2.offset", mp.initializer = #mp.zeros},
    %s3b3_bn2_mean: tensor<64xf32> {mp.state = "s3b3.bn2.running_mean", mp.initializer = #mp.zeros},
    %s3b3_bn2_variance: tensor<64xf32> {mp.state = "s3b3.bn2.running_variance", mp.initializer = #mp.ones},
    %dense_kernel: tensor<64x10xf32> {mp.parameter = "dense.kernel", mp.initializer = #mp.glorot_uniform<seed = 100>},
    %dense_bias: tensor<10xf32> {mp.parameter = "dense.bias", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss},
        tensor<?x10xf32> {mp.output = "logits"},
        tensor<?xf32> {mp.metric = "accuracy"},
        tensor<16xf32> {mp.next = "bn0.running_mean"},
        tensor<16xf32> {mp.next = "bn0.running_variance"},
        tensor<16xf32> {mp.next = "s1b1.bn1.running_mean"},
        tensor<16xf32> {mp.next = "s1b1.bn1.running_variance"},
        tensor<16xf32> {mp.next = "s1b1.bn2.running_mean"},
        tensor<16xf32> {mp.next = "s1b1.bn2.running_variance"},
        tensor<16xf32> {mp.next = "s1b2.bn1.running_mean"},
        tensor<16xf32> {mp.next = "s1b2.bn1.running_variance"},
        tensor<16xf32> {mp.next = "s1b2.bn2.running_mean"},
        tensor<16xf32> {mp.next = "s1b2.bn2.running_variance"},
        tensor<16xf32> {mp.next = "s1b3.bn1.running_mean"},
        tensor<16xf32> {mp.next = "s1b3.bn1.running_variance"},
        tensor<16xf32> {mp.next = "s1b3.bn2.running_mean"},
        tensor<16xf32> {mp.next = "s1b3.bn2.running_variance"},
        tensor<32xf32> {mp.next = "s2b1.bn1.running_mean"},
        tensor<32xf32> {mp.next = "s2b1.bn1.running_variance"},
        tensor<32xf32> {mp.next = "s2b1.bn2.running_mean"},
        tensor<32xf32> {mp.next = "s2b1.bn2.running_variance"},
        tensor<32xf32> {mp.next = "s2b1.bn_shortcut.running_mean"},
        tensor<32xf32> {mp.next = "s2b1.bn_shortcut.running_variance"},
        tensor<32xf32> {mp.next = "s2b2.bn1.running_mean"},
        tensor<32xf32> {mp.next = "s2b2.bn1.running_variance"},
        tensor<32xf32> {mp.next = "s2b2.bn2.running_mean"},
        tensor<32xf32> {mp.next = "s2b2.bn2.running_variance"},
        tensor<32xf32> {mp.next = "s2b3.bn1.running_mean"},
        tensor<32xf32> {mp.next = "s2b3.bn1.running_variance"},
        tensor<32xf32> {mp.next = "s2b3.bn2.running_mean"},
        tensor<32xf32> {mp.next = "s2b3.bn2.running_variance"},
        tensor<64xf32> {mp.next = "s3b1.bn1.running_mean"},
        tensor<64xf32> {mp.next = "s3b1.bn1.running_variance"},
        tensor<64xf32> {mp.next = "s3b1.bn2.running_mean"},
        tensor<64xf32> {mp.next = "s3b1.bn2.running_variance"},
        tensor<64xf32> {mp.next = "s3b1.bn_shortcut.running_mean"},
        tensor<64xf32> {mp.next = "s3b1.bn_shortcut.running_variance"},
        tensor<64xf32> {mp.next = "s3b2.bn1.running_mean"},
        tensor<64xf32> {mp.next = "s3b2.bn1.running_variance"},
        tensor<64xf32> {mp.next = "s3b2.bn2.running_mean"},
        tensor<64xf32> {mp.next = "s3b2.bn2.running_variance"},
        tensor<64xf32> {mp.next = "s3b3.bn1.running_mean"},
        tensor<64xf32> {mp.next = "s3b3.bn1.running_variance"},
        tensor<64xf32> {mp.next = "s3b3.bn2.running_mean"},
        tensor<64xf32> {mp.next = "s3b3.bn2.running_variance"})
    attributes {mp.program = "model"} {
  // Pixels 0..255 become -1..1.
  %pixels = mp.cast %x : tensor<?x32x32x3xui8> -> tensor<?x32x32x3xf32>
  %scale = mp.constant dense<0.00784313772> : tensor<f32>
  %one = mp.constant dense<1.0> : tensor<f32>
  %scaled = mp.mul %pixels, %scale : tensor<?x32x32x3xf32>, tensor<f32> -> tensor<?x32x32x3xf32>
  %image = mp.sub %scaled, %one : tensor<?x32x32x3xf32>, tensor<f32> -> tensor<?x32x32x3xf32>

  %conv0 = mp.conv %image, %conv0_kernel acc f32 {padding = same} : tensor<?x32x32x3xf32>, tensor<16x3x3x3xf32> -> tensor<?x32x32x16xf32>
  %bn0, %bn0_m, %bn0_v, %bn0_n = mp.batch_norm %conv0, %bn0_scale, %bn0_offset : tensor<?x32x32x16xf32>, tensor<16xf32>
  %bn0_m1 = mp.update_running %bn0_mean, %bn0_m, %bn0_n : tensor<16xf32>
  %bn0_v1 = mp.update_running %bn0_variance, %bn0_v, %bn0_n {unbiased} : tensor<16xf32>
  %h0 = mp.relu %bn0 : tensor<?x32x32x16xf32>

  // Stage 1, block 1.
  %s1b1_conv1 = mp.conv %h0, %s1b1_conv1_kernel acc f32 {padding = same} : tensor<?x32x32x16xf32>, tensor<16x3x3x16xf32> -> tensor<?x32x32x16xf32>
  %s1b1_bn1, %s1b1_bn1_m, %s1b1_bn1_v, %s1b1_bn1_n = mp.batch_norm %s1b1_conv1, %s1b1_bn1_scale, %s1b1_bn1_offset : tensor<?x32x32x16xf32>, tensor<16xf32>
  %s1b1_bn1_m1 = mp.update_running %s1b1_bn1_mean, %s1b1_bn1_m, %s1b1_bn1_n : tensor<16xf32>
  %s1b1_bn1_v1 = mp.update_running %s1b1_bn1_variance, %s1b1_bn1_v, %s1b1_bn1_n {unbiased} : tensor<16xf32>
  %s1b1_a = mp.relu %s1b1_bn1 : tensor<?x32x32x16xf32>
  %s1b1_conv2 = mp.conv %s1b1_a, %s1b1_conv2_kernel acc f32 {padding = same} : tensor<?x32x32x16xf32>, tensor<16x3x3x16xf32> -> tensor<?x32x32x16xf32>
  %s1b1_bn2, %s1b1_bn2_m, %s1b1_bn2_v, %s1b1_bn2_n = mp.batch_norm %s1b1_conv2, %s1b1_bn2_scale, %s1b1_bn2_offset : tensor<?x32x32x16xf32>, tensor<16xf32>
  %s1b1_bn2_m1 = mp.update_running %s1b1_bn2_mean, %s1b1_bn2_m, %s1b1_bn2_n : tensor<16xf32>
  %s1b1_bn2_v1 = mp.update_running %s1b1_bn2_variance, %s1b1_bn2_v, %s1b1_bn2_n {unbiased} : tensor<16xf32>
  %s1b1_sum = mp.add %s1b1_bn2, %h0 : tensor<?x32x32x16xf32>, tensor<?x32x32x16xf32> -> tensor<?x32x32x16xf32>
  %s1b1 = mp.relu %s1b1_sum : tensor<?x32x32x16xf32>

  // Stage 1, block 2.
  %s1b2_conv1 = mp.conv %s1b1, %s1b2_conv1_kernel acc f32 {padding = same} : tensor<?x32x32x16xf32>, tensor<16x3x3x16xf32> -> tensor<?x32x32x16xf32>
  %s1b2_bn1, %s1b2_bn1_m, %s1b2_bn1_v, %s1b2_bn1_n = mp.batch_norm %s1b2_conv1, %s1b2_bn1_scale, %s1b2_bn1_offset : tensor<?x32x32x16xf32>, tensor<16xf32>
  %s1b2_bn1_m1 = mp.update_running %s1b2_bn1_mean, %s1b2_bn1_m, %s1b2_bn1_n : tensor<16xf32>
  %s1b2_bn1_v1 = mp.update_running %s1b2_bn1_variance, %s1b2_bn1_v, %s1b2_bn1_n {unbiased} : tensor<16xf32>
  %s1b2_a = mp.relu %s1b2_bn1 : tensor<?x32x32x16xf32>
  %s1b2_conv2 = mp.conv %s1b2_a, %s1b2_conv2_kernel acc f32 {padding = same} : tensor<?x32x32x16xf32>, tensor<16x3x3x16xf32> -> tensor<?x32x32x16xf32>
  %s1b2_bn2, %s1b2_bn2_m, %s1b2_bn2_v, %s1b2_bn2_n = mp.batch_norm %s1b2_conv2, %s1b2_bn2_scale, %s1b2_bn2_offset : tensor<?x32x32x16xf32>, tensor<16xf32>
  %s1b2_bn2_m1 = mp.update_running %s1b2_bn2_mean, %s1b2_bn2_m, %s1b2_bn2_n : tensor<16xf32>
  %s1b2_bn2_v1 = mp.update_running %s1b2_bn2_variance, %s1b2_bn2_v, %s1b2_bn2_n {unbiased} : tensor<16xf32>
  %s1b2_sum = mp.add %s1b2_bn2, %s1b1 : tensor<?x32x32x16xf32>, tensor<?x32x32x16xf32> -> tensor<?x32x32x16xf32>
  %s1b2 = mp.relu %s1b2_sum : tensor<?x32x32x16xf32>

  // Stage 1, block 3.
  %s1b3_conv1 = mp.conv %s1b2, %s1b3_conv1_kernel acc f32 {padding = same} : tensor<?x32x32x16xf32>, tensor<16x3x3x16xf32> -> tensor<?x32x32x16xf32>
  %s1b3_bn1, %s1b3_bn1_m, %s1b3_bn1_v, %s1b3_bn1_n = mp.batch_norm %s1b3_conv1, %s1b3_bn1_scale, %s1b3_bn1_offset : tensor<?x32x32x16xf32>, tensor<16xf32>
  %s1b3_bn1_m1 = mp.update_running %s1b3_bn1_mean, %s1b3_bn1_m, %s1b3_bn1_n : tensor<16xf32>
  %s1b3_bn1_v1 = mp.update_running %s1b3_bn1_variance, %s1b3_bn1_v, %s1b3_bn1_n {unbiased} : tensor<16xf32>
  %s1b3_a = mp.relu %s1b3_bn1 : tensor<?x32x32x16xf32>
  %s1b3_conv2 = mp.conv %s1b3_a, %s1b3_conv2_kernel acc f32 {padding = same} : tensor<?x32x32x16xf32>, tensor<16x3x3x16xf32> -> tensor<?x32x32x16xf32>
  %s1b3_bn2, %s1b3_bn2_m, %s1b3_bn2_v, %s1b3_bn2_n = mp.batch_norm %s1b3_conv2, %s1b3_bn2_scale, %s1b3_bn2_offset : tensor<?x32x32x16xf32>, tensor<16xf32>
  %s1b3_bn2_m1 = mp.update_running %s1b3_bn2_mean, %s1b3_bn2_m, %s1b3_bn2_n : tensor<16xf32>
  %s1b3_bn2_v1 = mp.update_running %s1b3_bn2_variance, %s1b3_bn2_v, %s1b3_bn2_n {unbiased} : tensor<16xf32>
  %s1b3_sum = mp.add %s1b3_bn2, %s1b2 : tensor<?x32x32x16xf32>, tensor<?x32x32x16xf32> -> tensor<?x32x32x16xf32>
  %s1b3 = mp.relu %s1b3_sum : tensor<?x32x32x16xf32>

  // Stage 2, block 1. Half the pixels and twice the channels: the shortcut is a convolution of 1x1.
  %s2b1_conv1 = mp.conv %s1b3, %s2b1_conv1_kernel acc f32 {strides = [2, 2], padding = same} : tensor<?x32x32x16xf32>, tensor<32x3x3x16xf32> -> tensor<?x16x16x32xf32>
  %s2b1_bn1, %s2b1_bn1_m, %s2b1_bn1_v, %s2b1_bn1_n = mp.batch_norm %s2b1_conv1, %s2b1_bn1_scale, %s2b1_bn1_offset : tensor<?x16x16x32xf32>, tensor<32xf32>
  %s2b1_bn1_m1 = mp.update_running %s2b1_bn1_mean, %s2b1_bn1_m, %s2b1_bn1_n : tensor<32xf32>
  %s2b1_bn1_v1 = mp.update_running %s2b1_bn1_variance, %s2b1_bn1_v, %s2b1_bn1_n {unbiased} : tensor<32xf32>
  %s2b1_a = mp.relu %s2b1_bn1 : tensor<?x16x16x32xf32>
  %s2b1_conv2 = mp.conv %s2b1_a, %s2b1_conv2_kernel acc f32 {padding = same} : tensor<?x16x16x32xf32>, tensor<32x3x3x32xf32> -> tensor<?x16x16x32xf32>
  %s2b1_bn2, %s2b1_bn2_m, %s2b1_bn2_v, %s2b1_bn2_n = mp.batch_norm %s2b1_conv2, %s2b1_bn2_scale, %s2b1_bn2_offset : tensor<?x16x16x32xf32>, tensor<32xf32>
  %s2b1_bn2_m1 = mp.update_running %s2b1_bn2_mean, %s2b1_bn2_m, %s2b1_bn2_n : tensor<32xf32>
  %s2b1_bn2_v1 = mp.update_running %s2b1_bn2_variance, %s2b1_bn2_v, %s2b1_bn2_n {unbiased} : tensor<32xf32>
  %s2b1_conv_shortcut = mp.conv %s1b3, %s2b1_conv_shortcut_kernel acc f32 {strides = [2, 2], padding = same} : tensor<?x32x32x16xf32>, tensor<32x1x1x16xf32> -> tensor<?x16x16x32xf32>
  %s2b1_bn_shortcut, %s2b1_bn_shortcut_m, %s2b1_bn_shortcut_v, %s2b1_bn_shortcut_n = mp.batch_norm %s2b1_conv_shortcut, %s2b1_bn_shortcut_scale, %s2b1_bn_shortcut_offset : tensor<?x16x16x32xf32>, tensor<32xf32>
  %s2b1_bn_shortcut_m1 = mp.update_running %s2b1_bn_shortcut_mean, %s2b1_bn_shortcut_m, %s2b1_bn_shortcut_n : tensor<32xf32>
  %s2b1_bn_shortcut_v1 = mp.update_running %s2b1_bn_shortcut_variance, %s2b1_bn_shortcut_v, %s2b1_bn_shortcut_n {unbiased} : tensor<32xf32>
  %s2b1_sum = mp.add %s2b1_bn2, %s2b1_bn_shortcut : tensor<?x16x16x32xf32>, tensor<?x16x16x32xf32> -> tensor<?x16x16x32xf32>
  %s2b1 = mp.relu %s2b1_sum : tensor<?x16x16x32xf32>

  // Stage 2, block 2.
  %s2b2_conv1 = mp.conv %s2b1, %s2b2_conv1_kernel acc f32 {padding = same} : tensor<?x16x16x32xf32>, tensor<32x3x3x32xf32> -> tensor<?x16x16x32xf32>
  %s2b2_bn1, %s2b2_bn1_m, %s2b2_bn1_v, %s2b2_bn1_n = mp.batch_norm %s2b2_conv1, %s2b2_bn1_scale, %s2b2_bn1_offset : tensor<?x16x16x32xf32>, tensor<32xf32>
  %s2b2_bn1_m1 = mp.update_running %s2b2_bn1_mean, %s2b2_bn1_m, %s2b2_bn1_n : tensor<32xf32>
  %s2b2_bn1_v1 = mp.update_running %s2b2_bn1_variance, %s2b2_bn1_v, %s2b2_bn1_n {unbiased} : tensor<32xf32>
  %s2b2_a = mp.relu %s2b2_bn1 : tensor<?x16x16x32xf32>
  %s2b2_conv2 = mp.conv %s2b2_a, %s2b2_conv2_kernel acc f32 {padding = same} : tensor<?x16x16x32xf32>, tensor<32x3x3x32xf32> -> tensor<?x16x16x32xf32>
  %s2b2_bn2, %s2b2_bn2_m, %s2b2_bn2_v, %s2b2_bn2_n = mp.batch_norm %s2b2_conv2, %s2b2_bn2_scale, %s2b2_bn2_offset : tensor<?x16x16x32xf32>, tensor<32xf32>
  %s2b2_bn2_m1 = mp.update_running %s2b2_bn2_mean, %s2b2_bn2_m, %s2b2_bn2_n : tensor<32xf32>
  %s2b2_bn2_v1 = mp.update_running %s2b2_bn2_variance, %s2b2_bn2_v, %s2b2_bn2_n {unbiased} : tensor<32xf32>
  %s2b2_sum = mp.add %s2b2_bn2, %s2b1 : tensor<?x16x16x32xf32>, tensor<?x16x16x32xf32> -> tensor<?x16x16x32xf32>
  %s2b2 = mp.relu %s2b2_sum : tensor<?x16x16x32xf32>

  // Stage 2, block 3.
  %s2b3_conv1 = mp.conv %s2b2, %s2b3_conv1_kernel acc f32 {padding = same} : tensor<?x16x16x32xf32>, tensor<32x3x3x32xf32> -> tensor<?x16x16x32xf32>
  %s2b3_bn1, %s2b3_bn1_m, %s2b3_bn1_v, %s2b3_bn1_n = mp.batch_norm %s2b3_conv1, %s2b3_bn1_scale, %s2b3_bn1_offset : tensor<?x16x16x32xf32>, tensor<32xf32>
  %s2b3_bn1_m1 = mp.update_running %s2b3_bn1_mean, %s2b3_bn1_m, %s2b3_bn1_n : tensor<32xf32>
  %s2b3_bn1_v1 = mp.update_running %s2b3_bn1_variance, %s2b3_bn1_v, %s2b3_bn1_n {unbiased} : tensor<32xf32>
  %s2b3_a = mp.relu %s2b3_bn1 : tensor<?x16x16x32xf32>
  %s2b3_conv2 = mp.conv %s2b3_a, %s2b3_conv2_kernel acc f32 {padding = same} : tensor<?x16x16x32xf32>, tensor<32x3x3x32xf32> -> tensor<?x16x16x32xf32>
  %s2b3_bn2, %s2b3_bn2_m, %s2b3_bn2_v, %s2b3_bn2_n = mp.batch_norm %s2b3_conv2, %s2b3_bn2_scale, %s2b3_bn2_offset : tensor<?x16x16x32xf32>, tensor<32xf32>
  %s2b3_bn2_m1 = mp.update_running %s2b3_bn2_mean, %s2b3_bn2_m, %s2b3_bn2_n : tensor<32xf32>
  %s2b3_bn2_v1 = mp.update_running %s2b3_bn2_variance, %s2b3_bn2_v, %s2b3_bn2_n {unbiased} : tensor<32xf32>
  %s2b3_sum = mp.add %s2b3_bn2, %s2b2 : tensor<?x16x16x32xf32>, tensor<?x16x16x32xf32> -> tensor<?x16x16x32xf32>
  %s2b3 = mp.relu %s2b3_sum : tensor<?x16x16x32xf32>

  // Stage 3, block 1. Half the pixels and twice the channels: the shortcut is a convolution of 1x1.
  %s3b1_conv1 = mp.conv %s2b3, %s3b1_conv1_kernel acc f32 {strides = [2, 2], padding = same} : tensor<?x16x16x32xf32>, tensor<64x3x3x32xf32> -> tensor<?x8x8x64xf32>
  %s3b1_bn1, %s3b1_bn1_m, %s3b1_bn1_v, %s3b1_bn1_n = mp.batch_norm %s3b1_conv1, %s3b1_bn1_scale, %s3b1_bn1_offset : tensor<?x8x8x64xf32>, tensor<64xf32>
  %s3b1_bn1_m1 = mp.update_running %s3b1_bn1_mean, %s3b1_bn1_m, %s3b1_bn1_n : tensor<64xf32>
  %s3b1_bn1_v1 = mp.update_running %s3b1_bn1_variance, %s3b1_bn1_v, %s3b1_bn1_n {unbiased} : tensor<64xf32>
  %s3b1_a = mp.relu %s3b1_bn1 : tensor<?x8x8x64xf32>
  %s3b1_conv2 = mp.conv %s3b1_a, %s3b1_conv2_kernel acc f32 {padding = same} : tensor<?x8x8x64xf32>, tensor<64x3x3x64xf32> -> tensor<?x8x8x64xf32>
  %s3b1_bn2, %s3b1_bn2_m, %s3b1_bn2_v, %s3b1_bn2_n = mp.batch_norm %s3b1_conv2, %s3b1_bn2_scale, %s3b1_bn2_offset : tensor<?x8x8x64xf32>, tensor<64xf32>
  %s3b1_bn2_m1 = mp.update_running %s3b1_bn2_mean, %s3b1_bn2_m, %s3b1_bn2_n : tensor<64xf32>
  %s3b1_bn2_v1 = mp.update_running %s3b1_bn2_variance, %s3b1_bn2_v, %s3b1_bn2_n {unbiased} : tensor<64xf32>
  %s3b1_conv_shortcut = mp.conv %s2b3, %s3b1_conv_shortcut_kernel acc f32 {strides = [2, 2], padding = same} : tensor<?x16x16x32xf32>, tensor<64x1x1x32xf32> -> tensor<?x8x8x64xf32>
  %s3b1_bn_shortcut, %s3b1_bn_shortcut_m, %s3b1_bn_shortcut_v, %s3b1_bn_shortcut_n = mp.batch_norm %s3b1_conv_shortcut, %s3b1_bn_shortcut_scale, %s3b1_bn_shortcut_offset : tensor<?x8x8x64xf32>, tensor<64xf32>
  %s3b1_bn_shortcut_m1 = mp.update_running %s3b1_bn_shortcut_mean, %s3b1_bn_shortcut_m, %s3b1_bn_shortcut_n : tensor<64xf32>
  %s3b1_bn_shortcut_v1 = mp.update_running %s3b1_bn_shortcut_variance, %s3b1_bn_shortcut_v, %s3b1_bn_shortcut_n {unbiased} : tensor<64xf32>
  %s3b1_sum = mp.add %s3b1_bn2, %s3b1_bn_shortcut : tensor<?x8x8x64xf32>, tensor<?x8x8x64xf32> -> tensor<?x8x8x64xf32>
  %s3b1 = mp.relu %s3b1_sum : tensor<?x8x8x64xf32>

  // Stage 3, block 2.
  %s3b2_conv1 = mp.conv %s3b1, %s3b2_conv1_kernel acc f32 {padding = same} : tensor<?x8x8x64xf32>, tensor<64x3x3x64xf32> -> tensor<?x8x8x64xf32>
  %s3b2_bn1, %s3b2_bn1_m, %s3b2_bn1_v, %s3b2_bn1_n = mp.batch_norm %s3b2_conv1, %s3b2_bn1_scale, %s3b2_bn1_offset : tensor<?x8x8x64xf32>, tensor<64xf32>
  %s3b2_bn1_m1 = mp.update_running %s3b2_bn1_mean, %s3b2_bn1_m, %s3b2_bn1_n : tensor<64xf32>
  %s3b2_bn1_v1 = mp.update_running %s3b2_bn1_variance, %s3b2_bn1_v, %s3b2_bn1_n {unbiased} : tensor<64xf32>
  %s3b2_a = mp.relu %s3b2_bn1 : tensor<?x8x8x64xf32>
  %s3b2_conv2 = mp.conv %s3b2_a, %s3b2_conv2_kernel acc f32 {padding = same} : tensor<?x8x8x64xf32>, tensor<64x3x3x64xf32> -> tensor<?x8x8x64xf32>
  %s3b2_bn2, %s3b2_bn2_m, %s3b2_bn2_v, %s3b2_bn2_n = mp.batch_norm %s3b2_conv2, %s3b2_bn2_scale, %s3b2_bn2_offset : tensor<?x8x8x64xf32>, tensor<64xf32>
  %s3b2_bn2_m1 = mp.update_running %s3b2_bn2_mean, %s3b2_bn2_m, %s3b2_bn2_n : tensor<64xf32>
  %s3b2_bn2_v1 = mp.update_running %s3b2_bn2_variance, %s3b2_bn2_v, %s3b2_bn2_n {unbiased} : tensor<64xf32>
  %s3b2_sum = mp.add %s3b2_bn2, %s3b1 : tensor<?x8x8x64xf32>, tensor<?x8x8x64xf32> -> tensor<?x8x8x64xf32>
  %s3b2 = mp.relu %s3b2_sum : tensor<?x8x8x64xf32>

  // Stage 3, block 3.
  %s3b3_conv1 = mp.conv %s3b2, %s3b3_conv1_kernel acc f32 {padding = same} : tensor<?x8x8x64xf32>, tensor<64x3x3x64xf32> -> tensor<?x8x8x64xf32>
  %s3b3_bn1, %s3b3_bn1_m, %s3b3_bn1_v, %s3b3_bn1_n = mp.batch_norm %s3b3_conv1, %s3b3_bn1_scale, %s3b3_bn1_offset : tensor<?x8x8x64xf32>, tensor<64xf32>
  %s3b3_bn1_m1 = mp.update_running %s3b3_bn1_mean, %s3b3_bn1_m, %s3b3_bn1_n : tensor<64xf32>
  %s3b3_bn1_v1 = mp.update_running %s3b3_bn1_variance, %s3b3_bn1_v, %s3b3_bn1_n {unbiased} : tensor<64xf32>
  %s3b3_a = mp.relu %s3b3_bn1 : tensor<?x8x8x64xf32>
  %s3b3_conv2 = mp.conv %s3b3_a, %s3b3_conv2_kernel acc f32 {padding = same} : tensor<?x8x8x64xf32>, tensor<64x3x3x64xf32> -> tensor<?x8x8x64xf32>
  %s3b3_bn2, %s3b3_bn2_m, %s3b3_bn2_v, %s3b3_bn2_n = mp.batch_norm %s3b3_conv2, %s3b3_bn2_scale, %s3b3_bn2_offset : tensor<?x8x8x64xf32>, tensor<64xf32>
  %s3b3_bn2_m1 = mp.update_running %s3b3_bn2_mean, %s3b3_bn2_m, %s3b3_bn2_n : tensor<64xf32>
  %s3b3_bn2_v1 = mp.update_running %s3b3_bn2_variance, %s3b3_bn2_v, %s3b3_bn2_n {unbiased} : tensor<64xf32>
  %s3b3_sum = mp.add %s3b3_bn2, %s3b2 : tensor<?x8x8x64xf32>, tensor<?x8x8x64xf32> -> tensor<?x8x8x64xf32>
  %s3b3 = mp.relu %s3b3_sum : tensor<?x8x8x64xf32>

  %features = mp.reduce_mean %s3b3 dimensions [1, 2] : tensor<?x8x8x64xf32> -> tensor<?x64xf32>
  %logits = mp.matmul %features, %dense_kernel bias %dense_bias : tensor<10xf32> acc f32 : tensor<?x64xf32>, tensor<64x10xf32> -> tensor<?x10xf32>
  %loss = mp.softmax_cross_entropy %logits, %y : tensor<?x10xf32>, tensor<?xui8> -> tensor<f32>

  // The accuracy of a row is 1 where the largest logit is the label's.
  %guess = mp.argmax %logits dimension 1 : tensor<?x10xf32> -> tensor<?xi32>
  %label = mp.cast %y : tensor<?xui8> -> tensor<?xi32>
  %hit = mp.compare eq %guess, %label : tensor<?xi32>, tensor<?xi32> -> tensor<?xi1>
  %accuracy = mp.cast %hit : tensor<?xi1> -> tensor<?xf32>
  return %loss, %logits, %accuracy, %bn0_m1, %bn0_v1, %s1b1_bn1_m1, %s1b1_bn1_v1, %s1b1_bn2_m1, %s1b1_bn2_v1, %s1b2_bn1_m1, %s1b2_bn1_v1, %s1b2_bn2_m1, %s1b2_bn2_v1, %s1b3_bn1_m1, %s1b3_bn1_v1, %s1b3_bn2_m1, %s1b3_bn2_v1, %s2b1_bn1_m1, %s2b1_bn1_v1, %s2b1_bn2_m1, %s2b1_bn2_v1, %s2b1_bn_shortcut_m1, %s2b1_bn_shortcut_v1, %s2b2_bn1_m1, %s2b2_bn1_v1, %s2b2_bn2_m1, %s2b2_bn2_v1, %s2b3_bn1_m1, %s2b3_bn1_v1, %s2b3_bn2_m1, %s2b3_bn2_v1, %s3b1_bn1_m1, %s3b1_bn1_v1, %s3b1_bn2_m1, %s3b1_bn2_v1, %s3b1_bn_shortcut_m1, %s3b1_bn_shortcut_v1, %s3b2_bn1_m1, %s3b2_bn1_v1, %s3b2_bn2_m1, %s3b2_bn2_v1, %s3b3_bn1_m1, %s3b3_bn1_v1, %s3b3_bn2_m1, %s3b3_bn2_v1 : tensor<f32>, tensor<?x10xf32>, tensor<?xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
