/* Stores the contact history in slots of LAMMPS' per-atom data, which LAMMPS moves with its
 * atoms. */
#include <string.h>

#include "../base/prefetch.h"
#include "../mesh/weights.h"
#include "rank.h"

/* Positions of the numbers in a slot. */
enum { KEY_MESH, KEY_FACET, KEY_FEATURE, KEY_IMAGE };
enum { STATE_SPRING = 0, STATE_ROLL = 3, STATE_POINT = 6, STATE_NORMAL = 9 };
enum { STATE_OVERLAP = 12, STATE_TILT = 13, STATE_MOST = 14 };

/* An atom's count in LAMMPS' data: its number of contacts, plus COUNT_LIMIT times slots per
 * atom. */
enum { COUNT_LIMIT = 1 << 16 };

/* The feature of a mesh, or the half space, of a slot's contact. */
typedef struct slot_place {
    const abut_mesh *mesh; /* NULL: a half space */
    abut_index wall, facet;
    abut_type type;
    abut_index feature;
} slot_place;

/* The position of a slot in the array of all slots that are not first ones. First slots are in an
 * array of their own, since spheres rarely have more than one contact. The other slots of an atom
 * are consecutive. */
static abut_index number_among_others(const abut_lammps *rank, abut_index atom, int slot)
{
    return atom * (rank->input.slots - 1) + slot - 1;
}

static int *keys_of(const abut_lammps *rank, abut_index atom, int slot)
{
    return slot == 0
               ? rank->atoms.first.keys + atom * ABUT_LAMMPS_KEYS
               : rank->atoms.others.keys + number_among_others(rank, atom, slot) * ABUT_LAMMPS_KEYS;
}

static double *states_of(const abut_lammps *rank, abut_index atom, int slot)
{
    return slot == 0 ? rank->atoms.first.states + atom * ABUT_LAMMPS_STATES
                     : rank->atoms.others.states +
                           number_among_others(rank, atom, slot) * ABUT_LAMMPS_STATES;
}

static slot_place place_of(const abut_lammps *rank, const int *keys)
{
    const abut_index wall = keys[KEY_MESH];
    const bool is_mesh = wall >= 0 && wall < rank->input.mesh_count;
    return (slot_place){is_mesh ? rank->meshes[wall] : NULL, wall, keys[KEY_FACET],
                        (abut_type)(keys[KEY_FEATURE] & 3), keys[KEY_FEATURE] >> 2};
}

/* Whether the walls have the feature of a slot. A restart file may come from other walls. */
static bool is_there(const abut_lammps *rank, const slot_place *at)
{
    if (!at->mesh) {
        return at->wall >= rank->input.mesh_count && at->wall < rank->input.wall_count &&
               at->facet == 0 && at->feature == 0;
    }
    if (at->facet < 0 || at->facet >= at->mesh->view.facet_count || at->type > ABUT_VERTEX) {
        return false;
    }
    return at->feature >= 0 && at->feature < mesh_polygon(at->mesh, at->facet).count;
}

/* ---- from slots ---- */

static abut_index list_nodes(const slot_place *at, abut_index *nodes)
{
    if (at->mesh) {
        return weights_list_nodes(at->mesh, at->facet, at->type, at->feature, nodes);
    }
    nodes[0] = 0;
    return 1;
}

/* The number of contacts of an atom in slots. */
static int count_of(const abut_lammps *rank, abut_index atom)
{
    return rank->atoms.counts[atom] % COUNT_LIMIT;
}

static abut_status report_atom(const abut_lammps *rank, abut_status status, abut_index atom,
                               abut_index detail, abut_error *error)
{
    return error_set(error, status, lammps_id(rank, atom), detail, rank->input.slots);
}

static abut_status check_count(const abut_lammps *rank, abut_index atom, abut_error *error)
{
    const int slots = rank->atoms.counts[atom] / COUNT_LIMIT, count = count_of(rank, atom);
    if (slots != (count == 0 ? 0 : rank->input.slots)) {
        return report_atom(rank, ABUT_OTHER_SLOTS, atom, slots, error);
    }
    return count < 0 || count > rank->input.slots ? report_atom(rank, ABUT_BAD_SLOT, atom, 0, error)
                                                  : ABUT_OK;
}

