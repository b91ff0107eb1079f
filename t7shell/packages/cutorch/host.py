"""What `lua/cutorch` calls. Those of `device` and below need PyTorch.

==================  =================================================================================
memory              () -> free and total bytes of memory
cores               () -> cores that the process may use
pytorch             () -> whether PyTorch is installed; it is not imported
gpu_is_likely       () -> whether the system has the driver of a GPU
best_device         () -> the name of a GPU that PyTorch computes on, or nil
open_device         (name, presented) -> nil, or why this device cannot compute
device_count        () -> number of devices; chosen_device () -> number; choose_device (number)
device_name, device_memory, device_properties, synchronize (number), reaches (number, number): of devices
time_algorithms     (wanted): cuDNN's benchmark
seed                (number), generator_state () -> string, set_generator_state (string): its random numbers
buffer              (dtype, device, size, ...) -> a buffer; a message where memory is short; else nil
release_unused      (): gives the memory that PyTorch keeps back to the device
upload, download    (buffer, address, count, dtype)
upload_to_view      (view, address, count, dtype, goes_on): the same for a contiguous view
download_async      (view, address, count, dtype): pinned memory is copied while the program goes on
reserve_streams     (count), choose_stream (number), stream_waits (device, stream, device, stream)
synchronize_stream  (); use_on_stream (buffer); new_event () -> event or nil; event_call (event, method)
pinned              (dtype, count) -> keeper, address of memory that devices copy from and to
view                (buffer, offset, dimensions, size, ..., stride, ...) -> a view of it
element             (buffer, position) -> number; set_element (buffer, position, number)
program             (text, parameters) -> f(result, operand, ...), or nil
new_program         (text, parameters, bytes) -> f(operand, ...) -> a new tensor, or nil
operation           (name) -> f(view, ...), or nil
function_of         (name) -> f(view, ...) for modules of nn
sizes               (tensor) -> sizes; assign (to, from) copies
==================  =================================================================================
"""

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
