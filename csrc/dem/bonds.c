/* Storage of bonds: adding, removing, and finding them by the rows of their spheres. */
#include "bonds.h"

#include <stdlib.h>
#include <string.h>

#include "../base/span.h"

/* ---- memory ---- */

/* Extends an array to `count` elements. Without memory: sets *has_failed, returns the old array. */
static void *grown(bond_set *b, void *array, int block, abut_index count, size_t size,
                   bool *has_failed)
{
    void *made = memory_extend(&b->blocks[block], count, size);
    *has_failed |= !made;
    return made ? made : array;
}

abut_status bonds_reserve(bond_set *b, abut_index count, abut_index row_count)
{
    bool has_failed = false;
    b->bonds = grown(b, b->bonds, 0, count, sizeof *b->bonds, &has_failed);
    b->stiffness = grown(b, b->stiffness, 1, count, sizeof *b->stiffness, &has_failed);
    b->now = grown(b, b->now, NOW_BLOCK, count, sizeof *b->now, &has_failed);
    b->before = grown(b, b->before, BEFORE_BLOCK, count, sizeof *b->before, &has_failed);
    b->begins = grown(b, b->begins, 4, row_count + 1, sizeof *b->begins, &has_failed);
    b->ends = grown(b, b->ends, 5, 2 * count, sizeof *b->ends, &has_failed);
    return has_failed ? ABUT_NO_MEMORY : ABUT_OK;
}

abut_status bonds_reserve_broken(bond_set *b, abut_index count)
{
    bool has_failed = false;
    const abut_index rests = b->rest_count + count, breakages = b->breakage_count + count;
    b->rests = grown(b, b->rests, 6, rests, sizeof *b->rests, &has_failed);
    b->breakages = grown(b, b->breakages, 7, breakages, sizeof *b->breakages, &has_failed);
    return has_failed ? ABUT_NO_MEMORY : ABUT_OK;
}

void bonds_free(bond_set *b)
{
    memory_free_blocks(b->blocks, BOND_BLOCKS);
    *b = (bond_set){0};
}

/* ---- order ---- */

static int compare_rows(const int32_t a[2], const int32_t b[2])
{
    return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : (a[1] > b[1]) - (a[1] < b[1]);
}

bool bonds_is_before(const void *set, abut_index a, abut_index b)
{
    const bond *bonds = ((const bond_set *)set)->bonds;
    return compare_rows(bonds[a].rows, bonds[b].rows) < 0;
}

static void copy_bond(bond_set *to, abut_index k, const bond_set *from, abut_index from_number)
{
    to->bonds[k] = from->bonds[from_number], to->before[k] = from->before[from_number];
}

/* Merges from the last bond to the first, since free memory is at the end of the array. */
void bonds_merge(bond_set *b, const bond_set *made, const abut_index *order)
{
    abut_index old = b->count - 1, new = made->count - 1;
    b->count += made->count;
    for (abut_index k = b->count - 1; new >= 0; k--) {
        const int32_t *rows = made->bonds[order[new]].rows;
        if (old >= 0 && compare_rows(b->bonds[old].rows, rows) > 0) {
            copy_bond(b, k, b, old--);
        } else {
            copy_bond(b, k, made, order[new--]);
        }
    }
}

/* Appends the ends of one side to the lists of their rows. Bonds ascend by first row, then by
 * second row. Call it for side 1, then for side 0: partners of second ends have smaller rows, so a
 * row's ends ascend by partner. */
static void place_ends(bond_set *b, int side)
{
    for (abut_index k = 0; k < b->count; k++) {
        const int32_t row = b->bonds[k].rows[side];
        b->ends[b->begins[row]++] = (int32_t)(2 * k + side);
    }
}

void bonds_list_ends(bond_set *b, abut_index row_count)
{
    b->has_hidden = false;
    if (b->count == 0) {
        return;
    }
    memset(b->begins, 0, (size_t)(row_count + 1) * sizeof *b->begins);
    for (abut_index k = 0; k < b->count; k++) {
        b->begins[b->bonds[k].rows[0]]++;
        b->begins[b->bonds[k].rows[1]]++;
        b->has_hidden |= !b->bonds[k].has_contact;
    }
    int32_t sum = 0;
    for (abut_index row = 0; row <= row_count; row++) {
        const int32_t count = b->begins[row];
        b->begins[row] = sum;
        sum += count;
    }
    place_ends(b, 1);
    place_ends(b, 0);
    /* place_ends has moved each begin to where the next row begins: move all by one element */
    memmove(b->begins + 1, b->begins, (size_t)row_count * sizeof *b->begins);
    b->begins[0] = 0;
}

abut_index bonds_find(const bond_set *b, int32_t first, int32_t second)
{
    if (b->count == 0) {
        return -1;
    }
    for (int32_t k = b->begins[first]; k < b->begins[first + 1]; k++) {
        const abut_index number = b->ends[k] >> 1;
        if (b->bonds[number].rows[1] == second) {
            return number;
        }
    }
    return -1;
}

static bool is_rest_before(const void *bonds, abut_index k, const void *rows)
{
    return compare_rows(((const bond_set *)bonds)->rests[k].rows, rows) < 0;
}

