"""The functions that `lua/packages/image` calls."""

FUNCTIONS = {
    ".files": "limit head load load_bytes save encode can_save misfit",
    ".pictures": "test_picture",
}
