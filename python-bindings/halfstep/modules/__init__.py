"""What layers are made of: modules, and the parameters and states in them."""
