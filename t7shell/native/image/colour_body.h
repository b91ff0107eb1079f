/* The conversions of one type, included by colour.c: T, F, LOAD of an element, STORE of a value, and NAME(WHITE), which
   is 1 as an element counts. */

/* Hue, from the largest channel and the difference to the smallest. */
INLINE double NAME(hue)(double a, double b, double c, double largest, double range) {
    double hue = 0;
    if (range != 0) {
        if (a == largest) {
            hue = F(F(b - c) / range);
            if (hue < 0) hue = F(hue + 6);
        } else if (b == largest) {
            hue = F(F(F(c - a) / range) + 2);
        } else {
            hue = F(F(F(a - b) / range) + 4);
        }
    }
    return F(hue / 6);
}

INLINE pixel NAME(rgb2hsl)(double a, double b, double c) {
    double largest = max(max(a, b), c), smallest = min(min(a, b), c), range = F(largest - smallest);
    pixel p = {NAME(hue)(a, b, c, largest, range), 0, F(F(largest + smallest) / 2)};
    if (range != 0) p.y = p.z > 0.5 ? F(range / F(F(2 - largest) - smallest)) : F(range / F(largest + smallest));
    return p;
}

INLINE pixel NAME(rgb2hsv)(double a, double b, double c) {
    double largest = max(max(a, b), c), range = F(largest - min(min(a, b), c));
    return (pixel){NAME(hue)(a, b, c, largest, range), range == 0 ? 0 : F(range / largest), largest};
}

INLINE double NAME(channel)(double p, double q, double t) {
    if (t < 0) {
        t = F(t + 1);
    } else if (t > 1) {
        t = F(t - 1);
    }
    if (t < 1.0 / 6) return p + F(q - p) * 6 * t;
    if (t < 1.0 / 2) return q;
    if (t < 2.0 / 3) return p + F(q - p) * (2.0 / 3 - t) * 6;
    return p;
}

INLINE pixel NAME(hsl2rgb)(double a, double b, double c) {
    if (b == 0) return (pixel){c, c, c};
    double q = c < 0.5 ? F(c * F(1 + b)) : F(F(c + b) - F(c * b)), p = F(F(2 * c) - q);
    return (pixel){F(NAME(channel)(p, q, F(a + 1.0 / 3))), F(NAME(channel)(p, q, a)),
                   F(NAME(channel)(p, q, F(a - 1.0 / 3)))};
}

/* As in the original, the remainder of a negative sector is negative, and black unless it is 0. */
INLINE pixel NAME(hsv2rgb)(double a, double b, double c) {
    double sector = __builtin_floor(a * 6), part = F(F(a * 6) - sector);
    double p = F(c * F(1 - b)), q = F(c * F(1 - F(part * b))), t = F(c * F(1 - F(F(1 - part) * b)));
    if (!(__builtin_fabs(sector) <= INT32_MAX)) return (pixel){0, 0, 0};
    sector -= __builtin_trunc(sector / 6) * 6;
    if (sector == 0) return (pixel){c, t, p};
    if (sector == 1) return (pixel){q, c, p};
    if (sector == 2) return (pixel){p, c, t};
    if (sector == 3) return (pixel){p, q, c};
    if (sector == 4) return (pixel){t, p, c};
    if (sector == 5) return (pixel){c, p, q};
    return (pixel){0, 0, 0};
}

/* Blocks of pixels by planes; the white of daylight, D65. */
INLINE void NAME(rgb2lab)(double v[3][BLOCK]) {
    for (int p = 0; p < 3; p++) {
        srgb_decode(v[p]);
        for (int i = 0; i < BLOCK; i++) v[p][i] = F(v[p][i]);
    }
    for (int i = 0; i < BLOCK; i++) {
        double a = v[0][i], b = v[1][i], c = v[2][i];
        v[0][i] = (0.412453 * a + 0.357580 * b + 0.180423 * c) / 0.950456;
        v[1][i] = 0.212671 * a + 0.715160 * b + 0.072169 * c;
        v[2][i] = (0.019334 * a + 0.119193 * b + 0.950227 * c) / 1.088754;
    }
    for (int p = 0; p < 3; p++) lab_encode(v[p]);
    for (int i = 0; i < BLOCK; i++) {
        double x = v[0][i], y = v[1][i], z = v[2][i];
        v[0][i] = 116 * y - 16, v[1][i] = 500 * (x - y), v[2][i] = 200 * (y - z);
    }
}

