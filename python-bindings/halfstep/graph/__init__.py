"""Models being made: tensors, the graph that their ops go into, and functions made of ops."""
