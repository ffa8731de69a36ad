/* Trees of places (k-d trees: every part is cut in half where it is widest), whose items go one by
 * one. A box bounds its items' keys to the bit, since rounding keeps the order of numbers: so what
 * is found is what looking at all items would find. */
#include "nearest.h"

#include <string.h>

#include "sort.h"

/* Entries of a leaf: fewer take more memory for boxes, more are looked at in vain. */
enum { LEAF_ENTRIES = 8 };

/* One look for the best item, as parallel_report counts work. */
enum { WORK_OF_LOOK = 300 };

/* ---- making trees ---- */

static nearest_box box_of(const nearest_trees *t, abut_index begin, abut_index end)
{
    nearest_box box = {.limit = -INFINITY};
    for (int axis = 0; axis < NEAREST_AXES; axis++) {
        box.low[axis] = INFINITY, box.high[axis] = -INFINITY;
    }
    for (abut_index k = begin; k < end; k++) {
        const nearest_place *place = &t->places[t->items[k]];
        for (int axis = 0; axis < NEAREST_AXES; axis++) {
            box.low[axis] = fmin(box.low[axis], place->at[axis]);
            box.high[axis] = fmax(box.high[axis], place->at[axis]);
        }
        box.limit = fmax(box.limit, place->limit);
    }
    return box;
}

/* Along which axis places differ most, each measured by how far the whole tree goes along it. */
static int widest_axis(const nearest_box *box, const nearest_box *whole)
{
    int widest = 0;
    double width = -1.0;
    for (int axis = 0; axis < NEAREST_AXES; axis++) {
        const double all = whole->high[axis] - whole->low[axis];
        const double own = all > 0.0 ? (box->high[axis] - box->low[axis]) / all : 0.0;
        if (own > width) {
            widest = axis, width = own;
        }
    }
    return widest;
}

static double place_along(const nearest_trees *t, abut_index entry, int axis)
{
    return t->places[t->items[entry]].at[axis];
}

static void swap(abut_index *a, abut_index *b)
{
    const abut_index c = *a;
    *a = *b;
    *b = c;
}

/* Hoare's partition and selection: entries up to `middle` are not beyond those behind it. Of equal
 * places both sides get some, so that many equal ones are cut in half as well. */
static void put_middle(const nearest_trees *t, abut_index *entries, const nearest_branch *b,
                       abut_index middle, int axis)
{
    abut_index first = b->begin, last = b->end - 1;
    while (first < last) {
        const double pivot = place_along(t, first + (last - first) / 2, axis);
        abut_index low = first, high = last;
        while (low <= high) {
            while (place_along(t, low, axis) < pivot) {
                low++;
            }
            while (place_along(t, high, axis) > pivot) {
                high--;
            }
            if (low <= high) {
                swap(t->items + low, t->items + high);
                swap(entries + low++, entries + high--);
            }
        }
        if (middle <= high) {
            last = high;
        } else if (middle >= low) {
            first = low;
        } else {
            return;
        }
    }
}

static abut_index first_item(const nearest_trees *t, abut_index begin, abut_index end)
{
    abut_index first = INTPTR_MAX;
    for (abut_index k = begin; k < end; k++) {
        first = t->items[k] >= 0 && t->items[k] < first ? t->items[k] : first;
    }
    return first;
}

/* Cut branches in half, as deep as their entries can be halved. */
static abut_index grow(nearest_trees *t, abut_index *entries, abut_index begin, abut_index end,
                       const nearest_box *whole)
{
    const abut_index number = t->branch_count++;
    nearest_branch *branch = &t->branches[number];
    *branch = (nearest_branch){.box = box_of(t, begin, end),
                               .begin = begin,
                               .end = end,
                               .first = first_item(t, begin, end)};
    if (end - begin > LEAF_ENTRIES) {
        const abut_index middle = begin + (end - begin) / 2;
        whole = whole ? whole : &branch->box;
        put_middle(t, entries, branch, middle, widest_axis(&branch->box, whole));
        grow(t, entries, begin, middle, whole);
        branch->right = grow(t, entries, middle, end, whole);
    }
    return number;
}

/* Leaves have at least half of what they may have, unless they are all of a group. */
static abut_index count_branches(abut_index group_count, const abut_index *offsets)
{
    abut_index sum = 0;
    for (abut_index g = 0; g < group_count; g++) {
        const abut_index count = offsets[g + 1] - offsets[g];
        sum += count > LEAF_ENTRIES ? 2 * (count / (LEAF_ENTRIES / 2)) : 1;
    }
    return sum;
}

/* Let `entries` follow the branches, and say where each entry has gone. */
static void grow_all(nearest_trees *t, abut_index *entries, abut_index group_count,
                     const abut_index *offsets)
{
    const abut_index count = offsets[group_count];
    for (abut_index k = 0; k < count; k++) {
        entries[k] = k;
    }
    for (abut_index g = 0; g < group_count; g++) {
        const abut_index begin = offsets[g], end = offsets[g + 1];
        t->roots[g] = begin < end ? grow(t, entries, begin, end, NULL) : -1;
    }
    for (abut_index k = 0; k < count; k++) {
        t->slots[entries[k]] = k;
    }
}

