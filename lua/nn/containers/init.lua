-- Modules that are made of modules.

return {
   { 'Container', 'Module' },
   { 'Sequential', 'Container' },
}
