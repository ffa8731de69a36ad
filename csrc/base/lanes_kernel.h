/* Doubles side by side: as many as the instruction level has, one on a level that is not known.
 *
 * Kernels are written once, for any number of lanes. Every operation rounds as the same one on a
 * double does, so that all levels give the same bits; with one lane a kernel is plain C, which is
 * what the others are compared with. + - * / are the operators. */
#ifndef BASE_LANES_KERNEL_H
#define BASE_LANES_KERNEL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#define LANES 8
#elif defined(__AVX2__)
#define LANES 4
#else
#define LANES 1
#endif

#if LANES > 1
#include <immintrin.h>
#endif

/* Parts of a kernel that are only fast as parts of its loop: with numbers that the caller knows. */
#if defined(__GNUC__)
#define LANES_INLINE static inline __attribute__((always_inline))
#else
#define LANES_INLINE static inline
#endif

#if LANES == 8

typedef __m512d lanes;
typedef __mmask8 lanes_mask;

static inline lanes lanes_load(const double *p)
{
    return _mm512_loadu_pd(p);
}

static inline void lanes_store(double *p, lanes a)
{
    _mm512_storeu_pd(p, a);
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

/* Bit k: lane k. */
static inline unsigned mask_bits(lanes_mask a)
{
    return _cvtmask8_u32(a);
}

/* yes where the mask is set, else no. */
static inline lanes lanes_select(lanes_mask mask, lanes yes, lanes no)
{
    return _mm512_mask_blend_pd(mask, no, yes);
}

/* The other sign where the mask is set. */
static inline lanes lanes_flip(lanes_mask mask, lanes a)
{
    return _mm512_mask_xor_pd(a, mask, a, _mm512_set1_pd(-0.0));
}

/* Whether any of the bits is set in the number that each lane's bits are. */
static inline lanes_mask lanes_have_bits(lanes a, uint64_t bits)
{
    return _mm512_test_epi64_mask(_mm512_castpd_si512(a), _mm512_set1_epi64((long long)bits));
}

/* The bits of each lane that are set in `bits`. */
static inline lanes lanes_keep_bits(lanes a, uint64_t bits)
{
    return _mm512_and_pd(a, _mm512_castsi512_pd(_mm512_set1_epi64((long long)bits)));
}

static inline double lanes_smallest(lanes a)
{
    return _mm512_reduce_min_pd(a);
}

/* Rows of LANES doubles at the pointers become columns. */
static inline void lanes_transpose(const double *const rows[LANES], lanes columns[LANES])
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

/* LANES points of three coordinates each, one after the other, become columns. */
static inline void lanes_load_points(const double *p, lanes columns[3])
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

/* The smaller one, and the larger one; b where they are equal, or a is no number. */
static inline lanes lanes_smaller(lanes a, lanes b)
{
    return _mm512_min_pd(a, b);
}

static inline lanes lanes_larger(lanes a, lanes b)
{
    return _mm512_max_pd(a, b);
}

/* 0, 1, 2, ... */
static inline lanes lanes_ramp(void)
{
    return _mm512_setr_pd(0, 1, 2, 3, 4, 5, 6, 7);
}

/* Rounded towards 0, which 32 bits must hold. */
static inline void lanes_store_whole(int32_t *p, lanes a)
{
    _mm256_storeu_si256((__m256i *)p, _mm512_cvttpd_epi32(a));
}

/* Rounded towards 0; up to 2^52. */
static inline lanes lanes_whole(lanes a)
{
    return _mm512_cvtepi64_pd(_mm512_cvttpd_epi64(a));
}

static inline __m512d lanes_two_rows(const double *a, const double *b)
{
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(a)), _mm256_loadu_pd(b), 1);
}

/* LANES rows of four doubles each become columns. */
static inline void lanes_load_rows(const double *const rows[LANES], lanes columns[4])
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

/* Columns become LANES points of three coordinates each, one after the other: what is stored of
 * them. */
