-- Arguments of the data sets of patches, for xlua.unpack_class and the help.

return {
   { arg = 'path', type = 'string', help = 'folder of the set', req = true },
   { arg = 'nbClasses', type = 'number', help = 'number of classes' },
   { arg = 'classNames', type = 'table', help = 'names of the classes; the first one is what no other one is' },
   { arg = 'nbRawSamples', type = 'number', help = 'number of pictures, all by default' },
   { arg = 'rawSampleMaxSize', type = 'number', help = 'longer side of the pictures; larger ones are scaled' },
   { arg = 'rawSampleSize', type = 'table', help = 'size of all pictures: {w = , h = }' },
   { arg = 'nbPatchPerSample', type = 'number', help = 'patches of a picture', default = 100 },
   { arg = 'patchSize', type = 'number', help = 'rows and columns of a patch', default = 64 },
   { arg = 'samplingMode', type = 'string', help = "'random' among all patches, or 'equal' numbers of the classes",
      default = 'random' },
   { arg = 'labelType', type = 'string', default = 'center',
      help = "the target: 'center', 1 at the class of the pixel in the center, -1 elsewhere, or 'pixelwise'" },
   { arg = 'labelGenerator', type = 'function', help = 'makes a sample of (set, picture, patch, mask of the picture, '
      .. 'mask of the patch, class, x, y, x and y of the corner, patchSize)' },
   { arg = 'infiniteSet', type = 'boolean', help = 'whether indices go on after the last one', default = false },
   { arg = 'classToSkip', type = 'number', help = 'a class that has no patches', default = 0 },
   { arg = 'preloadSamples', type = 'boolean', help = 'keeps all pictures in memory', default = false },
   { arg = 'cacheFile', type = 'string', help = 'files of this name in the folder keep positions and pictures' },
   { arg = 'verbose', type = 'boolean', help = 'prints what it does', default = false },
}