abut_status nearest_build(nearest_trees *trees, const nearest_place *places, abut_index group_count,
                          const abut_index *offsets, const abut_index *items)
{
    const abut_index count = offsets[group_count];
    abut_index *entries = memory_alloc(count, sizeof *entries);
    *trees = (nearest_trees){
        .places = places,
        .branches = memory_alloc(count_branches(group_count, offsets), sizeof *trees->branches),
        .items = memory_alloc(count, sizeof *trees->items),
        .slots = memory_alloc(count, sizeof *trees->slots),
        .roots = memory_alloc(group_count, sizeof *trees->roots)};
    const bool has_room =
        entries && trees->branches && trees->items && trees->slots && trees->roots;
    if (has_room) {
        memcpy(trees->items, items, (size_t)count * sizeof *items);
        grow_all(trees, entries, group_count, offsets);
    }
    memory_free(entries);
    return has_room ? ABUT_OK : ABUT_NO_MEMORY;
}

void nearest_free(nearest_trees *trees)
{
    memory_free(trees->branches);
    memory_free(trees->items);
    memory_free(trees->slots);
    memory_free(trees->roots);
    *trees = (nearest_trees){0};
}

/* ---- the best item ---- */

/* What is looked for. */
typedef struct looking {
    const nearest_trees *trees;
    const nearest_rule *rule;
    const nearest_place *place;
    nearest_item best;
} looking;

/* A key that no item of a branch is better than. */
static nearest_item bound_of(const looking *l, abut_index branch)
{
    const nearest_branch *b = &l->trees->branches[branch];
    const abut_index first = b->first;
    return (nearest_item){first < INTPTR_MAX ? l->rule->bound(l->place, &b->box) : INFINITY, first};
}

static void look_at_leaf(looking *l, const nearest_branch *leaf)
{
    const nearest_trees *t = l->trees;
    for (abut_index k = leaf->begin; k < leaf->end; k++) {
        if (t->items[k] >= 0) {
            const double key = l->rule->key(l->place, &t->places[t->items[k]]);
            const nearest_item one = {key, t->items[k]};
            l->best = key < INFINITY && nearest_is_better(one, l->best) ? one : l->best;
        }
    }
}

static void look(looking *l, abut_index branch, nearest_item bound)
{
    const nearest_branch *b = &l->trees->branches[branch];
    if (bound.key == INFINITY || !nearest_is_better(bound, l->best)) {
        return;
    }
    if (!b->right) {
        look_at_leaf(l, b);
        return;
    }
    const nearest_item left = bound_of(l, branch + 1), right = bound_of(l, b->right);
    if (nearest_is_better(right, left)) {
        look(l, b->right, right);
        look(l, branch + 1, left);
    } else {
        look(l, branch + 1, left);
        look(l, b->right, right);
    }
}

nearest_item nearest_find(const nearest_trees *trees, abut_index group, const nearest_rule *rule,
                          const nearest_place *place, nearest_item best)
{
    looking l = {trees, rule, place, best};
    const abut_index root = trees->roots[group];
    if (root >= 0) {
        look(&l, root, bound_of(&l, root));
    }
    return l.best;
}

/* ---- items that go ---- */

static void remove_below(nearest_trees *t, abut_index branch, abut_index slot)
{
    nearest_branch *b = &t->branches[branch];
    if (!b->right) {
        t->items[slot] = -1;
        b->first = first_item(t, b->begin, b->end);
        return;
    }
    const abut_index left = branch + 1, right = b->right;
    remove_below(t, slot < t->branches[right].begin ? left : right, slot);
    const abut_index first = t->branches[left].first, second = t->branches[right].first;
    b->first = first < second ? first : second;
}

void nearest_remove(nearest_trees *trees, abut_index group, abut_index entry)
{
    remove_below(trees, trees->roots[group], trees->slots[entry]);
}

/* ---- a tree for each label ---- */

/* The labels of both sets, and their order. */
typedef struct label_list {
    const nearest_labels *sets;
    abut_index *order, *room;     /* those of the second set are counted on */
    abut_index *group_offsets[2]; /* group_count + 1: which entries each tree has */
    abut_index *items[2];         /* of these entries */
    abut_index group_count;
} label_list;

static const nearest_label *label_at(const nearest_labels sets[2], abut_index k)
{
    const abut_index first = sets[0].count;
    return k < first ? &sets[0].labels[k] : &sets[1].labels[k - first];
}

static int compare_labels(const nearest_label *a, const nearest_label *b)
{
    for (int k = 0; k < 3; k++) {
        if (a->numbers[k] != b->numbers[k]) {
            return a->numbers[k] < b->numbers[k] ? -1 : 1;
        }
    }
    return 0;
}

static bool is_label_before(const void *context, abut_index a, abut_index b)
{
    const nearest_labels *sets = context;
    return compare_labels(label_at(sets, a), label_at(sets, b)) < 0;
}

static void sort_labels(label_list *list)
{
    const abut_index count = list->sets[0].count + list->sets[1].count;
    for (abut_index k = 0; k < count; k++) {
        list->order[k] = k;
    }
    sort_by_merging(list->order, list->room, count, is_label_before, list->sets);
}

