"""Generates C for the element-wise programs of the rows: a kernel, in one loop, for each program and type.

build.py calls `write` before it compiles. Kernels have the type t7_kernel of elementwise.h; rows.py finds the
programs.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any


def _load_sibling(name: str) -> Any:
    """Loads a module of this folder by its path: the package cannot be imported while it is built."""
    spec = importlib.util.spec_from_file_location(f"t7_native_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_rows = _load_sibling("rows")

C_TYPES = {
    "Byte": "uint8_t",
    "Char": "int8_t",
    "Short": "int16_t",
    "Int": "int32_t",
    "Long": "int64_t",
    "Float": "float",
    "Double": "double",
}
SIZES = {"Byte": 1, "Char": 1, "Short": 2, "Int": 4, "Long": 8, "Float": 4, "Double": 8}

# Functions that have other names in C.
C_NAMES = {
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "power": "pow",
    "absolute": "abs",
}
BUILTINS = {"floor", "ceil", "trunc", "sqrt"}
# Functions with rare arguments, see maths/basic.h: a block with such ones is computed again, carefully.
HAS_RARE = {
    "sigmoid_d", "exp_d", "pow_d", "pow_f", "fmod_d", "fmod_f",
    "sin_d", "sin_f", "cos_d", "cos_f", "tan_d", "tan_f",
}

# Instructions for an element, where there are many; such kernels take whole blocks of WIDTH elements.
INSTRUCTIONS = {
    "exp": 24, "exp2": 24, "log": 30, "log1p": 40, "sigmoid": 30, "tanh": 40, "cosh": 30, "sinh": 50,
    "sin": 60, "cos": 60, "tan": 60, "arcsin": 90, "arccos": 90, "arctan": 90, "arctan2": 90,
    "power": 120, "fmod": 60, "residual": 10,
}
_CHOICES = {"select", "maximum", "minimum", "positive"}
_SCRATCH_SIZES = {"double": 8, "float": 4, "int64_t": 8, "int32_t": 4}
# Nanoseconds for memory of 4 bytes, and for an instruction on them.
NS_MEMORY, NS_INSTRUCTION = 0.15, 0.012


class Program:
    """The C function of a program for a type."""

    def __init__(self, text: str, type_name: str, number: int) -> None:
        self.text, self.type, self.name = text, type_name, f"{type_name}_{number}"
        self.wide = text.startswith("wide; ")
        self.real = type_name in _rows.REAL
        # Integers are promoted as in C. Names of functions end in the suffix.
        self.c, self.size = C_TYPES[type_name], SIZES[type_name]
        self.suffix = "f" if type_name == "Float" and not self.wide else "d"
        steps = _rows.steps_of(text)
        assert steps
        divides = any(f == "divide" for _, f, _ in steps)
        # Steps that choose among operands need no wider integers.
        chooses = all(
            (f in _CHOICES or f in _rows.COMPARISONS) and all(o[0].isalpha() for o in operands)
            for _, f, operands in steps
        )
        self.scratch = "int32_t" if self.size < 4 and not chooses else "int64_t" if divides else self.c
        if self.real:
            self.scratch = "float" if self.suffix == "f" else "double"
        used = {o for _, _, operands in steps for o in operands}
        assigned = {to for to, _, _ in steps}
        self.tensors = [r for r in _rows.TENSORS if r in used and not (r == "q" and "q" in assigned)]
        self.numbers = [r for r in _rows.NUMBERS if r in used]
        self.result = "uint8_t" if steps[-1][1] in _rows.COMPARISONS else self.c
        self.is_blocked = self.real and any(f in INSTRUCTIONS for _, f, _ in steps)
        self.has_rare = False
        self.instructions = sum(INSTRUCTIONS.get(f, 1) for _, f, _ in steps)
        self.lines = [f"{self.type_of(to)} {to}{';' if to != 'z' else ''}" for to in sorted(assigned - {"z"})]
        for to, function, operands in steps:
            value = self.call(function, [self.operand(o) for o in operands])
            self.lines.append(f"return ({self.result})({value});" if to == "z" else f"{to} = {value};")

    def type_of(self, register: str) -> str:
        """The C type of a register; the result of a comparison is as wide as elements are."""
        if register[0] != "q":
            return self.scratch
        return f"int{8 * _SCRATCH_SIZES.get(self.scratch, self.size)}_t"

    def operand(self, text: str) -> str:
        if text[0].isalpha():
            return text
        if not self.real:
            return text
        number = text if "." in text or "e" in text else text + ".0"
        return number + ("f" if self.suffix == "f" else "")

    def call(self, function: str, a: list[str]) -> str:
        if function in _rows.ARITHMETIC and (self.real or function != "divide"):
            return f"{a[0]} {_rows.ARITHMETIC[function]} {a[1]}"
        if function in _rows.COMPARISONS:
            return f"{a[0]} {_rows.COMPARISONS[function].replace('~', '!')} {a[1]}"
        if function == "select":
            return f"{a[0]} ? {a[1]} : {a[2]}"
        if function == "positive":
            return a[0]
        return self.real_call(function, a) if self.real else self.integer_call(function, a)

    def real_call(self, function: str, a: list[str]) -> str:
        if function in ("maximum", "minimum") and re.fullmatch(r"-?[0-9.]*[1-9].*", a[1]):
            # One instruction beside a number that is neither NaN nor zero.
            return f"{a[1]} {'>' if function == 'maximum' else '<'} {a[0]} ? {a[1]} : {a[0]}"
        if function in BUILTINS:
            return f"__builtin_{function}{'f' if self.suffix == 'f' else ''}({a[0]})"
        name = f"{C_NAMES.get(function, function)}_{self.suffix}"
        if name in HAS_RARE:
            self.has_rare = True
            a = [*a, "careful", "rare"]
        return f"{name}({', '.join(a)})"

    def integer_call(self, function: str, a: list[str]) -> str:
        x, y = a[0], a[-1]
        if function == "absolute":
            return f"{x} < 0 ? -{x} : {x}"
        if function == "sign":
            return f"({x} > 0) - ({x} < 0)"
        if function in ("maximum", "minimum"):
            return f"{x} {'>' if function == 'maximum' else '<'} {y} ? {x} : {y}"
        if function in ("divide", "fmod", "remainder", "power"):
            # Results of steps may have more than 32 bits.
            short = self.size <= 4 and {x, y} <= set(_rows.TENSORS + _rows.NUMBERS)
            return f"{function}_{32 if short else 64}({x}, {y})"
        if function.endswith("shift"):
            sign = "<<" if function == "left_shift" else ">>"
            u = f"uint{8 * self.size}_t"
            return f"({u}){y} < {8 * self.size} ? ({u})(({u}){x} {sign} (({u}){y} & {8 * self.size - 1})) : 0"
        return f"{x} {'&' if function == 'bitwise_and' else '|' if function == 'bitwise_or' else '^'} {y}"

    @property
    def work(self) -> float:
        instructions = self.instructions * (1 if self.real else 4 / self.size)
        return (NS_MEMORY + NS_INSTRUCTION * instructions) * self.size / 4

    def element_type(self, register: str) -> str:
        return "uint8_t" if register == "q" else self.c

    def element_size(self, register: str) -> int:
        return 1 if register == "q" else self.size

    def loop(self, scalars: tuple[str, ...], indent: str = "    ") -> list[str]:
        """The loop over contiguous operands, some of which are one number each."""
        out, arguments = [], []
        for k, r in enumerate(self.tensors):
            c = self.element_type(r)
            if r in scalars:
                out.append(f"const {c} {r} = *(const {c} *)operands[{k}];")
                arguments.append(r)
            else:
                out.append(f"const {c} *{r} = (const {c} *)operands[{k}];")
                arguments.append(f"{r}[i]")
        for r in self.numbers:
            k = _rows.NUMBERS.index(r)
            out.append(f"const {self.c} {r} = *(const {self.c} *)((void **)numbers)[{k}];")
            if self.has_rare:
                # Else compilers hoist conditions on the number out of the loop, and do not vectorize it.
                out += [f"{self.c} {r}_row[WIDTH];", f"for (int i = 0; i < WIDTH; i++) {r}_row[i] = {r};"]
            arguments.append(f"{r}_row[i]" if self.has_rare else r)
        out.append(f"{self.result} *z = ({self.result} *)operands[{len(self.tensors)}];")
        if self.is_blocked:
            out += self.block_loop(arguments, [r for r in self.tensors if r not in scalars])
        else:
            call = f"{self.name}_element({', '.join(arguments)})"
            # A call of the C library cannot be vectorized, of which clang would warn.
            hint = "" if "gammaln" in self.text else "INDEPENDENT "
            out.append(f"{hint}for (int64_t i = 0; i < n; i++) z[i] = {call};")
        return [indent + line for line in out]

    def block_loop(self, arguments: list[str], rows: list[str]) -> list[str]:
        """The loop over blocks of WIDTH elements, each several vectors that compilers interleave."""
        at = [re.sub(r"^(\w)\[i\]$", r"\1_at[i]", argument) for argument in arguments]

        def block(*careful: str) -> str:
            call = f"{self.name}_element({', '.join([*at, *careful])})"
            return f"for (int i = 0; i < WIDTH; i++) block[i] = {call};"

        body = [block()]
        if self.has_rare:
            body = ["uint64_t rare = 0;", block("0", "&rare"), f"if (rare) {block('1', '&rare')}"]
        return [
            "for (int64_t from = 0; from < n; from += WIDTH) {",
            f"    {self.result} block[WIDTH];",
            *[f"    const {self.element_type(r)} *{r}_at = {r} + from;" for r in rows],
            *[f"    {line}" for line in body],
            "    store_block(z + from, block, sizeof block);",
            "}",
        ]

    def source(self) -> str:
        names = [*self.tensors, *self.numbers]
        last = len(self.tensors)
        z_size = 1 if self.result == "uint8_t" else self.size
        sizes = [self.element_size(r) for r in self.tensors] + [z_size]
        parameters = ", ".join(f"{'uint8_t' if r == 'q' else self.scratch} {r}" for r in names)
        more = ", const int careful, uint64_t *rare" if self.has_rare else ""
        out = [
            f"/* {self.text} */",
            f"INLINE {self.result} {self.name}_element({parameters}{more}) {{",
            *[f"    {line}" for line in self.lines],
            "}",
            f"static void {self.name}(char **operands, const int64_t *count, const int64_t *steps, "
            "void *numbers) {",
        ]

        def contiguous(scalars: tuple[str, ...]) -> str:
            steps = [0 if r in scalars else s for r, s in zip([*self.tensors, "z"], sizes, strict=True)]
            return " && ".join(f"steps[{k}] == {step}" for k, step in enumerate(steps))

        # Other operands are copied in blocks.
        unit = "WIDTH" if self.is_blocked else 1
        shape = f"{{{self.name}, {last + 1}, {unit}, {{{', '.join(map(str, sizes))}}}}}"
        out += [f"    static const t7_shape shape = {shape};"]
        in_blocks = "t7_in_blocks(&shape, operands, {}, *count, steps, numbers);"
        if self.is_blocked:
            # Such kernels take whole blocks of WIDTH elements.
            out += [f"    const int64_t n = {contiguous(())} ? *count & -WIDTH : 0;", *self.loop(())]
            out.append(f"    if (n < *count) {in_blocks.format('n')}")
        else:
            out.append("    const int64_t n = *count;")
            variants: list[tuple[str, ...]] = [()]
            if last > 1 and self.real:
                variants.append((self.tensors[-1],))
                variants.append(tuple(self.tensors[1:]) if last > 2 else (self.tensors[0],))
            for k, scalars in enumerate(variants):
                out.append(f"    {'} else ' if k else ''}if ({contiguous(scalars)}) {{")
                out += self.loop(scalars, "        ")
            out += ["    } else {", f"        {in_blocks.format('0')}", "    }"]
        return "\n".join([*out, "}", ""])


HEAD = """/* Made by programs.py. */
#include "blocks.h"
#include "maths/gamma.h"
#include "maths/hyperbolic.h"
#include "maths/integers.h"
#include "maths/inverse_trig.h"
#include "maths/logarithm.h"
#include "maths/power.h"
#include "maths/remainder.h"
#include "maths/trig.h"
"""

TABLE = """/* Made by programs.py. */
#include "elementwise.h"
#include <stdlib.h>
#include <string.h>

