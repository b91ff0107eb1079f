-- qttorch: tensors as pictures of Qt, qt.QImage.fromTensor(x), which the package qt has.

return require 'qt'