INLINE void NAME(lab2rgb)(double v[3][BLOCK]) {
    for (int i = 0; i < BLOCK; i++) {
        double a = v[0][i], height = F(F(a + 16) / 116);
        double x = 0.950456 * lab_decode(F(v[1][i] / 500) + height),
               z = 1.088754 * lab_decode(height - F(v[2][i] / 200));
        double y = a > CIE_KAPPA * CIE_EPSILON ? height * height * height : a / CIE_KAPPA;
        v[0][i] = F(3.2404542 * x - 1.5371385 * y - 0.4985314 * z);
        v[1][i] = F(-0.9692660 * x + 1.8760108 * y + 0.0415560 * z);
        v[2][i] = F(0.0556434 * x - 0.2040259 * y + 1.0572252 * z);
    }
    for (int p = 0; p < 3; p++) srgb_encode(v[p]);
}

/* A black pixel stays black. */
INLINE pixel NAME(rgb2nrgb)(double a, double b, double c) {
    double sum = F(F(F(a + b) + c) + F(1e-6 / NAME(WHITE)));
    return (pixel){a / sum, b / sum, c / sum};
}

INLINE void NAME(convert)(void *data, int64_t from, int64_t to, conversion *convert) {
    const job *j = data;
    const int64_t n = j->count;
    const T *x = (const T *)j->from;
    T *z = (T *)j->to;
    for (int64_t i = from; i < to; i++) {
        pixel p = convert(NAME(value)(x[i]), NAME(value)(x[i + n]), NAME(value)(x[i + 2 * n]));
        z[i] = NAME(element_of)(p.x), z[i + n] = NAME(element_of)(p.y), z[i + 2 * n] = NAME(element_of)(p.z);
    }
}

#define CHUNK(f)                                                                                                       \
    static void NAME(f##_pixels)(void *data, int64_t from, int64_t to) { NAME(convert)(data, from, to, NAME(f)); }
CHUNK(rgb2hsl)
CHUNK(rgb2hsv)
CHUNK(hsl2rgb)
CHUNK(hsv2rgb)
CHUNK(rgb2nrgb)

INLINE void NAME(convert_blocks)(void *data, int64_t from, int64_t to, void (*convert)(double[3][BLOCK])) {
    const job *j = data;
    const T *x = (const T *)j->from;
    T *z = (T *)j->to;
    for (int64_t first = from; first < to; first += BLOCK) {
        const int64_t n = min_i(to - first, BLOCK);
        double v[3][BLOCK] = {{0}};
        for (int p = 0; p < 3; p++) {
            for (int64_t i = 0; i < n; i++) v[p][i] = NAME(value)(x[first + i + p * j->count]);
        }
        convert(v);
        for (int p = 0; p < 3; p++) {
            for (int64_t i = 0; i < n; i++) z[first + i + p * j->count] = NAME(element_of)(v[p][i]);
        }
    }
}

static void NAME(rgb2lab_pixels)(void *data, int64_t from, int64_t to) {
    NAME(convert_blocks)(data, from, to, NAME(rgb2lab));
}
static void NAME(lab2rgb_pixels)(void *data, int64_t from, int64_t to) {
    NAME(convert_blocks)(data, from, to, NAME(lab2rgb));
}

static t7_chunk *const NAME(chunks)[] = {[T7_RGB2HSL] = NAME(rgb2hsl_pixels),  [T7_RGB2HSV] = NAME(rgb2hsv_pixels),
                                         [T7_HSL2RGB] = NAME(hsl2rgb_pixels),  [T7_HSV2RGB] = NAME(hsv2rgb_pixels),
                                         [T7_RGB2LAB] = NAME(rgb2lab_pixels),  [T7_LAB2RGB] = NAME(lab2rgb_pixels),
                                         [T7_RGB2NRGB] = NAME(rgb2nrgb_pixels)};

#undef CHUNK
