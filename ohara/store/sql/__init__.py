"""The statements that engines with tables share: the same tables, the same questions, one spelling."""
