"""What `lua/cutorch` calls. Those of `device` and below need PyTorch.

==================  =================================================================================
memory              () -> free and total bytes of memory
cores               () -> cores that the process may use
pytorch             () -> whether PyTorch is installed; it is not imported
gpu_is_likely       () -> whether the system has the driver of a GPU
best_device         () -> the name of a GPU that PyTorch computes on, or nil
open_device         (name) -> nil, or why this device cannot compute
device_count, device_name, device_memory, synchronize: of the device in use
time_algorithms     (wanted): cuDNN's benchmark
seed                (number), generator_state () -> string, set_generator_state (string): its random numbers
buffer              (dtype, count) -> a buffer; a message where memory is short; nil for types it lacks
upload, download    (buffer, address, count, dtype)
view                (buffer, offset, dimensions, size, ..., stride, ...) -> a view of it
element             (buffer, position) -> number; set_element (buffer, position, number)
program             (text, parameters) -> f(result, operand, ...), or nil
operation           (name) -> f(view, ...), or nil
function_of         (name) -> f(view, ...) for modules of nn
sizes               (tensor) -> sizes; assign (to, from) copies; contiguous (tensor) -> one
==================  =================================================================================
"""

_PACKAGE = "t7shell.packages.cutorch"
_DEVICE = (
    "best_device open_device device_count device_name device_memory synchronize seed "
    "time_algorithms generator_state set_generator_state buffer upload download view element set_element"
)

FUNCTIONS = {
    **{name: f"{_PACKAGE}.system" for name in ("memory", "cores", "pytorch", "gpu_is_likely")},
    **{name: f"{_PACKAGE}.device" for name in _DEVICE.split()},
    "program": f"{_PACKAGE}.elementwise",
    "operation": f"{_PACKAGE}.operations",
    "sizes": f"{_PACKAGE}.modules",
    "assign": f"{_PACKAGE}.modules",
    "contiguous": f"{_PACKAGE}.modules",
    "function_of": f"{_PACKAGE}.registry",
}
