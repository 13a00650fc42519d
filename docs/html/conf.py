# SPDX-License-Identifier: Apache-2.0
"""Sphinx: Markdown by MyST, the theme Furo, nothing from the network. docs/html/stage.py puts this beside the pages."""
import os

project = "libflux"
copyright = "the authors of libflux, Apache-2.0"  # noqa: A001
release = version = os.environ.get("FLUX_VERSION", "")
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 3
myst_update_mathjax = False
smartquotes = False  # two dashes are an option
suppress_warnings = ["myst.header"]  # pages of the manual begin their sections where mdoc does
highlight_language = "text"
html_theme = "furo"
html_title = "libflux %s" % version
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#22608a",
        "color-brand-content": "#22608a",
        "font-stack": "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif",
        "font-stack--monospace": "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace",
    },
    "dark_css_variables": {"color-brand-primary": "#8cc4ee", "color-brand-content": "#8cc4ee"},
}


def side_by_side(app, doctree):
    """C and Python that follow each other stand beside each other where there is room."""
    from docutils import nodes

    blocks = [b for b in doctree.findall(nodes.literal_block) if b.get("language") in ("c", "python")]
    for first in blocks:
        place = first.parent
        at = place.index(first) + 1 if place is not None else 0
        while place is not None and at < len(place) and isinstance(place[at], (nodes.comment, nodes.raw)):
            at += 1
        if place is None or at >= len(place):
            continue
        second = place[at]
        if first["language"] == "c" and isinstance(second, nodes.literal_block) and second.get("language") == "python":
            pair = nodes.container(classes=["pair"])
            place.remove(second)
            place.replace(first, pair)
            for block, name in ((first, "C"), (second, "Python")):
                side = nodes.container(classes=["side"])
                side += nodes.inline("", name, classes=["language"])
                side += block
                pair += side


def setup(app):
    app.connect("doctree-read", side_by_side)
    return {"parallel_read_safe": True}
