-- nn.Clamp: HardTanh with limits that must be given.

return function(Clamp, parent)
   function Clamp:__init(min_value, max_value)
      parent.__init(self, min_value, max_value)
   end
end
