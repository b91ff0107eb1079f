-- The chapters of torch's operations in the order of the manual: file, title, description.

return {
   { 'construct', 'Making tensors', 'Tensors made from numbers and from other tensors.' },
   { 'arithmetic', 'Arithmetic', 'Arithmetic, element by element. Tensors need the same number of elements, or '
      .. 'broadcast in the dialect modern.' },
   { 'math', 'Functions of elements', 'Functions of each element; those of numbers give a number.' },
   { 'bits', 'Bits', 'Bits of integer elements, at the width of their type.' },
   { 'compare', 'Comparisons', 'A new result is a ByteTensor, a mask; one that is given may be of the type of x.' },
   { 'reduce', 'Reductions and order', 'A dimension that is reduced stays, with size 1; '
      .. 'with `keepdim` false it is dropped. No tensor has fewer dimensions than one.' },
   { 'pick', 'Picking elements', 'Elements picked by indices, which count from 1, and by masks of 0 and 1.' },
   { 'matrix', 'Products of matrices', 'Products of vectors, matrices and batches of matrices.' },
   { 'linalg', 'Linear algebra', 'Equations and factorisations by LAPACK. Matrices that are given are not changed.' },
   { 'conv', 'Convolution', 'Convolutions and cross-correlations of images and volumes.' },
   { 'names', 'Names of dimensions', 'A dimension that has a name may be given by it, wherever a dimension is taken. '
      .. 'Results have the names that belong to them.' },
   { 'random', 'Random numbers', 'A seed decides what is drawn: `torch.manualSeed(1)`.' },
}
