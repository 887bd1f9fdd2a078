"""Modules of PyTorch, by torch.export."""
