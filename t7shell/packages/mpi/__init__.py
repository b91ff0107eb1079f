"""MPI: Python's part of the package `mpi`.

Memory is given as (address, bytes) or (address, count, dtype); ranks count from 0.
Functions that can fail return None or a message, or (None, message) in place of their results. Collectives
first compare the requests of the ranks, and fail on all of them if they disagree.

================  ================================================================================
start             () -> rank, size, processes on this machine, largest tag
barrier           ()
allreduce         (address, count, dtype, op): in place, op 'sum', 'prod', 'max', 'min'
reduce            (address, count, dtype, op, root): in place at the root
broadcast         (address, bytes, dtype, root)
gather            (address, bytes, dtype, root or nil for all, address of the result)
scatter           (address of all, address, bytes, dtype, root)
send              (address, bytes, to, tag)
receive           (address, bytes, from, tag) -> rank of the sender
exchange          (address, bytes, to, from): sends the memory and replaces it by the received data
start_send        (address, bytes, to, tag) -> request; start_receive alike
start_allreduce   (address, count, dtype, op) -> request; start_broadcast (address, bytes, root) alike
wait              (request, bytes or nil) -> rank of the sender
broadcast_value   (address, bytes, root) -> text; send_value (address, bytes, to, tag)
start_send_value  (address, bytes, to, tag) -> request
receive_value     (from, tag) -> text, rank of the sender
gather_values     (address, bytes, root or nil for all) -> texts, nothing elsewhere
scatter_values    (root, text, ...) -> text
================  ================================================================================
"""

FUNCTIONS = {
    ".world": (
        "start barrier allreduce reduce broadcast gather scatter send receive exchange start_send "
        "start_receive start_allreduce start_broadcast wait broadcast_value send_value start_send_value "
        "receive_value gather_values scatter_values"
    ),
}
