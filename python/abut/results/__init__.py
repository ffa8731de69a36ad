"""The tables that searches give: columns, sums, maps, and what goes on from earlier rows."""
