"""What the rest of ohara needs of an index, in the domain's words; an engine is a package below."""
