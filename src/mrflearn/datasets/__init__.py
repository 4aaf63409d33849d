"""Small real tables, ready to learn from."""
