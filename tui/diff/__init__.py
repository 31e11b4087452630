"""The layout of a diff before it is drawn: rows, pairs of rows, matches. Pure, without widgets."""
