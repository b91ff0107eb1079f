-- modes(Class, parent, change): switching between training and evaluation always forgets the state. change(self,
-- method) then makes the switch; by default it calls the parent's method.

return function(Class, parent, change)
   for name, is_training in pairs { training = true, evaluate = false } do
      Class[name] = function(self)
         if (self.train ~= false) ~= is_training then self:forget() end
         if change then return change(self, parent[name]) end
         return parent[name](self)
      end
   end
end