static inline void lanes_interleave(const lanes columns[3], lanes points[3])
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

/* Past the caches, to the begin of a cache line or what follows; see lanes_end_stream. */
static inline void lanes_stream(double *p, lanes a)
{
    _mm512_stream_pd(p, a);
}

/* Likewise LANES numbers. */
static inline void lanes_stream_numbers(intptr_t *to, const int32_t *from)
{
    _mm512_stream_si512((void *)to,
                        _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)from)));
}

/* Other threads see what was streamed before they see what is written from now on. */
static inline void lanes_end_stream(void)
{
    _mm_sfence();
}

/* Write the numbers first + k of the bits k that are set to the list, and anything to what lies
 * behind, LANES numbers in all; returns how many. */
static inline int32_t lanes_append_bits(int32_t *list, int32_t first, unsigned bits)
{
    __m256i numbers =
        _mm256_add_epi32(_mm256_set1_epi32(first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    _mm256_storeu_si256((__m256i *)list, _mm256_maskz_compress_epi32((__mmask8)bits, numbers));
    return __builtin_popcount(bits);
}

/* The same with items[k] for bit k. */
static inline int32_t lanes_append_items(int32_t *list, const int32_t *items, unsigned bits)
{
    __m256i all = _mm256_loadu_si256((const __m256i *)items);
    _mm256_storeu_si256((__m256i *)list, _mm256_maskz_compress_epi32((__mmask8)bits, all));
    return __builtin_popcount(bits);
}

/* Numbers of which each is the one before or the next. */
typedef struct lanes_steps {
    __m512i numbers;   /* their last four bits count */
    int32_t even, odd; /* the multiples of 16, and those plus 8, that they may be beyond */
} lanes_steps;

static inline lanes_steps lanes_find_steps(const int32_t *numbers)
{
    __m512i wide = _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)numbers));
    return (lanes_steps){wide, (numbers[0] + 8) & ~15, (numbers[0] & ~15) | 8};
}

/* from[number] of each lane; 16 numbers beyond the last can be read. */
static inline lanes lanes_pick(const double *from, lanes_steps s)
{
    __m512d even = _mm512_loadu_pd(from + s.even), odd = _mm512_loadu_pd(from + s.odd);
    return _mm512_permutex2var_pd(even, s.numbers, odd);
}

/* LANES times the same number. */
static inline void lanes_store_number(int32_t *list, int32_t number)
{
    _mm256_storeu_si256((__m256i *)list, _mm256_set1_epi32(number));
}

#elif LANES == 4

typedef __m256d lanes;
typedef __m256d lanes_mask;

static inline lanes lanes_load(const double *p)
{
    return _mm256_loadu_pd(p);
}

static inline void lanes_store(double *p, lanes a)
{
    _mm256_storeu_pd(p, a);
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

static inline double lanes_smallest(lanes a)
{
    __m128d half = _mm_min_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_min_sd(half, _mm_unpackhi_pd(half, half)));
}

static inline void lanes_transpose(const double *const rows[LANES], lanes columns[LANES])
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

static inline void lanes_load_points(const double *p, lanes columns[3])
{
    /* x0 y0 x2 y2, z0 x1 z2 x3 and y1 z1 y3 z3 */
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

static inline void lanes_load_rows(const double *const rows[LANES], lanes columns[4])
{
    lanes_transpose(rows, columns);
}

static inline void lanes_interleave(const lanes columns[3], lanes points[3])
{
    /* x0 y0 x2 y2, z0 x1 z2 x3 and y1 z1 y3 z3 */
    __m256d a = _mm256_unpacklo_pd(columns[0], columns[1]);
    __m256d b = _mm256_blend_pd(columns[2], columns[0], 0xa);
    __m256d c = _mm256_unpackhi_pd(columns[1], columns[2]);
    points[0] = _mm256_permute2f128_pd(a, b, 0x20);
    points[1] = _mm256_permute2f128_pd(c, a, 0x30);
    points[2] = _mm256_permute2f128_pd(b, c, 0x31);
}

static inline void lanes_stream(double *p, lanes a)
{
    _mm256_stream_pd(p, a);
}

static inline void lanes_stream_numbers(intptr_t *to, const int32_t *from)
{
    _mm256_stream_si256((void *)to, _mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)from)));
}

