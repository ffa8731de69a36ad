/* Four lanes, with AVX2. lanes_baseline_kernel.h describes each operation. */
#ifndef BASE_LANES_V3_KERNEL_H
#define BASE_LANES_V3_KERNEL_H

#include "lanes_avx_kernel.h"

#define LANES 4

typedef __m256d lanes;
typedef __m256d lanes_mask;

static inline void lanes_store_first(double *p, lanes a, int count)
{
    __m256i are_stored =
        _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
    _mm256_maskstore_pd(p, are_stored, a);
}

static inline lanes lanes_set(double a)
{
    return _mm256_set1_pd(a);
}

static inline lanes lanes_sqrt(lanes a)
{
    return _mm256_sqrt_pd(a);
}

static inline lanes lanes_abs(lanes a)
{
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}

static inline lanes_mask lanes_less(lanes a, lanes b)
{
    return _mm256_cmp_pd(a, b, _CMP_LT_OQ);
}

static inline lanes_mask lanes_no_more(lanes a, lanes b)
{
    return _mm256_cmp_pd(a, b, _CMP_LE_OQ);
}

static inline lanes_mask lanes_equal(lanes a, lanes b)
{
    return _mm256_cmp_pd(a, b, _CMP_EQ_OQ);
}

static inline lanes_mask mask_and(lanes_mask a, lanes_mask b)
{
    return _mm256_and_pd(a, b);
}

static inline lanes_mask mask_or(lanes_mask a, lanes_mask b)
{
    return _mm256_or_pd(a, b);
}

static inline lanes_mask mask_not(lanes_mask a)
{
    return _mm256_xor_pd(a, _mm256_castsi256_pd(_mm256_set1_epi64x(-1)));
}

static inline unsigned mask_bits(lanes_mask a)
{
    return (unsigned)_mm256_movemask_pd(a);
}

static inline lanes lanes_select(lanes_mask mask, lanes yes, lanes no)
{
    return _mm256_blendv_pd(no, yes, mask);
}

static inline lanes lanes_flip(lanes_mask mask, lanes a)
{
    return _mm256_xor_pd(a, _mm256_and_pd(mask, _mm256_set1_pd(-0.0)));
}

static inline lanes_mask lanes_have_bits(lanes a, uint64_t bits)
{
    __m256i found = _mm256_and_si256(_mm256_castpd_si256(a), _mm256_set1_epi64x((long long)bits));
    __m256i none = _mm256_cmpeq_epi64(found, _mm256_setzero_si256());
    return mask_not(_mm256_castsi256_pd(none));
}

static inline lanes lanes_keep_bits(lanes a, uint64_t bits)
{
    return _mm256_and_pd(a, _mm256_castsi256_pd(_mm256_set1_epi64x((long long)bits)));
}

/* The low bits of the double 2^52 + n are the bits of n, for whole numbers n < 2^52. */
static inline lanes lanes_exponent(lanes a)
{
    __m256i digits = _mm256_srli_epi64(_mm256_castpd_si256(lanes_abs(a)), 52);
    __m256i ones = _mm256_castpd_si256(lanes_set(0x1p52));
    return _mm256_castsi256_pd(_mm256_or_si256(digits, ones)) - lanes_set(0x1p52 + 1023.0);
}

static inline lanes lanes_mantissa(lanes a)
{
    return _mm256_or_pd(lanes_keep_bits(a, 0xfffffffffffffu), lanes_set(1.0));
}

static inline lanes lanes_power(lanes k)
{
    __m256i digits = _mm256_castpd_si256(k + lanes_set(0x1p52 + 1023.0));
    return _mm256_castsi256_pd(_mm256_slli_epi64(digits, 52));
}

static inline double lanes_smallest(lanes a)
{
    __m128d half = _mm_min_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_min_sd(half, _mm_unpackhi_pd(half, half)));
}

LANES_INLINE void lanes_transpose(const double *const rows[LANES], lanes columns[LANES])
{
    __m256d r[4], s[4];
    for (int i = 0; i < 4; i++) {
        r[i] = _mm256_loadu_pd(rows[i]);
    }
    for (int i = 0; i < 4; i += 2) {
        s[i] = _mm256_unpacklo_pd(r[i], r[i + 1]);
        s[i + 1] = _mm256_unpackhi_pd(r[i], r[i + 1]);
    }
    for (int i = 0; i < 2; i++) {
        columns[i] = _mm256_permute2f128_pd(s[i], s[i + 2], 0x20);
        columns[i + 2] = _mm256_permute2f128_pd(s[i], s[i + 2], 0x31);
    }
}

