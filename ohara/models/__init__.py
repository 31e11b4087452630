"""The weights that ship with ohara, as data: read by `ohara.embed` through importlib.resources.

Each folder has a CARD.md that says what the model is, from what it was made, and what was measured.
"""
