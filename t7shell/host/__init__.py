"""What this system gives: functions that Lua calls, NumPy, BLAS, memory and files."""
