-- The data sets of nnx, classes that are loaded when they are first used; see chapter.lua.

local patch_options = require 'nnx.patch_options'

local PATCHES = {}
for i, option in ipairs(patch_options) do
   local default = option.default ~= nil and '=' .. (type(option.default) == 'string' and "'" .. option.default .. "'"
      or tostring(option.default)) or option.req and '' or '?'
   PATCHES[i] = option.arg .. default .. ': ' .. option.help
end

local SAMPLES = 'index -> {input, target}'

return {
   name = 'nnx', title = 'Data sets of nnx',
   { 'DataSet', nil,
      summary = 'A list of samples from folders of pictures: set[i] is {input, target}. set:append{dataSetFolder = , '
         .. 'useLabelPiped = true} adds a folder whose names have targets, id|0.5|2.png; useDirAsLabel one that is '
         .. 'called by its class. add, appendDataSet, shuffle, apply, resize, cropAndResize, popSubset and display '
         .. 'work on the samples.',
      arguments = { 'dataSetFolder?: folder to load; or a table with these names, all of which may be left out',
         "nbSamplesRequired='all': the most samples", 'cacheFile?: file that keeps the samples for the next time',
         'channels=3: planes of an input', 'sampleSize?: planes, width and height of all inputs',
         'padding?: true centers pictures instead of scaling them' },
      shapes = SAMPLES },
   { 'DataList', 'DataSet',
      summary = 'Data sets, each of which is a class: list:appendDataSet(set, name). Classes take turns; targets are 1 '
         .. 'at the class, and -1 elsewhere, or 0 where list.targetIsProbability.',
      shapes = SAMPLES },
   { 'DataSetLabelMe', 'DataSet',
      summary = 'Patches of the pictures of LabelMe: Images/*/*.jpg with Masks/*/*.png, levels of gray, or polygons of '
         .. 'Annotations/*/*.xml.',
      arguments = PATCHES, example = 'nn.DataSetLabelMe{path = folder}', shapes = SAMPLES },
   { 'DataSetSamplingPascal', 'DataSet',
      summary = 'Patches of the pictures of Pascal VOC: JPEGImages/*.jpg with SegmentationClass/*.png or the boxes of '
         .. 'Annotations/*.xml.',
      arguments = PATCHES, example = 'nn.DataSetSamplingPascal{path = folder}', shapes = SAMPLES },
}
