"""Python's part of the package `threads`: Lua states in separate threads.

=============  ===============================================================================================
register       (kind, address): a new object that threads know by its address
retain         (kind, address) -> whether there is one; it has one more user
release        (kind, address) -> whether that was the last user
start_pool     (id of the queue of jobs, of results, count, scheme, dialect, path, cpath)
               -> number of the pool, address of its flags; or nil, message
join_pool      (number): waits until its threads have ended
is_finalizing  () -> whether Python ends
start_thread   (source, dialect, path, cpath) -> the number of a thread that runs a program; or nil, message
join_thread    (number) -> nil, or why its program failed
=============  ===============================================================================================

retained_*     tensors that cross as numbers, see `retained.py`
store_*        elements of collections that threads share, see `stores.py`
"""

FUNCTIONS = {
    ".handles": "register retain release",
    ".pool": "start_pool join_pool start_thread join_thread",
    "sys": "is_finalizing",
    ".retained": "retained_put retained_take retained_count",
    ".stores": (
        "store_mutex store_new store_get store_set store_count store_set_count store_add store_keys "
        "store_item store_drop"
    ),
}
