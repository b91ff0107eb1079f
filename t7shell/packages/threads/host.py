"""The functions that `lua/threads` calls.

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
    "register": "t7shell.packages.threads.handles",
    "retain": "t7shell.packages.threads.handles",
    "release": "t7shell.packages.threads.handles",
    "start_pool": "t7shell.packages.threads.pool",
    "join_pool": "t7shell.packages.threads.pool",
    "is_finalizing": "sys",
    "start_thread": "t7shell.packages.threads.pool",
    "join_thread": "t7shell.packages.threads.pool",
    "retained_put": "t7shell.packages.threads.retained",
    "retained_take": "t7shell.packages.threads.retained",
    "retained_count": "t7shell.packages.threads.retained",
    "store_mutex": "t7shell.packages.threads.stores",
    "store_new": "t7shell.packages.threads.stores",
    "store_get": "t7shell.packages.threads.stores",
    "store_set": "t7shell.packages.threads.stores",
    "store_count": "t7shell.packages.threads.stores",
    "store_set_count": "t7shell.packages.threads.stores",
    "store_add": "t7shell.packages.threads.stores",
    "store_keys": "t7shell.packages.threads.stores",
    "store_item": "t7shell.packages.threads.stores",
    "store_drop": "t7shell.packages.threads.stores",
}
