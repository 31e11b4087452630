"""Embedders and rerankers: text to vectors, and pairs to scores. The only package that runs models.

Nothing heavy is imported here; `catalog` chooses a model, `local` and `fast` run one.
"""
