-- Says what the classes and packages of the library are for, a sentence each.

return {
   ['torch.CmdLine'] = 'Options and arguments of a program, with their defaults and help.',
   ['torch.DiskFile'] = "A file of the system, in text or binary: torch.DiskFile(name, 'r' | 'w' | 'rw').",
   ['torch.File'] = 'What files of all kinds have: positions, errors, reading and writing of numbers and objects.',
   ['torch.Generator'] = 'A stream of random numbers of its own, first argument of the random functions.',
   ['torch.MemoryFile'] = "A file in a CharStorage: torch.MemoryFile([storage,] 'r' | 'w' | 'rw').",
   ['torch.PipeFile'] = "What a command of the system writes or reads: torch.PipeFile(command, 'r' | 'w').",
   ['torch.Tester'] = 'Runs test functions and counts what they assert.',
   ['torch.TestSuite'] = 'A table of test functions in which no name can come twice.',
   ['torch.Timer'] = 'Measures seconds: of the clock, of the program and of the system for it.',
   gnuplot = 'Plots of tensors: curves, histograms, surfaces, in a window, the terminal or files.',
   image = 'Pictures as tensors: files, scaling, warps, colours, filters.',
   itorch = 'What notebooks show: images, HTML, plots, sound and films.',
   lfs = 'Folders and attributes of files, as LuaFileSystem has them.',
   paths = 'Names of files, folders, and what is in them.',
   pl = 'Penlight: tables, lists, strings and paths, a module each, as in pl.tablex.',
   sys = 'Time, commands of the system and colours.',
   torch = 'Tensors, storages, mathematics, files and classes.',
   xlua = 'Progress bars, profiles, and tables as arguments.',
}
