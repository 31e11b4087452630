"""Serves coding agents over the Model Context Protocol: what they ask is asked of the background service.

Thin: it reads arguments, chooses the repository, words answers within a budget of tokens, and speaks the
protocol through the official SDK (`mcp`, an extra). It loads no model, database, parser or git library.
"""
