"""The functions that `lua/packages/itorch` calls."""

FUNCTIONS = {
    ".media": "show_html show_file",
    ".plot": "new_plot add column set draw save html",
}
