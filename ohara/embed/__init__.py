"""Text to vectors and pairs to scores: the only package that knows what a model is.

Nothing heavy is imported here; `catalog` chooses a model, `local` and `fast` run one.
"""