typedef struct { const char *text; t7_kernel *kernel; double work; } t7_program;
extern const t7_program %s;
static const struct { const char *type; const t7_program *programs; int count; } types[] = {%s};

static int compare(const void *text, const void *program) {
    return strcmp(text, ((const t7_program *)program)->text);
}

t7_kernel *t7_find_program(const char *type, const char *text, double *work) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].type, type)) continue;
        const t7_program *found = bsearch(text, types[i].programs, types[i].count, sizeof *found, compare);
        if (found) *work = found->work;
        return found ? found->kernel : 0;
    }
    return 0;
}
"""


def _conversion(to: str, source: str) -> str:
    """The kernel that converts between two types.

    There are vector instructions for integers of 32 bits; integers of 64 bits below 2^51 are the low bits of
    a sum of doubles. Blocks whose elements all fit are converted so, others one by one.
    """
    t, s, name = C_TYPES[to], C_TYPES[source], f"{to}_of_{source}"
    real_source, real = source in _rows.REAL, to in _rows.REAL
    loop = [f"INDEPENDENT for (int64_t i = 0; i < n; i++) z[i] = ({t})x[i];"]
    if (real_source != real and "Long" in (to, source)) or (real_source and not real):
        inside, check, fast = "uint64_t", "", ""
        truncate = "double_to_long" if to == "Long" else "double_to_int"
        value = f"({t})x[i]" if real else f"({t}){truncate}((double)x[i])"
        if source == "Long":
            check, fast = "((uint64_t)x[i] + (1ull << 51)) >> 52", f"({t})small_long_d(x[i])"
        elif to == "Long":
            check, fast = "abs_d((double)x[i]) < 0x1p51 ? 0 : (uint64_t)-1", "truncate_small_d((double)x[i])"
        elif source == "Double":
            check, fast = "abs_d(x[i]) < 0x1p31 ? 0 : (uint64_t)-1", f"({t})(int32_t)x[i]"
        else:
            inside, check = "uint32_t", "abs_f(x[i]) < 0x1p31f ? 0 : (uint32_t)-1"
            fast = f"({t})(int32_t)x[i]"
        each = "for (int64_t i = from; i < from + 64; i++)"
        if "Long" in (to, source):
            convert = [f"INDEPENDENT {each} {{", f"    beyond |= {check};", f"    z[i] = {fast};", "}"]
        else:
            # Vectors of elements of two widths are slow.
            convert = [f"{each} beyond |= {check};"]
            convert += ["if (!beyond) {", f"    INDEPENDENT {each} z[i] = {fast};", "}"]
        loop = [
            "int64_t from = 0;",
            "for (; from + 64 <= n; from += 64) {",
            *(f"    {line}" for line in (f"{inside} beyond = 0;", *convert, "if (beyond) {")),
            f"        {each} z[i] = {value};",
            "    }",
            "}",
            f"for (int64_t i = from; i < n; i++) z[i] = {value};",
        ]
    return "\n".join(
        [
            f"static void {name}(char **operands, const int64_t *count, const int64_t *steps, "
            "void *numbers) {",
            f"    static const t7_shape shape = {{{name}, 2, 1, {{{SIZES[source]}, {SIZES[to]}}}}};",
            "    const int64_t n = *count;",
            f"    if (steps[0] == {SIZES[source]} && steps[1] == {SIZES[to]}) {{",
            f"        const {s} *x = (const {s} *)operands[0];",
            f"        {t} *z = ({t} *)operands[1];",
            *(f"        {line}" for line in loop),
            "    } else {",
            "        t7_in_blocks(&shape, operands, 0, n, steps, numbers);",
            "    }",
            "}",
            "",
        ]
    )


def _conversions() -> str:
    pairs = [(to, source) for to in C_TYPES for source in C_TYPES if to != source]
    return "\n".join(
        [
            HEAD,
            '#include "copy.h"',
            '#include "maths/integer_conversion.h"',
            *[_conversion(*pair) for pair in pairs],
            "static const struct { const char *to, *from; t7_kernel *kernel; } conversions[] = {",
            *[f'    {{"{to}", "{source}", {to}_of_{source}}},' for to, source in pairs],
            "};",
            "",
            "t7_kernel *t7_find_conversion(const char *to, const char *from) {",
            "    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++) {",
            "        if (!strcmp(to, conversions[i].to) && !strcmp(from, conversions[i].from)) "
            "return conversions[i].kernel;",
            "    }",
            "    return 0;",
            "}",
            "",
        ]
    )


def _logarithm_table() -> str:
    """The table of power.h: logarithms near the midpoints of parts of an octave.

    A row has a reciprocal n / 128 or n / 256, the first 42 bits of minus its logarithm, so that sums with
    multiples of those of log 2 are exact, and the rest of them. The octave begins in the middle of a part
    before 1, so that the reciprocal is 1 around 1.
    """
    parts, before, places = 128, 75, 160

    def logarithm(numerator: int, denominator: int) -> int:
        """With 160 bits behind the point, as 2 artanh((n - d) / (n + d))."""
        term = (2 * (numerator - denominator) << places) // (numerator + denominator)
        total, k = 0, 1
        while term:
            total += term // k
            term = term * (numerator - denominator) ** 2 // (numerator + denominator) ** 2
            k += 2
        return total

    def split(value: int) -> tuple[float, float]:
        sign = -1 if value < 0 else 1
        first = abs(value) >> (places - 42)
        rest = abs(value) - (first << (places - 42))
        return sign * first / 2.0**42, sign * rest / 2**places

    lines = []
    for i in range(parts):
        if i <= before:
            n = int(parts / (1 - (before - i) / (2 * parts)) + 0.5)
            reciprocal, value = n / parts, -logarithm(n, parts)
        else:
            n = int(2 * parts / (1 + (i - before) / parts) + 0.5)
            reciprocal, value = n / (2 * parts), logarithm(2 * parts, n)
        lines.append(f"    {', '.join(x.hex() for x in (reciprocal, *split(value)))},")
    ln2, rest = split(logarithm(2, 1))
    first = (1023 << 52) - ((2 * before + 1) << (51 - 7))
    return "\n".join(
        [
            "/* Made by programs.py. */",
            "#pragma once",
            f"#define LOGARITHM_FIRST {first:#x}ull",
            "#define LOGARITHM_SHIFT 45",
            "#define LOGARITHM_MASK 127",
            f"#define LOGARITHM_LN2 {ln2.hex()}",
            f"#define LOGARITHM_LN2_LO {rest.hex()}",
            f"static const double logarithm_table[{3 * parts}] = {{",
            *lines,
            "};",
            "",
        ]
    )


def _write(path: Path, text: str) -> Path:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    return path


def write(lua: Path, folder: Path) -> list[Path]:
    """Writes the C files of all programs of the Lua sources into a folder, and returns their names."""
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "logarithm_table.h", _logarithm_table())
    by_type: dict[str, list[str]] = {}
    for text, types in _rows.programs(lua).items():
        for type_name in types:
            by_type.setdefault(type_name, []).append(text)
    files, tables, entries = [], [], []
    for type_name, texts in by_type.items():
        made = [Program(text, type_name, number) for number, text in enumerate(sorted(texts))]
        table = [f'    {{"{p.text}", {p.name}, {p.work:.4g}}},' for p in made]
        name = f"t7_programs_{type_name}"
        source = [
            HEAD,
            "typedef struct { const char *text; t7_kernel *kernel; double work; } t7_program;",
            "",
            *[p.source() for p in made],
            f"extern const t7_program {name}[];",
            f"const t7_program {name}[] = {{",
            *table,
            "};",
            "",
        ]
        files.append(_write(folder / f"programs_{type_name}.c", "\n".join(source)))
        tables.append(f"{name}[]")
        entries.append(f'{{"{type_name}", {name}, {len(made)}}}')
    files.append(_write(folder / "conversions.c", _conversions()))
    files.append(_write(folder / "programs.c", TABLE % (", ".join(tables), ", ".join(entries))))
    return files