static inline void lanes_end_stream(void)
{
    _mm_sfence();
}

static inline int32_t lanes_append_bits(int32_t *list, int32_t first, unsigned bits)
{
    int32_t count = 0;
    for (int32_t k = 0; k < LANES; k++) {
        list[count] = first + k;
        count += (int32_t)(bits >> k & 1);
    }
    return count;
}

static inline int32_t lanes_append_items(int32_t *list, const int32_t *items, unsigned bits)
{
    int32_t count = 0;
    for (int32_t k = 0; k < LANES; k++) {
        list[count] = items[k];
        count += (int32_t)(bits >> k & 1);
    }
    return count;
}

/* Numbers of which each is the one before or the next. */
typedef struct lanes_steps {
    int32_t first;
    __m256i halves; /* how far each is from the first: where the halves of its double are */
} lanes_steps;

static inline lanes_steps lanes_find_steps(const int32_t *numbers)
{
    __m256i wide = _mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)numbers));
    __m256i low = _mm256_slli_epi64(_mm256_sub_epi64(wide, _mm256_set1_epi64x(numbers[0])), 1);
    __m256i high = _mm256_add_epi64(low, _mm256_set1_epi64x(1));
    return (lanes_steps){numbers[0], _mm256_or_si256(low, _mm256_slli_epi64(high, 32))};
}

/* from[number] of each lane; 16 numbers beyond the last can be read. */
static inline lanes lanes_pick(const double *from, lanes_steps s)
{
    __m256 halves = _mm256_castpd_ps(_mm256_loadu_pd(from + s.first));
    return _mm256_castps_pd(_mm256_permutevar8x32_ps(halves, s.halves));
}

static inline void lanes_store_number(int32_t *list, int32_t number)
{
    _mm_storeu_si128((__m128i *)list, _mm_set1_epi32(number));
}

#else

typedef double lanes;
typedef bool lanes_mask;

static inline lanes lanes_load(const double *p)
{
    return *p;
}

static inline void lanes_store(double *p, lanes a)
{
    *p = a;
}

static inline lanes lanes_set(double a)
{
    return a;
}

static inline lanes lanes_sqrt(lanes a)
{
    return sqrt(a);
}

static inline lanes lanes_abs(lanes a)
{
    return fabs(a);
}

static inline lanes_mask lanes_less(lanes a, lanes b)
{
    return a < b;
}

static inline lanes_mask lanes_no_more(lanes a, lanes b)
{
    return a <= b;
}

static inline lanes_mask lanes_equal(lanes a, lanes b)
{
    return a == b;
}

static inline lanes_mask mask_and(lanes_mask a, lanes_mask b)
{
    return a & b;
}

static inline lanes_mask mask_or(lanes_mask a, lanes_mask b)
{
    return a | b;
}

static inline lanes_mask mask_not(lanes_mask a)
{
    return !a;
}

static inline unsigned mask_bits(lanes_mask a)
{
    return a;
}

static inline lanes lanes_select(lanes_mask mask, lanes yes, lanes no)
{
    return mask ? yes : no;
}

static inline lanes lanes_flip(lanes_mask mask, lanes a)
{
    return mask ? -a : a;
}

static inline lanes_mask lanes_have_bits(lanes a, uint64_t bits)
{
    uint64_t number;
    memcpy(&number, &a, sizeof number);
    return (number & bits) != 0;
}

static inline lanes lanes_keep_bits(lanes a, uint64_t bits)
{
    uint64_t own;
    memcpy(&own, &a, sizeof own);
    own &= bits;
    memcpy(&a, &own, sizeof a);
    return a;
}

