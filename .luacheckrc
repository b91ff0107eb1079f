-- Programs run in LuaJIT, with the packages that the shell preloads as globals.
std = "luajit"
max_line_length = 120
-- "not (a < b)" is what holds for nan too.
ignore = { "581" }
self = false
read_globals = {
   "torch", "paths", "sys", "xlua", "nn", "optim", "image", "gnuplot", "itorch", "graph", "nngraph", "hdf5", "cutorch", "lfs",
   "csvigo", "dok", "dpnn", "nnx", "rnn", "torchx", "mpi", "parallel",
   "unsup", "gm", "optnet", "inn", "cltorch", "cephes", "randomkit",
   "signal", "qtwidget", "qt", "mnist", "audio", "iterm", "sundown",
}
exclude_files = { ".venv*/**" }

-- The shell replaces these functions of Lua.
files["lua/shell/exit.lua"] = { globals = { "os.exit" } }
files["lua/torch/utility/interruption.lua"] = { globals = { "io.read", "io.lines", "os.execute" } }
files["lua/torch/language/standard.lua"] = { globals = { "os.execute", "io.popen", "io.close" } }
files["lua/shell/questions.lua"] = { globals = { "io.read", "io.lines" } }
files["lua/shell/modules.lua"] = { globals = { "package.loadlib" } }
files["lua/shell/output.lua"] = { globals = { "io.write", "os.execute" } }

-- Classes without a package are globals.
files["tests/object_graphs.lua"] = { read_globals = { "TgCustom" }, globals = { "TgNode" } }

-- Scripts set fields of cudnn.
files["examples/gpu_training.lua"] = { globals = { "cudnn" } }
-- Threads have globals of their own.
files["examples/donkeys.lua"] = { globals = { "loader", "tid" } }
