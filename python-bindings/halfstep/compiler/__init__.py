"""What calls the native compiler: its settings, precision policies, and compilations."""