/* Lists the spheres that have contacts in slots. Sets *rows to the number of these contacts. */
static abut_status list_holders(abut_lammps *rank, abut_index *rows, abut_error *error)
{
    const abut_index count = rank->simulation->store.count;
    abut_status status = ABUT_OK;
    *rows = rank->holder_count = 0;
    rank->holders = memory_reserve(&rank->holder_block, count, sizeof *rank->holders);
    if (!rank->holders) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    for (abut_index place = 0; !status && place < count; place++) {
        const abut_index atom = lammps_atom(rank, place);
        if (rank->atoms.counts[atom] != 0) {
            rank->holders[rank->holder_count++] = (int32_t)place;
            *rows += count_of(rank, atom);
            status = check_count(rank, atom, error);
        }
    }
    return status;
}

static void read_vector(double *column, abut_index row, const double *states, int at)
{
    if (column) {
        memcpy(column + 3 * row, states + at, 3 * sizeof *column);
    }
}

/* Reads the springs and the largest overlap from a slot, if the laws need them. */
static void read_kept(const interaction_table *t, abut_index row, const double *states)
{
    const history_layout *l = &t->extras.layout;
    double *kept = table_kept(t, row);
    memcpy(kept, states + STATE_SPRING, (size_t)l->begins[HISTORY_VECTORS] * sizeof *kept);
    if (history_part_numbers(l, HISTORY_SCALARS) > 0) {
        history_set_most(l, kept, states[STATE_MOST]);
    }
}

/* Reads a slot into the next row. Data that are needed only within a step are not in slots. */
static void read_slot(const abut_lammps *rank, abut_index atom, int slot, const slot_place *at,
                      interaction_table *t)
{
    const int *keys = keys_of(rank, atom, slot);
    const double *states = states_of(rank, atom, slot);
    const abut_index row = t->count++;
    abut_columns *c = &t->contact;
    c->mesh[row] = at->wall;
    read_kept(t, row, states);
    read_vector(c->point, row, states, STATE_POINT);
    read_vector(c->normal, row, states, STATE_NORMAL);
    c->overlap[row] = states[STATE_OVERLAP];
    c->tilt[row] = states[STATE_TILT];
    for (int axis = 0; c->image && axis < 3; axis++) {
        c->image[3 * row + axis] = keys[KEY_IMAGE + axis];
    }
    t->entry_count += list_nodes(at, c->node + t->entry_count);
    c->node_offsets[row + 1] = t->entry_count;
}

static abut_status read_atom(const abut_lammps *rank, abut_index atom, interaction_table *t,
                             abut_error *error)
{
    for (int slot = 0; slot < count_of(rank, atom); slot++) {
        const slot_place at = place_of(rank, keys_of(rank, atom, slot));
        if (!is_there(rank, &at)) {
            return report_atom(rank, ABUT_BAD_SLOT, atom, 0, error);
        }
        read_slot(rank, atom, slot, &at, t);
    }
    return ABUT_OK;
}

/* Slots are scattered in memory, so those of the sphere this far ahead are prefetched. */
enum { FETCHED_AHEAD = 12 };

static void fetch_slots(const abut_lammps *rank, abut_index holder)
{
    if (holder + FETCHED_AHEAD < rank->holder_count) {
        const abut_index atom = lammps_atom(rank, rank->holders[holder + FETCHED_AHEAD]);
        const double *states = states_of(rank, atom, 0);
        PREFETCH(keys_of(rank, atom, 0));
        PREFETCH(states);
        PREFETCH(states + ABUT_LAMMPS_STATES - 1);
    }
}

/* Reads the rows of all spheres from slots. */
static abut_status read_rows(const abut_lammps *rank, interaction_table *t, abut_error *error)
{
    abut_status status = ABUT_OK;
    abut_index next = 0;
    t->contact.offsets[0] = t->contact.node_offsets[0] = 0;
    for (abut_index k = 0; !status && k < rank->holder_count; k++) {
        const abut_index place = rank->holders[k];
        fetch_slots(rank, k);
        while (next < place) {
            t->contact.offsets[++next] = t->count;
        }
        status = read_atom(rank, lammps_atom(rank, place), t, error);
    }
    while (next < t->first_count) {
        t->contact.offsets[++next] = t->count;
    }
    return status;
}

/* Whether the last call's table has the same contacts as the slots, which are then not read. */
static bool has_table_of_slots(const abut_lammps *rank, abut_index rows)
{
    const interaction_table *t = &rank->simulation->before->tables[ABUT_SPHERE_WALL];
    bool is_same = rank->has_table && rank->has_same_ids && rows == t->count;
    for (abut_index k = 0; is_same && k < rank->holder_count; k++) {
        const abut_index *offsets = t->contact.offsets + rank->holders[k];
        is_same = offsets[1] - offsets[0] == count_of(rank, lammps_atom(rank, rank->holders[k]));
    }
    return is_same;
}

