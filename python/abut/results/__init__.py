"""The tables that searches return: columns, sums, maps, and contact history between steps."""