/* Labels that are equal are a group, with a tree in either set, which may be empty. */
static void number_groups(label_list *list, nearest_groups *g)
{
    const abut_index *order = list->order, first_count = list->sets[0].count;
    abut_index next[2] = {0, 0}, group = -1;
    for (abut_index k = 0; k < first_count + list->sets[1].count; k++) {
        const nearest_label *label = label_at(list->sets, order[k]);
        const int s = order[k] >= first_count;
        if (k == 0 || compare_labels(label_at(list->sets, order[k - 1]), label) != 0) {
            group++;
            list->group_offsets[0][group] = next[0], list->group_offsets[1][group] = next[1];
        }
        const abut_index own = order[k] - (s ? first_count : 0);
        g->groups[s][own] = group, g->entries[s][own] = next[s];
        list->items[s][next[s]++] = label->item;
    }
    list->group_count = group + 1;
    list->group_offsets[0][group + 1] = next[0], list->group_offsets[1][group + 1] = next[1];
}

static bool make_list(label_list *list, nearest_groups *g)
{
    const abut_index count = list->sets[0].count + list->sets[1].count;
    list->order = memory_alloc(count, sizeof *list->order);
    list->room = memory_alloc(count, sizeof *list->room);
    bool has_room = list->order && list->room;
    for (int s = 0; s < 2; s++) {
        const abut_index own = list->sets[s].count;
        list->group_offsets[s] = memory_alloc(count + 1, sizeof **list->group_offsets);
        list->items[s] = memory_alloc(own, sizeof **list->items);
        g->groups[s] = memory_alloc(own, sizeof **g->groups);
        g->entries[s] = memory_alloc(own, sizeof **g->entries);
        has_room =
            has_room && list->group_offsets[s] && list->items[s] && g->groups[s] && g->entries[s];
    }
    return has_room;
}

static void free_list(label_list *list)
{
    memory_free(list->order), memory_free(list->room);
    for (int s = 0; s < 2; s++) {
        memory_free(list->group_offsets[s]), memory_free(list->items[s]);
    }
}

abut_status nearest_group(nearest_groups *g, const nearest_labels sets[2])
{
    label_list list = {.sets = sets};
    *g = (nearest_groups){0};
    abut_status status = make_list(&list, g) ? ABUT_OK : ABUT_NO_MEMORY;
    if (!status) {
        sort_labels(&list);
        number_groups(&list, g);
    }
    for (int s = 0; !status && s < 2; s++) {
        status = nearest_build(&g->trees[s], sets[s].places, list.group_count,
                               list.group_offsets[s], list.items[s]);
    }
    free_list(&list);
    return status;
}

void nearest_ungroup(nearest_groups *g)
{
    for (int s = 0; s < 2; s++) {
        nearest_free(&g->trees[s]);
        memory_free(g->groups[s]), memory_free(g->entries[s]);
    }
}

/* ---- the best pair first ---- */

/* From one item to the best of the other set, and so on; each suits its predecessor better than
 * that one's does, so that none comes twice. */
typedef struct chain {
    abut_index *items; /* of both sets in turns */
    abut_index length;
    uint8_t *taken; /* of the first set */
} chain;

/* Match the two at the chain's end. */
static void take_last(const nearest_match *m, chain *c)
{
    const bool ends_with_first = c->length % 2 == 1;
    const abut_index last = c->items[c->length - 1], other = c->items[c->length - 2];
    const abut_index first = ends_with_first ? last : other;
    c->taken[first] = 1;
    m->take(m->context, first, ends_with_first ? other : last);
    c->length -= 2;
}

/* Follow the chain that begins with an item of the first set until nothing is left of it. */
static abut_status follow(const nearest_match *m, chain *c, abut_index item, parallel_job *job)
{
    abut_status status = ABUT_OK;
    c->items[0] = item, c->length = 1;
    while (!status && c->length > 0) {
        const int side = c->length % 2 == 1 ? 0 : 1;
        const nearest_item best = m->find(m->context, side, c->items[c->length - 1]);
        if (best.item == INTPTR_MAX) {
            return parallel_report(job, WORK_OF_LOOK); /* only the first one of a chain has none */
        }
        if (c->length > 1 && best.item == c->items[c->length - 2]) {
            take_last(m, c);
        } else {
            c->items[c->length++] = best.item;
        }
        status = parallel_report(job, WORK_OF_LOOK);
    }
    return status;
}

abut_status nearest_match_all(const nearest_match *m, parallel_job *job)
{
    chain c = {.items = memory_alloc(m->counts[0] + m->counts[1], sizeof *c.items),
               .taken = memory_alloc_zeroed(m->counts[0], sizeof *c.taken)};
    abut_status status = c.items && c.taken ? ABUT_OK : ABUT_NO_MEMORY;
    for (abut_index item = 0; !status && item < m->counts[0]; item++) {
        status = c.taken[item] ? ABUT_OK : follow(m, &c, item, job);
    }
    memory_free(c.items);
    memory_free(c.taken);
    return status;
}
