"""Several indexes searched as one: which repositories, how they are asked, how answers are joined."""
