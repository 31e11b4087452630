"""What a diff looks like before it is drawn: rows, pairs of rows, matches. Pure, no widget is known here."""
