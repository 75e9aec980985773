"""The sources' figures, recomputed and judged: one module per source, and how a report is written."""
