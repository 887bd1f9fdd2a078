"""Networks for images whose steps are timed, by the name that both we and the peer know: benchmarks/cpu has their text, and
benchmarks/torch_models.py what they are in PyTorch."""

import models
import resnet

NETWORKS = {
    "cifar10_cnn": models.Cnn(),
    "cifar10_resnet20": resnet.ResNet(),
    "tiny_cnn": models.Cnn(size=12, filters=(4, 8), hidden=16),
    "tiny_resnet": resnet.ResNet(stages=(4, 8), blocks=1, size=8),
}
