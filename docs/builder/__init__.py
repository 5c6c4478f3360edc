"""Makes a site of the guides, of what components, commands and Python declare, and of the benchmarks' tables.

    python -m docs.builder.site FOLDER

It takes markdown-it-py, jinja2 and Pygments, which winnow or its tests need anyway. Builders of sites bring themes that
load fonts and scripts from other hosts: zensical 0.1.2 names one even where it is told not to.
"""
