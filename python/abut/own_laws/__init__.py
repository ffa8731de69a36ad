"""Laws of contact of one's own: written in Python, or compiled elsewhere."""
