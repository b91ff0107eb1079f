-- A picture that has the shapes of one and the textures of another: modules that keep a target and add their gradient
-- stand between the layers of a network, and L-BFGS changes the picture.

require 'image'
require 'nn'
require 'optim'
torch.setdefaulttensortype 'torch.FloatTensor'
torch.manualSeed(1)

local cmd = torch.CmdLine()
cmd:option('-size', 48, 'side of the picture')
cmd:option('-content_weight', 5)
cmd:option('-style_weight', 200)
cmd:option('-tv_weight', 1e-3, 'weight of differences between neighbours')
cmd:option('-num_iterations', 30)
cmd:option('-content_layers', 'relu2')
cmd:option('-style_layers', 'relu1,relu2')
cmd:option('-pooling', 'avg', 'max | avg')
local params = cmd:parse(arg or {})

local ContentLoss, parent = torch.class('nn.ContentLoss', 'nn.Module')

function ContentLoss:__init(strength)
   parent.__init(self)
   self.strength, self.loss, self.mode = strength, 0, 'none'
   self.target, self.crit = torch.Tensor(), nn.MSECriterion()
end

-- The compared features: the input unchanged.
function ContentLoss.features(_, input) return input end
function ContentLoss.back(_, _, gradient) return gradient end

function ContentLoss:updateOutput(input)
   local features = self:features(input)
   if self.mode == 'capture' then self.target:resizeAs(features):copy(features) end
   if self.mode == 'loss' then self.loss = self.crit:forward(features, self.target) * self.strength end
   self.output = input
   return self.output
end

function ContentLoss:updateGradInput(input, gradOutput)
   self.gradInput = gradOutput
   if self.mode == 'loss' then
      local gradient = self.crit:backward(self:features(input), self.target)
      self.gradInput = self:back(input, gradient):clone():mul(self.strength):add(gradOutput)
   end
   return self.gradInput
end

-- The products of all pairs of planes.
local StyleLoss = torch.class('nn.StyleLoss', 'nn.ContentLoss')

function StyleLoss.features(_, input)
   local planes = input:view(input:size(1), -1)
   return torch.mm(planes, planes:t()):div(input:nElement())
end

function StyleLoss.back(_, input, gradient)
   local planes = input:view(input:size(1), -1)
   return torch.mm(gradient + gradient:t(), planes):div(input:nElement()):viewAs(input)
end

local TVLoss = torch.class('nn.TVLoss', 'nn.Module')

function TVLoss:updateOutput(input)
   self.output = input
   return self.output
end

function TVLoss:updateGradInput(input, gradOutput)
   local inner, right, below = { {}, { 1, -2 }, { 1, -2 } }, { {}, { 1, -2 }, { 2, -1 } }, { {}, { 2, -1 }, { 1, -2 } }
   local across, down = input[inner] - input[right], input[inner] - input[below]
   self.gradInput:resizeAs(input):zero()
   self.gradInput[inner]:add(across):add(down)
   self.gradInput[right]:add(-1, across)
   self.gradInput[below]:add(-1, down)
   return self.gradInput:mul(params.tv_weight):add(gradOutput)
end

-- A network with names, as files of Caffe give them.
local cnn, names = nn.Sequential(), { 'conv1', 'relu1', 'pool1', 'conv2', 'relu2', 'pool2' }
cnn:add(nn.SpatialConvolution(3, 8, 3, 3, 1, 1, 1, 1)):add(nn.ReLU(true)):add(nn.SpatialMaxPooling(2, 2, 2, 2):ceil())
cnn:add(nn.SpatialConvolution(8, 16, 3, 3, 1, 1, 1, 1)):add(nn.ReLU(true)):add(nn.SpatialMaxPooling(2, 2, 2, 2):ceil())
for i, name in ipairs(names) do cnn:get(i).name = name end

local contents, styles, net = {}, {}, nn.Sequential():add(nn.TVLoss())
local function is_in(list, name) return name and (',' .. list .. ','):find(',' .. name .. ',', 1, true) end
for i = 1, #cnn do
   local layer = cnn:get(i)
   if torch.type(layer) == 'nn.SpatialMaxPooling' and params.pooling == 'avg' then
      net:add(nn.SpatialAveragePooling(layer.kW, layer.kH, layer.dW, layer.dH))
   else
      net:add(layer)
   end
   if is_in(params.content_layers, layer.name) then
      contents[#contents + 1] = nn.ContentLoss(params.content_weight)
      net:add(contents[#contents])
   end
   if is_in(params.style_layers, layer.name) then
      styles[#styles + 1] = nn.StyleLoss(params.style_weight)
      net:add(styles[#styles])
   end
end
print(net)

local function set_mode(list, mode)
   for _, module in ipairs(list) do module.mode = mode end
end

local content = image.scale(image.lena(), params.size, params.size)
local style = image.scale(image.hflip(image.lena()), params.size, params.size):gt(0.5):typeAs(content)
set_mode(contents, 'capture')
net:forward(content)
set_mode(contents, 'none')
set_mode(styles, 'capture')
net:forward(style)
set_mode(contents, 'loss')
set_mode(styles, 'loss')

local function total(list)
   local sum = 0
   for _, module in ipairs(list) do sum = sum + module.loss end
   return sum
end

local picture = torch.rand(content:size())
local zeros, first = net:forward(picture):clone():zero(), nil
local function feval(x)
   net:forward(x)
   local gradient = net:updateGradInput(x, zeros)
   local loss = total(contents) + total(styles)
   first = first or { content = total(contents), style = total(styles), loss = loss }
   return loss, gradient:view(-1)
end
optim.lbfgs(feval, picture, { maxIter = params.num_iterations, learningRate = 1 })
local last = feval(picture)

print('the loss falls to less than a half:', last < first.loss / 2)
print('the content falls:', total(contents) < first.content)
print('the style falls:', total(styles) < first.style)
image.save('out.png', image.minmax { tensor = picture, min = 0, max = 1 })
print(('out.png has %d planes of %dx%d'):format(unpack(image.getSize('out.png'):totable())))
