"""From a query to hits: lanes in parallel, fused, reranked, nudged by recency, diversified."""
