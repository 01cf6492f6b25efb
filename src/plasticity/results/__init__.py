"""From run folders to curves, statistics, tables, figures and the report."""