static inline double lanes_smallest(lanes a)
{
    return a;
}

static inline void lanes_transpose(const double *const rows[LANES], lanes columns[LANES])
{
    memcpy(&columns[0], rows[0], sizeof columns[0]); /* rows are records, not numbers alone */
}

static inline void lanes_load_points(const double *p, lanes columns[3])
{
    columns[0] = p[0], columns[1] = p[1], columns[2] = p[2];
}

static inline lanes lanes_smaller(lanes a, lanes b)
{
    return a < b ? a : b;
}

static inline lanes lanes_larger(lanes a, lanes b)
{
    return a > b ? a : b;
}

static inline lanes lanes_ramp(void)
{
    return 0.0;
}

static inline void lanes_store_whole(int32_t *p, lanes a)
{
    *p = (int32_t)a;
}

static inline lanes lanes_whole(lanes a)
{
    return (double)(int64_t)a;
}

static inline void lanes_load_rows(const double *const rows[LANES], lanes columns[4])
{
    memcpy(columns, rows[0], 4 * sizeof *columns);
}

static inline void lanes_interleave(const lanes columns[3], lanes points[3])
{
    points[0] = columns[0], points[1] = columns[1], points[2] = columns[2];
}

static inline void lanes_stream(double *p, lanes a)
{
    *p = a;
}

static inline void lanes_stream_numbers(intptr_t *to, const int32_t *from)
{
    *to = *from;
}

static inline void lanes_end_stream(void)
{
}

static inline int32_t lanes_append_bits(int32_t *list, int32_t first, unsigned bits)
{
    *list = first;
    return (int32_t)bits;
}

static inline int32_t lanes_append_items(int32_t *list, const int32_t *items, unsigned bits)
{
    *list = *items;
    return (int32_t)bits;
}

/* Numbers of which each is the one before or the next. */
typedef int32_t lanes_steps;

static inline lanes_steps lanes_find_steps(const int32_t *numbers)
{
    return numbers[0];
}

/* from[number] of each lane; 16 numbers beyond the last can be read. */
static inline lanes lanes_pick(const double *from, lanes_steps s)
{
    return from[s];
}

static inline void lanes_store_number(int32_t *list, int32_t number)
{
    *list = number;
}

#endif

/* ---- whole numbers ---- */

enum { SORTED_NUMBERS = 4 };

#if LANES > 1

/* The first `count` of some numbers in ascending order, and anything behind, SORTED_NUMBERS in all.
 */
static inline void numbers_sort(const int32_t *from, int32_t count, int32_t *to)
{
    __m128i all = _mm_loadu_si128((const __m128i *)from), most = _mm_set1_epi32(INT32_MAX);
    __m128i are_there = _mm_cmpgt_epi32(_mm_set1_epi32(count), _mm_setr_epi32(0, 1, 2, 3));
    all = _mm_blendv_epi8(most, all, are_there);
    /* a network: neighbors, then both pairs crosswise, then neighbors again */
    __m128i other = _mm_shuffle_epi32(all, _MM_SHUFFLE(2, 3, 0, 1));
    all = _mm_blend_epi32(_mm_min_epi32(all, other), _mm_max_epi32(all, other), 0xa);
    other = _mm_shuffle_epi32(all, _MM_SHUFFLE(0, 1, 2, 3));
    all = _mm_blend_epi32(_mm_min_epi32(all, other), _mm_max_epi32(all, other), 0xc);
    other = _mm_shuffle_epi32(all, _MM_SHUFFLE(2, 3, 0, 1));
    all = _mm_blend_epi32(_mm_min_epi32(all, other), _mm_max_epi32(all, other), 0xa);
    _mm_storeu_si128((__m128i *)to, all);
}

#else

static inline void numbers_put_in_order(int32_t *a, int32_t *b)
{
    const int32_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
    *a = low, *b = high;
}

