"""Finds code by its shape: the only room that knows ast-grep, which parses in processes of its own."""
