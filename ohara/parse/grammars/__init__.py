"""What the nodes of each grammar mean: one table for each language, in the vocabulary of `parse/rules.py`.

A table is data with small functions in it. Walking, scopes, spans and limits are the same for all
languages and live in `parse/symbols.py`.
"""
