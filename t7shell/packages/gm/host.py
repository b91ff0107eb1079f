"""The functions that `lua/packages/gm` calls."""

FUNCTIONS = {
    ".pictures": "open decode make pixels write encode size property profile set_gamma set_profile",
    ".operations": "change",
}
