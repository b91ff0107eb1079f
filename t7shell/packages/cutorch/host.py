"""What `lua/cutorch` calls. Functions of `device` and below need PyTorch, which their modules import."""

_PACKAGE = "t7shell.packages.cutorch"
_DEVICE = (
    "best_device open_device device_count chosen_device choose_device device_name device_memory "
    "device_properties reaches synchronize seed "
    "time_algorithms generator_state set_generator_state release_unused "
    "buffer upload download upload_to_view download_async view element set_element"
)

_STREAMS = (
    "reserve_streams choose_stream stream_waits synchronize_stream use_on_stream new_event event_call pinned"
)

FUNCTIONS = {
    **{name: f"{_PACKAGE}.system" for name in ("memory", "cores", "pytorch", "gpu_is_likely")},
    **{name: f"{_PACKAGE}.device" for name in _DEVICE.split()},
    **{name: f"{_PACKAGE}.streams" for name in _STREAMS.split()},
    "program": f"{_PACKAGE}.elementwise",
    "new_program": f"{_PACKAGE}.elementwise",
    "operation": f"{_PACKAGE}.operations",
    "sizes": f"{_PACKAGE}.modules",
    "assign": f"{_PACKAGE}.modules",
    "function_of": f"{_PACKAGE}.registry",
}
