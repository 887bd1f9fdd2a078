"""Training of a module: its data, its steps, and what is made of what it has learned."""
