"""The tables that searches return: their columns, sums, maps, and contact history."""