static inline void numbers_sort(const int32_t *from, int32_t count, int32_t *to)
{
    int32_t all[SORTED_NUMBERS];
    for (int k = 0; k < SORTED_NUMBERS; k++) {
        all[k] = k < count ? from[k] : INT32_MAX;
    }
    numbers_put_in_order(&all[0], &all[1]);
    numbers_put_in_order(&all[2], &all[3]);
    numbers_put_in_order(&all[0], &all[2]);
    numbers_put_in_order(&all[1], &all[3]);
    numbers_put_in_order(&all[1], &all[2]);
    memcpy(to, all, sizeof all);
}

#endif

/* ---- floats side by side, for what only rules out: half the memory of as many doubles ---- */

#if LANES > 1

enum { SINGLES = 8 };
typedef __m256 singles;

static inline singles singles_load(const float *p)
{
    return _mm256_loadu_ps(p);
}

static inline singles singles_set(float a)
{
    return _mm256_set1_ps(a);
}

/* b where they are equal, or a is no number. */
static inline singles singles_smaller(singles a, singles b)
{
    return _mm256_min_ps(a, b);
}

static inline singles singles_larger(singles a, singles b)
{
    return _mm256_max_ps(a, b);
}

static inline void singles_store(float *p, singles a)
{
    _mm256_storeu_ps(p, a);
}

/* Bit k: whether lane k of a is less than that of b. */
static inline unsigned singles_less_bits(singles a, singles b)
{
#if defined(__AVX512VL__)
    return _cvtmask8_u32(_mm256_cmp_ps_mask(a, b, _CMP_LT_OQ));
#else
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ));
#endif
}

/* Bit k: whether it is no more. */
static inline unsigned singles_no_more_bits(singles a, singles b)
{
#if defined(__AVX512VL__)
    return _cvtmask8_u32(_mm256_cmp_ps_mask(a, b, _CMP_LE_OQ));
#else
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ));
#endif
}

/* Bits of the first `count` of them, or of all where there are no more. */
static inline unsigned singles_first_bits(int32_t count)
{
#if defined(__AVX512VL__)
    __m256i ramp = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _cvtmask8_u32(_mm256_cmplt_epi32_mask(ramp, _mm256_set1_epi32(count)));
#else
    return count < SINGLES ? (1u << count) - 1u : (1u << SINGLES) - 1u;
#endif
}

/* Write the items[k] of the bits k that are set to the list, and anything to what lies behind,
 * SINGLES numbers in all; returns how many. */
static inline int32_t singles_append_items(int32_t *list, const int32_t *items, unsigned bits)
{
    __m256i all = _mm256_loadu_si256((const __m256i *)items);
#if defined(__AVX512VL__)
    all = _mm256_maskz_compress_epi32((__mmask8)bits, all);
#else
    /* the numbers of the set bits, one a byte, close together */
    uint64_t bytes = _pdep_u64(bits, UINT64_C(0x0101010101010101)) * 0xff;
    uint64_t lows = _pext_u64(UINT64_C(0x0706050403020100), bytes);
    all =
        _mm256_permutevar8x32_epi32(all, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)lows)));
#endif
    _mm256_storeu_si256((__m256i *)list, all);
    return __builtin_popcount(bits);
}

/* SINGLES times the same number. */
static inline void singles_store_number(int32_t *list, int32_t number)
{
    _mm256_storeu_si256((__m256i *)list, _mm256_set1_epi32(number));
}

/* Each rounded to the nearest float. */
static inline void singles_store_doubles(float *p, lanes a)
{
#if LANES == 8
    _mm256_storeu_ps(p, _mm512_cvtpd_ps(a));
#else
    _mm_storeu_ps(p, _mm256_cvtpd_ps(a));
#endif
}

#else

enum { SINGLES = 1 };
typedef float singles;

static inline singles singles_load(const float *p)
{
    return *p;
}

static inline singles singles_set(float a)
{
    return a;
}

static inline singles singles_smaller(singles a, singles b)
{
    return a < b ? a : b;
}

