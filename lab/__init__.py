"""The laboratory: makes the published figures, tables, pages, pictures and levels. It is not installed."""
