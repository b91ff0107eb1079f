"""Pictures by Pillow: Python's part of the package `gm`."""

FUNCTIONS = {
    ".pictures": "open decode make pixels write encode size property profile set_gamma set_profile",
    ".operations": "change",
}
