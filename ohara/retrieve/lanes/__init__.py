"""One module per lane; none imports another."""