abut_status lammps_read_slots(abut_lammps *rank, abut_error *error)
{
    abut_simulation *s = rank->simulation;
    interaction_table *t = &s->before->tables[ABUT_SPHERE_WALL];
    abut_index rows;
    const abut_status status = list_holders(rank, &rows, error);
    if (status || has_table_of_slots(rank, rows)) {
        return status;
    }
    rank->read_count++;
    /* Each row gets room for most_nodes, since counting its nodes would take another pass over the
     * slots. Memory that is never written takes no pages. */
    const table_size size = {rows, rows * rank->most_nodes, s->store.count};
    if (table_reserve(t, size, simulation_extras(s))) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    return rows > 0 ? read_rows(rank, t, error) : ABUT_OK;
}

/* ---- into slots ---- */

static void write_vector(double *states, int at, const double *column, abut_index row)
{
    if (column) {
        memcpy(states + at, column + 3 * row, 3 * sizeof *states);
    } else {
        memset(states + at, 0, 3 * sizeof *states);
    }
}

static void write_kept(const interaction_table *t, abut_index row, double *states)
{
    const history_layout *l = &t->extras.layout;
    const double *kept = table_kept(t, row);
    memset(states + STATE_SPRING, 0, (STATE_POINT - STATE_SPRING) * sizeof *states);
    memcpy(states + STATE_SPRING, kept, (size_t)l->begins[HISTORY_VECTORS] * sizeof *kept);
    states[STATE_MOST] = history_most(l, kept);
}

static void write_slot(const abut_lammps *rank, abut_index row, abut_index atom, int slot)
{
    const interaction_table *t = &rank->simulation->now->tables[ABUT_SPHERE_WALL];
    const abut_columns *c = &t->contact;
    int *keys = keys_of(rank, atom, slot);
    double *states = states_of(rank, atom, slot);
    keys[KEY_MESH] = (int)c->mesh[row];
    keys[KEY_FACET] = (int)c->facet[row];
    keys[KEY_FEATURE] = (int)c->feature[row] << 2 | c->type[row];
    for (int axis = 0; axis < 3; axis++) {
        keys[KEY_IMAGE + axis] = c->image ? (int)c->image[3 * row + axis] : 0;
    }
    write_kept(t, row, states);
    write_vector(states, STATE_POINT, c->point, row);
    write_vector(states, STATE_NORMAL, c->normal, row);
    states[STATE_OVERLAP] = c->overlap[row];
    states[STATE_TILT] = c->tilt[row];
}

/* Checks that all contacts fit into slots before any is written: a failed call changes none. */
static abut_status check_room(const abut_lammps *rank, abut_error *error)
{
    const interaction_table *t = &rank->simulation->now->tables[ABUT_SPHERE_WALL];
    abut_index end;
    for (abut_index row = 0; row < t->count; row = end) {
        end = table_sphere_end(t, row);
        if (end - row > rank->input.slots) {
            const abut_index atom = lammps_atom(rank, t->contact.sphere[row]);
            return report_atom(rank, ABUT_TOO_FEW_SLOTS, atom, end - row, error);
        }
    }
    return ABUT_OK;
}

/* Writes the rows first ... end - 1 of one sphere. */
static void write_rows(const abut_lammps *rank, abut_index first, abut_index end)
{
    const abut_index place = rank->simulation->now->tables[ABUT_SPHERE_WALL].contact.sphere[first];
    const abut_index atom = lammps_atom(rank, place);
    for (abut_index row = first; row < end; row++) {
        write_slot(rank, row, atom, (int)(row - first));
    }
    rank->atoms.counts[atom] = (int)(end - first) + COUNT_LIMIT * rank->input.slots;
}

/* Clears the contacts of atoms that have left the group. If an atom returns, its contacts are
 * new. */
static void forget_leavers(const abut_lammps *rank)
{
    for (abut_index atom = 0; rank->has_members && atom < rank->atoms.count; atom++) {
        if (!lammps_is_member(rank, atom)) {
            rank->atoms.counts[atom] = 0;
        }
    }
}

abut_status lammps_write_slots(abut_lammps *rank, abut_error *error)
{
    const interaction_table *t = &rank->simulation->now->tables[ABUT_SPHERE_WALL];
    const abut_status status = check_room(rank, error);
    abut_index end;
    if (!status) {
        forget_leavers(rank);
    }
    for (abut_index k = 0; !status && k < rank->holder_count; k++) {
        rank->atoms.counts[lammps_atom(rank, rank->holders[k])] = 0;
    }
    for (abut_index row = 0; !status && row < t->count; row = end) {
        end = table_sphere_end(t, row);
        write_rows(rank, row, end);
    }
    return status;
}
