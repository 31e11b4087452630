"""Answers queries: lanes in parallel, fused, reranked, weighted by recency, diversified."""
