-- keep_type(Class, parent, field): leaves a field out when objects of a class change their type.

return function(Class, parent, field)
   function Class:type(name, cache)
      local kept = self[field]
      self[field] = nil
      local result = parent.type(self, name, cache)
      self[field] = kept
      return result
   end
end
