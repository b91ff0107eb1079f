-- Layers with parameters, and layers that change shapes.

return {
   { 'Linear', 'Module' },
}
