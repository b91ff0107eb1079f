"""What `lua/parallel` calls. A peer is a child of this process, or its parent.

=========  ==========================================================================
start      (dialect) -> peer of a new process, or (nil, message)
attach     (file descriptor) -> peer of the parent
send       (peer, address, bytes): never waits
receive    (peer, whether to wait) -> text; nil if there is none; or (nil, message)
alive      (peer) -> whether the process runs
close      (peer): ends the process
=========  ==========================================================================
"""

FUNCTIONS = {
    name: "t7shell.packages.parallel.processes"
    for name in ("start", "attach", "send", "receive", "alive", "close")
}
