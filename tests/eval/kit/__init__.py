"""The evaluation kit: tasks, the batch that plays them, hidden checks, tables and comparisons."""
