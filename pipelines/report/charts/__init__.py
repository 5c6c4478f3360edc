"""Charts as SVG, drawn without a browser."""
