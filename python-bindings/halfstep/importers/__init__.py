"""Models of other frameworks as modules."""