/* The position of a rest with these rows, or the position where it would be inserted. */
static abut_index place_of_rest(const bond_set *b, const int32_t rows[2])
{
    return span_find((row_span){0, b->rest_count}, b, rows, is_rest_before);
}

const bond_rest *bonds_find_rest(const bond_set *b, int32_t first, int32_t second)
{
    const int32_t rows[2] = {first, second};
    const abut_index at = place_of_rest(b, rows);
    const bool is_there = at < b->rest_count && compare_rows(b->rests[at].rows, rows) == 0;
    return is_there ? &b->rests[at] : NULL;
}

/* ---- removing ---- */

void bonds_drop(bond_set *b, bool (*is_gone)(const bond_set *b, abut_index number))
{
    abut_index kept = 0;
    for (abut_index k = 0; k < b->count; k++) {
        if (!is_gone(b, k)) {
            b->stiffness[kept] = b->stiffness[k];
            copy_bond(b, kept++, b, k);
        }
    }
    b->count = kept;
}

static void renumber(int32_t rows[2], const int32_t *new_rows)
{
    rows[0] = new_rows[rows[0]], rows[1] = new_rows[rows[1]];
}

static bool lacks_sphere(const bond_set *b, abut_index number)
{
    return b->bonds[number].rows[0] < 0 || b->bonds[number].rows[1] < 0;
}

void bonds_drop_rests(bond_set *b, bool (*is_gone)(const bond_set *b, const bond_rest *rest))
{
    abut_index kept = 0;
    for (abut_index k = 0; k < b->rest_count; k++) {
        if (!is_gone(b, &b->rests[k])) {
            b->rests[kept++] = b->rests[k];
        }
    }
    b->rest_count = kept;
}

static bool rest_lacks_sphere(const bond_set *b, const bond_rest *rest)
{
    (void)b;
    return rest->rows[0] < 0 || rest->rows[1] < 0;
}

static bool has_parted(const bond_set *b, const bond_rest *rest)
{
    (void)b;
    return rest->has_parted;
}

void bonds_renumber(bond_set *b, const int32_t *new_rows, abut_index row_count)
{
    for (abut_index k = 0; k < b->count; k++) {
        renumber(b->bonds[k].rows, new_rows);
    }
    for (abut_index k = 0; k < b->rest_count; k++) {
        renumber(b->rests[k].rows, new_rows);
    }
    bonds_drop_rests(b, rest_lacks_sphere);
    bonds_drop(b, lacks_sphere);
    bonds_list_ends(b, row_count);
}

int bonds_compare_rests(const void *a, const void *b)
{
    return compare_rows(((const bond_rest *)a)->rows, ((const bond_rest *)b)->rows);
}

/* Adds a rest for a broken bond if its spheres overlapped when they were bonded. */
static void add_rest(bond_set *b, const bond *beam)
{
    if (beam->rest_overlap > 0.0) {
        b->rests[b->rest_count++] =
            (bond_rest){.rows = {beam->rows[0], beam->rows[1]},
                        .shift = {beam->shift[0], beam->shift[1], beam->shift[2]},
                        .overlap = beam->rest_overlap};
    }
}

/* Returns the record of a broken bond: when, why and where it broke (in its middle). */
static bond_breakage breakage_of(const bond_set *b, abut_index number, abut_index step)
{
    const bond *beam = &b->bonds[number];
    const bond_effect *e = &b->before[number];
    return (bond_breakage){.step = step,
                           .ids = {beam->ids[0], beam->ids[1]},
                           .point = e->middle,
                           .energy = e->energy,
                           .is_of_shear = e->is_of_shear};
}

static bool has_broken(const bond_set *b, abut_index number)
{
    return b->before[number].is_broken;
}

void bonds_remove_broken(bond_set *b, abut_index row_count)
{
    for (abut_index k = 0; k < b->count; k++) {
        if (has_broken(b, k)) {
            add_rest(b, &b->bonds[k]);
        }
    }
    if (b->rest_count > 0) {
        qsort(b->rests, (size_t)b->rest_count, sizeof *b->rests, bonds_compare_rests);
    }
    bonds_drop(b, has_broken);
    bonds_list_ends(b, row_count);
}

void bonds_keep(bond_set *b, abut_index row_count, abut_index step)
{
    bond_effect *other = b->before;
    b->before = b->now, b->now = other;
    const memory_block block = b->blocks[BEFORE_BLOCK];
    b->blocks[BEFORE_BLOCK] = b->blocks[NOW_BLOCK], b->blocks[NOW_BLOCK] = block;
    if (b->parted_count > 0) {
        bonds_drop_rests(b, has_parted);
    }
    if (b->broken_count > 0) {
        for (abut_index k = 0; k < b->count; k++) {
            if (has_broken(b, k)) {
                b->breakages[b->breakage_count++] = breakage_of(b, k, step);
            }
        }
        bonds_remove_broken(b, row_count);
    }
    bonds_forget_step(b);
}

void bonds_forget_step(bond_set *b)
{
    b->broken_count = b->parted_count = 0;
}
