"""The terminal UI: a client of ohara that never loads a model, a database or a git library.

It talks to the background service through `ohara.client` and shares ohara's values, settings and query
grammar; nothing else of ohara is visible from here, and ohara never imports this package.
"""