static inline singles singles_larger(singles a, singles b)
{
    return a > b ? a : b;
}

static inline void singles_store(float *p, singles a)
{
    *p = a;
}

static inline unsigned singles_less_bits(singles a, singles b)
{
    return a < b;
}

static inline unsigned singles_no_more_bits(singles a, singles b)
{
    return a <= b;
}

static inline unsigned singles_first_bits(int32_t count)
{
    return count > 0;
}

static inline int32_t singles_append_items(int32_t *list, const int32_t *items, unsigned bits)
{
    *list = *items;
    return (int32_t)bits;
}

static inline void singles_store_number(int32_t *list, int32_t number)
{
    *list = number;
}

static inline void singles_store_doubles(float *p, lanes a)
{
    *p = (float)a;
}

#endif

/* The nearest whole number of what is less than 2^22. */
static inline singles singles_round(singles a)
{
    const singles ones = singles_set(0x1.8p23f);
    return (a + ones) - ones;
}

/* ---- what every level has in common ---- */

#define LANES_ALL ((1u << LANES) - 1u)

/* Bits of the first `count` lanes, or of all where there are no more. */
static inline unsigned lanes_first_bits(int32_t count)
{
    return count < LANES ? (1u << count) - 1u : LANES_ALL;
}

/* LANES rows of `count` doubles, a multiple of LANES or read up to one, become columns. */
LANES_INLINE void lanes_transpose_all(const double *const rows[LANES], int count, lanes *columns)
{
    for (int first = 0; first < count; first += LANES) {
        const double *parts[LANES];
        for (int i = 0; i < LANES; i++) {
            parts[i] = rows[i] + first;
        }
        lanes_transpose(parts, columns + first);
    }
}

/* Columns become LANES points of three coordinates each, one after the other. */
static inline void lanes_store_points(double *p, const lanes columns[3])
{
    lanes points[3];
    lanes_interleave(columns, points);
    for (int k = 0; k < 3; k++) {
        lanes_store(p + k * LANES, points[k]);
    }
}

/* The nearest whole number, the even one of two, of what is less than 2^51. */
static inline lanes lanes_round(lanes a)
{
    const lanes ones = lanes_set(0x1.8p52); /* whose last digit counts ones */
    return (a + ones) - ones;
}

/* Vectors side by side; the operations are those of vec3.h, in its order. */
typedef struct lanes3 {
    lanes x, y, z;
} lanes3;

static inline lanes3 lanes3_add(lanes3 a, lanes3 b)
{
    return (lanes3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline lanes3 lanes3_sub(lanes3 a, lanes3 b)
{
    return (lanes3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline lanes3 lanes3_scale(lanes3 a, lanes s)
{
    return (lanes3){a.x * s, a.y * s, a.z * s};
}

static inline lanes lanes3_dot(lanes3 a, lanes3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline lanes3 lanes3_cross(lanes3 a, lanes3 b)
{
    return (lanes3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline lanes3 lanes3_select(lanes_mask mask, lanes3 yes, lanes3 no)
{
    return (lanes3){lanes_select(mask, yes.x, no.x), lanes_select(mask, yes.y, no.y),
                    lanes_select(mask, yes.z, no.z)};
}

static inline lanes3 lanes3_flip(lanes_mask mask, lanes3 a)
{
    return (lanes3){lanes_flip(mask, a.x), lanes_flip(mask, a.y), lanes_flip(mask, a.z)};
}

static inline lanes_mask lanes3_equal(lanes3 a, lanes3 b)
{
    return mask_and(lanes_equal(a.x, b.x), mask_and(lanes_equal(a.y, b.y), lanes_equal(a.z, b.z)));
}

/* Zeros without a sign, as vec3_one_zero. */
static inline lanes3 lanes3_one_zero(lanes3 a)
{
    lanes zero = lanes_set(0.0);
    return (lanes3){a.x + zero, a.y + zero, a.z + zero};
}

#endif
