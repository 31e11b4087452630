"""One module a lane: each answers with hunks and a report, and none imports another."""
