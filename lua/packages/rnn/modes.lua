-- modes(Class, parent, change): a change between training and evaluation forgets the state, whatever is remembered.
-- change(self, method), by default the parent's method, is what it does besides.

return function(Class, parent, change)
   for name, is_training in pairs { training = true, evaluate = false } do
      Class[name] = function(self)
         if (self.train ~= false) ~= is_training then self:forget() end
         if change then return change(self, parent[name]) end
         return parent[name](self)
      end
   end
end
