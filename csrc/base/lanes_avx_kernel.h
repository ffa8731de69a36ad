/* Operations that levels v3 and v4 share. lanes_baseline_kernel.h describes each operation. */
#ifndef BASE_LANES_AVX_KERNEL_H
#define BASE_LANES_AVX_KERNEL_H

#include <immintrin.h>
#include <stdint.h>

static inline void numbers_sort(const int32_t *from, int32_t count, int32_t *to)
{
    __m128i all = _mm_loadu_si128((const __m128i *)from), most = _mm_set1_epi32(INT32_MAX);
    __m128i are_there = _mm_cmpgt_epi32(_mm_set1_epi32(count), _mm_setr_epi32(0, 1, 2, 3));
    all = _mm_blendv_epi8(most, all, are_there);
    /* a sorting network: orders lanes 0 and 1, 2 and 3; then 0 and 3, 1 and 2; then as at first */
    __m128i other = _mm_shuffle_epi32(all, _MM_SHUFFLE(2, 3, 0, 1));
    all = _mm_blend_epi32(_mm_min_epi32(all, other), _mm_max_epi32(all, other), 0xa);
    other = _mm_shuffle_epi32(all, _MM_SHUFFLE(0, 1, 2, 3));
    all = _mm_blend_epi32(_mm_min_epi32(all, other), _mm_max_epi32(all, other), 0xc);
    other = _mm_shuffle_epi32(all, _MM_SHUFFLE(2, 3, 0, 1));
    all = _mm_blend_epi32(_mm_min_epi32(all, other), _mm_max_epi32(all, other), 0xa);
    _mm_storeu_si128((__m128i *)to, all);
}

enum { SINGLES = 8 };
typedef __m256 singles;

static inline singles singles_set(float a)
{
    return _mm256_set1_ps(a);
}

static inline singles singles_smaller(singles a, singles b)
{
    return _mm256_min_ps(a, b);
}

static inline singles singles_larger(singles a, singles b)
{
    return _mm256_max_ps(a, b);
}

static inline void singles_store_number(int32_t *list, int32_t number)
{
    _mm256_storeu_si256((__m256i *)list, _mm256_set1_epi32(number));
}

#endif
