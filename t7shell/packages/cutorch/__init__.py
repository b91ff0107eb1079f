"""Python's part of the package `cutorch`: devices of PyTorch and properties of the system.

`FUNCTIONS` are those that `lua/packages/cutorch` calls. The modules from `device` on import PyTorch.
"""

FUNCTIONS = {
    ".system": "memory cores pytorch gpu_is_likely",
    ".device": (
        "best_device open_device device_count current_device set_device device_name device_memory "
        "device_properties can_access_peer synchronize seed time_algorithms generator_state "
        "set_generator_state release_unused buffer upload download upload_to_view download_async view "
        "element set_element"
    ),
    ".streams": (
        "reserve_streams set_stream stream_waits synchronize_stream use_on_stream new_event event_call "
        "pinned"
    ),
    ".elementwise": "program new_program",
    ".operations": "operation",
    ".modules": "sizes assign",
    ".registry": "function_of",
}
