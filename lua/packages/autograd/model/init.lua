-- autograd.model: constructors of networks as functions; each returns f(params, x, ...) and params.

return {
   NeuralNetwork = require 'autograd.model.NeuralNetwork',
   SpatialNetwork = require 'autograd.model.SpatialNetwork',
   AlexNet = require 'autograd.model.AlexNet',
   RecurrentNetwork = require 'autograd.model.RecurrentNetwork',
   RecurrentLSTMNetwork = require 'autograd.model.RecurrentLSTMNetwork',
   RecurrentGRUNetwork = require 'autograd.model.RecurrentGRUNetwork',
   RecurrentFWNetwork = require 'autograd.model.RecurrentFWNetwork',
}
