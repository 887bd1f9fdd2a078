"""What training runs showed."""
