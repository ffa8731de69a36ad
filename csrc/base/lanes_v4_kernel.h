/* Eight lanes, with AVX-512. lanes_baseline_kernel.h describes each operation. */
#ifndef BASE_LANES_V4_KERNEL_H
#define BASE_LANES_V4_KERNEL_H

#include "lanes_avx_kernel.h"

#define LANES 8

typedef __m512d lanes;
typedef __mmask8 lanes_mask;

static inline void lanes_store_first(double *p, lanes a, int count)
{
    _mm512_mask_storeu_pd(p, (__mmask8)(count < LANES ? (1u << count) - 1u : 0xffu), a);
}

static inline lanes lanes_set(double a)
{
    return _mm512_set1_pd(a);
}

static inline lanes lanes_sqrt(lanes a)
{
    return _mm512_sqrt_pd(a);
}

static inline lanes lanes_abs(lanes a)
{
    return _mm512_abs_pd(a);
}

static inline lanes_mask lanes_less(lanes a, lanes b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}

static inline lanes_mask lanes_no_more(lanes a, lanes b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ);
}

static inline lanes_mask lanes_equal(lanes a, lanes b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}

static inline lanes_mask mask_and(lanes_mask a, lanes_mask b)
{
    return _kand_mask8(a, b);
}

static inline lanes_mask mask_or(lanes_mask a, lanes_mask b)
{
    return _kor_mask8(a, b);
}

static inline lanes_mask mask_not(lanes_mask a)
{
    return _knot_mask8(a);
}

static inline unsigned mask_bits(lanes_mask a)
{
    return _cvtmask8_u32(a);
}

static inline lanes lanes_select(lanes_mask mask, lanes yes, lanes no)
{
    return _mm512_mask_blend_pd(mask, no, yes);
}

static inline lanes lanes_flip(lanes_mask mask, lanes a)
{
    return _mm512_mask_xor_pd(a, mask, a, _mm512_set1_pd(-0.0));
}

static inline lanes_mask lanes_have_bits(lanes a, uint64_t bits)
{
    return _mm512_test_epi64_mask(_mm512_castpd_si512(a), _mm512_set1_epi64((long long)bits));
}

static inline lanes lanes_keep_bits(lanes a, uint64_t bits)
{
    return _mm512_and_pd(a, _mm512_castsi512_pd(_mm512_set1_epi64((long long)bits)));
}

static inline lanes lanes_exponent(lanes a)
{
    __m512i digits = _mm512_srli_epi64(_mm512_castpd_si512(lanes_abs(a)), 52);
    return _mm512_cvtepi64_pd(digits) - lanes_set(1023.0);
}

static inline lanes lanes_mantissa(lanes a)
{
    return _mm512_or_pd(lanes_keep_bits(a, 0xfffffffffffffu), lanes_set(1.0));
}

static inline lanes lanes_power(lanes k)
{
    return _mm512_castsi512_pd(_mm512_slli_epi64(_mm512_cvtpd_epi64(k + lanes_set(1023.0)), 52));
}

static inline double lanes_smallest(lanes a)
{
    return _mm512_reduce_min_pd(a);
}

LANES_INLINE void lanes_transpose(const double *const rows[LANES], lanes columns[LANES])
{
    __m512d r[8], s[8], t[8];
    for (int i = 0; i < 8; i++) {
        r[i] = _mm512_loadu_pd(rows[i]);
    }
    for (int i = 0; i < 8; i += 2) {
        s[i] = _mm512_unpacklo_pd(r[i], r[i + 1]);
        s[i + 1] = _mm512_unpackhi_pd(r[i], r[i + 1]);
    }
    for (int i = 0; i < 2; i++) {
        t[i] = _mm512_shuffle_f64x2(s[i], s[i + 2], 0x88);
        t[i + 2] = _mm512_shuffle_f64x2(s[i], s[i + 2], 0xdd);
        t[i + 4] = _mm512_shuffle_f64x2(s[i + 4], s[i + 6], 0x88);
        t[i + 6] = _mm512_shuffle_f64x2(s[i + 4], s[i + 6], 0xdd);
    }
    for (int i = 0; i < 4; i++) {
        columns[i] = _mm512_shuffle_f64x2(t[i], t[i + 4], 0x88);
        columns[i + 4] = _mm512_shuffle_f64x2(t[i], t[i + 4], 0xdd);
    }
}

LANES_INLINE void lanes_load_points(const double *p, lanes columns[3])
{
    const __m512i x = _mm512_setr_epi64(0, 3, 6, 9, 12, 15, 0, 0);
    const __m512i y = _mm512_setr_epi64(1, 4, 7, 10, 13, 0, 0, 0);
    const __m512i z = _mm512_setr_epi64(2, 5, 8, 11, 14, 0, 0, 0);
    const __m512i end_of_x = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 10, 13);
    const __m512i end_of_y = _mm512_setr_epi64(0, 1, 2, 3, 4, 8, 11, 14);
    const __m512i end_of_z = _mm512_setr_epi64(0, 1, 2, 3, 4, 9, 12, 15);
    __m512d a = _mm512_loadu_pd(p), b = _mm512_loadu_pd(p + 8), c = _mm512_loadu_pd(p + 16);
    columns[0] = _mm512_permutex2var_pd(_mm512_permutex2var_pd(a, x, b), end_of_x, c);
    columns[1] = _mm512_permutex2var_pd(_mm512_permutex2var_pd(a, y, b), end_of_y, c);
    columns[2] = _mm512_permutex2var_pd(_mm512_permutex2var_pd(a, z, b), end_of_z, c);
}

static inline lanes lanes_smaller(lanes a, lanes b)
{
    return _mm512_min_pd(a, b);
}

