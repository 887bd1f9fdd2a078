"""What other frameworks have under other names, as data: read where a name is not found."""
