"""From weights to an order of rows."""