static inline lanes lanes_larger(lanes a, lanes b)
{
    return _mm512_max_pd(a, b);
}

static inline lanes lanes_ramp(void)
{
    return _mm512_setr_pd(0, 1, 2, 3, 4, 5, 6, 7);
}

static inline void lanes_store_whole(int32_t *p, lanes a)
{
    _mm256_storeu_si256((__m256i *)p, _mm512_cvttpd_epi32(a));
}

static inline lanes lanes_whole(lanes a)
{
    return _mm512_cvtepi64_pd(_mm512_cvttpd_epi64(a));
}

static inline __m512d lanes_two_rows(const double *a, const double *b)
{
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(a)), _mm256_loadu_pd(b), 1);
}

LANES_INLINE void lanes_load_rows(const double *const rows[LANES], lanes columns[4])
{
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    __m512d a = lanes_two_rows(rows[0], rows[4]), b = lanes_two_rows(rows[1], rows[5]);
    __m512d c = lanes_two_rows(rows[2], rows[6]), d = lanes_two_rows(rows[3], rows[7]);
    __m512d xz = _mm512_unpacklo_pd(a, b), yw = _mm512_unpackhi_pd(a, b);
    __m512d xz_next = _mm512_unpacklo_pd(c, d), yw_next = _mm512_unpackhi_pd(c, d);
    columns[0] = _mm512_permutex2var_pd(xz, low, xz_next);
    columns[1] = _mm512_permutex2var_pd(yw, low, yw_next);
    columns[2] = _mm512_permutex2var_pd(xz, high, xz_next);
    columns[3] = _mm512_permutex2var_pd(yw, high, yw_next);
}

LANES_INLINE void lanes_interleave(const lanes columns[3], lanes points[3])
{
    const __m512i first = _mm512_setr_epi64(0, 8, 0, 1, 9, 0, 2, 10);
    const __m512i second = _mm512_setr_epi64(0, 3, 11, 0, 4, 12, 0, 5);
    const __m512i third = _mm512_setr_epi64(13, 0, 6, 14, 0, 7, 15, 0);
    const __m512i z_in_first = _mm512_setr_epi64(0, 1, 8, 3, 4, 9, 6, 7);
    const __m512i z_in_second = _mm512_setr_epi64(10, 1, 2, 11, 4, 5, 12, 7);
    const __m512i z_in_third = _mm512_setr_epi64(0, 13, 2, 3, 14, 5, 6, 15);
    __m512d x = columns[0], y = columns[1], z = columns[2];
    points[0] = _mm512_permutex2var_pd(_mm512_permutex2var_pd(x, first, y), z_in_first, z);
    points[1] = _mm512_permutex2var_pd(_mm512_permutex2var_pd(x, second, y), z_in_second, z);
    points[2] = _mm512_permutex2var_pd(_mm512_permutex2var_pd(x, third, y), z_in_third, z);
}

static inline int32_t lanes_append_bits(int32_t *list, int32_t first, unsigned bits)
{
    __m256i numbers =
        _mm256_add_epi32(_mm256_set1_epi32(first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    _mm256_storeu_si256((__m256i *)list, _mm256_maskz_compress_epi32((__mmask8)bits, numbers));
    return __builtin_popcount(bits);
}

static inline int32_t lanes_append_items(int32_t *list, const int32_t *items, unsigned bits)
{
    __m256i all = _mm256_loadu_si256((const __m256i *)items);
    _mm256_storeu_si256((__m256i *)list, _mm256_maskz_compress_epi32((__mmask8)bits, all));
    return __builtin_popcount(bits);
}

typedef struct lanes_steps {
    /* the last four bits of each number choose one of the 16 doubles that are read */
    __m512i numbers;
    /* 8 doubles are read from index `even` on, a multiple of 16, and 8 from index `odd` on, which
     * is 8 more than a multiple of 16 */
    int32_t even, odd;
} lanes_steps;

static inline lanes_steps lanes_find_steps(const int32_t *numbers)
{
    __m512i wide = _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)numbers));
    return (lanes_steps){wide, (numbers[0] + 8) & ~15, (numbers[0] & ~15) | 8};
}

static inline lanes lanes_pick(const double *from, lanes_steps s)
{
    __m512d even = _mm512_loadu_pd(from + s.even), odd = _mm512_loadu_pd(from + s.odd);
    return _mm512_permutex2var_pd(even, s.numbers, odd);
}

static inline void lanes_store_number(int32_t *list, int32_t number)
{
    _mm256_storeu_si256((__m256i *)list, _mm256_set1_epi32(number));
}

static inline unsigned singles_less_bits(singles a, singles b)
{
    return _cvtmask8_u32(_mm256_cmp_ps_mask(a, b, _CMP_LT_OQ));
}

static inline unsigned singles_no_more_bits(singles a, singles b)
{
    return _cvtmask8_u32(_mm256_cmp_ps_mask(a, b, _CMP_LE_OQ));
}

static inline unsigned singles_first_bits(int32_t count)
{
    __m256i ramp = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _cvtmask8_u32(_mm256_cmplt_epi32_mask(ramp, _mm256_set1_epi32(count)));
}

static inline int32_t singles_append_items(int32_t *list, const int32_t *items, unsigned bits)
{
    __m256i all = _mm256_loadu_si256((const __m256i *)items);
    all = _mm256_maskz_compress_epi32((__mmask8)bits, all);
    _mm256_storeu_si256((__m256i *)list, all);
    return __builtin_popcount(bits);
}

static inline void singles_store_doubles(float *p, lanes a)
{
    _mm256_storeu_ps(p, _mm512_cvtpd_ps(a));
}

#endif
