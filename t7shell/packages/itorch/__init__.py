"""Python's part of the package `itorch`: media and plots in notebooks."""

FUNCTIONS = {
    ".media": "show_html show_file",
    ".plot": "new_plot add column set draw save html",
}
