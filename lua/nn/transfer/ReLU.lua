-- nn.ReLU: max(x, 0).

return function(ReLU, parent)
   function ReLU:__init(inplace)
      parent.__init(self, 0, 0, inplace)
   end
end
