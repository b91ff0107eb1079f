"""The functions that `lua/image` calls."""

FUNCTIONS = {
    ".files": "limit head load load_bytes save encode can_save misfit",
    ".pictures": "test_picture",
}
