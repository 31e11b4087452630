"""What the rest of ohara needs of an index, in the domain's words; `store/sqlite` keeps one in SQLite."""
