/* Vector products of one type. Integers wrap. */
static void NAME(cross)(void *data, int64_t from, int64_t to) {
    const struct cross *c = data;
    for (int64_t v = from; v < to; v++) {
        int64_t o = v / c->inner, i = v % c->inner;
        T *z = (T *)c->to + o * c->to_steps.outer + i * c->to_steps.inner;
        const T *a = (const T *)c->a + o * c->a_steps.outer + i * c->a_steps.inner;
        const T *b = (const T *)c->b + o * c->b_steps.outer + i * c->b_steps.inner;
        TERM a0 = (TERM)a[0], a1 = (TERM)a[c->a_steps.n], a2 = (TERM)a[2 * c->a_steps.n];
        TERM b0 = (TERM)b[0], b1 = (TERM)b[c->b_steps.n], b2 = (TERM)b[2 * c->b_steps.n];
        z[0] = (T)(a1 * b2 - a2 * b1);
        z[c->to_steps.n] = (T)(a2 * b0 - a0 * b2);
        z[2 * c->to_steps.n] = (T)(a0 * b1 - a1 * b0);
    }
}
