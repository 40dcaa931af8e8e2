"""What people and programs see of a comparison: tables, messages, plots and the report."""
