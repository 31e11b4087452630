"""Results as a person or a program reads them: text for a terminal or a pipe, and one stable JSON object."""
