"""Repairs of examples that the extraction of the seed documents damaged, and of text that is not an input.

Everything else in them runs as it stands. An override names the line and a part of the damaged source.
"""

from tests.documents import Override

# Its lines were joined, which the runner undoes.
JOINED: list[Override] = []

TORCH5 = [
    Override(
        17,
        "print(x:size())",
        "print(x:size())",
        "the lines of output that were but a number were lost",
        wanted="4\n5\n6\n2\n7\n3\n[torch.LongStorage of size 6]",
    ),
    Override(
        28,
        "= x:storage()[x:storageOffset()",
        "= x:storage()[x:storageOffset() + (3-1)*x:stride(1) + (4-1)*x:stride(2) + (5-1)*x:stride(3)]",
        "the second line of the expression was lost",
    ),
    Override(
        54,
        "return  x:stride()",
        "return  x:stride()",
        "the line of output that was but a number was lost",
        wanted=" 1 -- element in the first dimension are contiguous!\n 4\n[torch.LongStorage of size 2]",
    ),
    Override(
        76,
        "print(x)",
        "print(x)",
        "the lines of output that were but a number were lost",
        wanted="0\n0\n0\n0\n0\n[torch.Tensor of dimension 5]",
    ),
    Override(
        80,
        "print(x)",
        "print(x)",
        "the lines of output that were but a number were lost",
        wanted="0\n1\n1\n1\n0\n[torch.Tensor of dimension 5]",
    ),
]

NOTEBOOK: list[Override] = []

MANUAL = [
    Override(
        9,
        "s = 4; s = 5",
        "z = torch.Tensor(4,5,6,2)\n"
        "s = torch.LongStorage(6)\n"
        "s[1] = 4; s[2] = 5; s[3] = 6; s[4] = 2; s[5] = 7; s[6] = 3;\n"
        "x = torch.Tensor(s)",
        "the indices of s were lost",
    ),
    Override(40, "= x", "= x[3][4][5]", "the indices of x were lost"),
    Override(93, "ByteTensor", None, "a list of type names, no input"),
    Override(107, "setdefaulttensortype", None, "shown as a possibility: what follows has double tensors"),
    Override(
        198,
        "x = 1 -- all",
        "x = torch.Tensor(torch.LongStorage({4}), torch.LongStorage({0})):zero()\nx[1] = 1\nprint(x)",
        "the index of x was lost",
    ),
    Override(419, "type(tensor:type())", None, "explains a method by a tensor that does not exist"),
    Override(616, "= x -- returns row 2", "= x[2]", "the index of x was lost"),
    Override(623, "= x -- returns row 2, column 3", "= x[2][3]", "the indices of x were lost"),
    Override(
        1181,
        "=torch.repeatTensor(x,3,2)",
        "print(torch.repeatTensor(x,3,2)) print(torch.repeatTensor(x,3,2,1))",
        "the input of the second output was lost",
    ),
]