LANES_INLINE void lanes_load_points(const double *p, lanes columns[3])
{
    /* a: x0 y0 x2 y2, b: z0 x1 z2 x3, c: y1 z1 y3 z3 */
    __m256d a = _mm256_loadu2_m128d(p + 6, p), b = _mm256_loadu2_m128d(p + 8, p + 2),
            c = _mm256_loadu2_m128d(p + 10, p + 4);
    columns[0] = _mm256_blend_pd(a, b, 0xa);
    columns[1] = _mm256_shuffle_pd(a, c, 0x5);
    columns[2] = _mm256_blend_pd(b, c, 0xa);
}

static inline lanes lanes_smaller(lanes a, lanes b)
{
    return _mm256_min_pd(a, b);
}

static inline lanes lanes_larger(lanes a, lanes b)
{
    return _mm256_max_pd(a, b);
}

static inline lanes lanes_ramp(void)
{
    return _mm256_setr_pd(0, 1, 2, 3);
}

static inline void lanes_store_whole(int32_t *p, lanes a)
{
    _mm_storeu_si128((__m128i *)p, _mm256_cvttpd_epi32(a));
}

static inline lanes lanes_whole(lanes a)
{
    return _mm256_round_pd(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

LANES_INLINE void lanes_load_rows(const double *const rows[LANES], lanes columns[4])
{
    lanes_transpose(rows, columns);
}

LANES_INLINE void lanes_interleave(const lanes columns[3], lanes points[3])
{
    /* a: x0 y0 x2 y2, b: z0 x1 z2 x3, c: y1 z1 y3 z3 */
    __m256d a = _mm256_unpacklo_pd(columns[0], columns[1]);
    __m256d b = _mm256_blend_pd(columns[2], columns[0], 0xa);
    __m256d c = _mm256_unpackhi_pd(columns[1], columns[2]);
    points[0] = _mm256_permute2f128_pd(a, b, 0x20);
    points[1] = _mm256_permute2f128_pd(c, a, 0x30);
    points[2] = _mm256_permute2f128_pd(b, c, 0x31);
}

typedef struct lanes_steps {
    int32_t first;
    __m256i halves; /* for number n: indices of the two 32-bit halves of double n - first */
} lanes_steps;

static inline lanes_steps lanes_find_steps(const int32_t *numbers)
{
    __m256i wide = _mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)numbers));
    __m256i low = _mm256_slli_epi64(_mm256_sub_epi64(wide, _mm256_set1_epi64x(numbers[0])), 1);
    __m256i high = _mm256_add_epi64(low, _mm256_set1_epi64x(1));
    return (lanes_steps){numbers[0], _mm256_or_si256(low, _mm256_slli_epi64(high, 32))};
}

static inline lanes lanes_pick(const double *from, lanes_steps s)
{
    __m256 halves = _mm256_castpd_ps(_mm256_loadu_pd(from + s.first));
    return _mm256_castps_pd(_mm256_permutevar8x32_ps(halves, s.halves));
}

static inline void lanes_store_number(int32_t *list, int32_t number)
{
    _mm_storeu_si128((__m128i *)list, _mm_set1_epi32(number));
}

static inline unsigned singles_less_bits(singles a, singles b)
{
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ));
}

static inline unsigned singles_no_more_bits(singles a, singles b)
{
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ));
}

static inline unsigned singles_first_bits(int32_t count)
{
    return count < SINGLES ? (1u << count) - 1u : (1u << SINGLES) - 1u;
}

static inline int32_t singles_append_items(int32_t *list, const int32_t *items, unsigned bits)
{
    __m256i all = _mm256_loadu_si256((const __m256i *)items);
    /* the indices of the set bits, one in each byte, from the lowest byte on */
    uint64_t bytes = _pdep_u64(bits, UINT64_C(0x0101010101010101)) * 0xff;
    uint64_t lows = _pext_u64(UINT64_C(0x0706050403020100), bytes);
    all =
        _mm256_permutevar8x32_epi32(all, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)lows)));
    _mm256_storeu_si256((__m256i *)list, all);
    return __builtin_popcount(bits);
}

static inline void singles_store_doubles(float *p, lanes a)
{
    _mm_storeu_ps(p, _mm256_cvtpd_ps(a));
}

#endif
