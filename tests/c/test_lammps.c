/* Walls under LAMMPS: forces do not depend on the place of an atom's data or on its rank, and
 * failures change nothing. These tests imitate LAMMPS: its order within a step, and its arrays on
 * two ranks. */
#include "base/memory.h"
#include "lammps/rank.h"

#include "check.h"
#include "random.h"
#include "triangle_mesh.h"

#include <stdlib.h>
#include <string.h>

enum { ATOMS = 60, SLOTS = 6, STEPS = 400, GROUP = 2 };

static const double step = 1e-3, gravity = -9.81, radius = 0.06, mass = 0.9;

/* The atoms of a rank, as LAMMPS keeps them. */
typedef struct rank {
    int count;
    double x[ATOMS][3], v[ATOMS][3], omega[ATOMS][3], torque[ATOMS][3], f[ATOMS][3];
    double radii[ATOMS], masses[ATOMS];
    int masks[ATOMS];
    int64_t ids[ATOMS];
    int counts[ATOMS], keys[ATOMS][ABUT_LAMMPS_KEYS];
    int more_keys[ATOMS][(SLOTS - 1) * ABUT_LAMMPS_KEYS];
    double states[ATOMS][ABUT_LAMMPS_STATES];
    double more_states[ATOMS][(SLOTS - 1) * ABUT_LAMMPS_STATES];

    double *rows[5][ATOMS], *state_rows[2][ATOMS];
    int *key_rows[2][ATOMS];
    double dt, time, low[3], high[3];
    int64_t time_step;
    int periodicity[3], tilt;
    int64_t number; /* number of the last step */
    int timeouts;
    double vector[3 * 7]; /* the vector of the fix */
    const char *lacks;    /* name of a missing array */
    abut_lammps *walls;
} rank;

/* ---- what LAMMPS' library does ---- */

static bool is_lacked(const rank *r, const char *name)
{
    return r->lacks && strcmp(name, r->lacks) == 0;
}

static void *extract_atom(void *lammps, const char *name)
{
    rank *r = lammps;
    const struct {
        const char *name;
        void *array;
    } all[] = {{"v", r->rows[1]},
               {"omega", r->rows[2]},
               {"torque", r->rows[3]},
               {"radius", r->radii},
               {"rmass", r->masses},
               {"mask", r->masks},
               {"i_w_count", r->counts},
               {"i2_w_keys", r->key_rows[0]},
               {"d2_w_states", r->state_rows[0]},
               {"i2_w_more_keys", r->key_rows[1]},
               {"d2_w_more_states", r->state_rows[1]}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        if (strcmp(name, all[k].name) == 0 && !is_lacked(r, name)) {
            return all[k].array;
        }
    }
    return NULL;
}

static void *extract_global(void *lammps, const char *name)
{
    rank *r = lammps;
    const struct {
        const char *name;
        void *data;
    } all[] = {{"dt", &r->dt},          {"atime", &r->time},      {"atimestep", &r->time_step},
               {"boxlo", &r->low},      {"boxhi", &r->high},      {"periodicity", &r->periodicity},
               {"triclinic", &r->tilt}, {"ntimestep", &r->number}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        if (strcmp(name, all[k].name) == 0 && !is_lacked(r, name)) {
            return all[k].data;
        }
    }
    return NULL;
}

static void force_timeout(void *lammps)
{
    ((rank *)lammps)->timeouts++;
}

static void set_vector(void *lammps, const char *fix, int number, double value)
{
    CHECK(strcmp(fix, "w") == 0);
    CHECK(number >= 1 && number <= 3 * 7);
    ((rank *)lammps)->vector[number - 1] = value;
}

/* ---- scenes ---- */

/* A box that is open at the top, with a rotating floor. */
typedef struct scene {
    abut_mesh *meshes[2];
    abut_motion motion;
    abut_wall walls[3];
    abut_law laws[4];
    abut_lammps_input input;
} scene;

static abut_mesh *build_quads(int count, const double corners[][12])
{
    double triangles[10][9];
    for (int k = 0; k < count; k++) {
        memcpy(triangles[2 * k], corners[k], 9 * sizeof(double));
        memcpy(triangles[2 * k + 1], corners[k], 3 * sizeof(double));
        memcpy(triangles[2 * k + 1] + 3, corners[k] + 6, 6 * sizeof(double));
    }
    return build_triangles(2 * count, triangles[0]);
}

static const double sides[4][12] = {{0, 0, 0, 0, 1, 0, 0, 1, 2, 0, 0, 2},
                                    {1, 0, 0, 1, 0, 2, 1, 1, 2, 1, 1, 0},
                                    {0, 0, 0, 0, 0, 2, 1, 0, 2, 1, 0, 0},
                                    {0, 1, 0, 1, 1, 0, 1, 1, 2, 0, 1, 2}};
static const abut_index order[3] = {1, 0, 2}; /* the plate was given first */
static const double plate[1][12] = {{-1, -1, 0, 2, -1, 0, 2, 2, 0, -1, 2, 0}};

static void make_scene(scene *s, abut_rolling rolling)
{
    *s = (scene){.meshes = {build_quads(4, sides), build_quads(1, plate)}};
    s->motion = (abut_motion){
        .kind = ABUT_ROTATING, .vector = {0, 0, 1}, .origin = {0.5, 0.5, 0}, .rate = 2.0};
    for (int k = 0; k < 3; k++) {
        s->walls[k] = (abut_wall){.material = 1};
        for (int axis = 0; axis < 4; axis++) {
            s->walls[k].pose[5 * axis] = 1.0;
        }
    }
    s->walls[1].motions = &s->motion, s->walls[1].motion_count = 1;
    s->laws[1] = s->laws[2] = (abut_law){.kind = ABUT_HERTZ,
                                         .stiffness = 1e5,
                                         .shear = 3e4,
                                         .friction = 0.4,
                                         .restitution = 0.6,
                                         .rolling = rolling,
                                         .rolling_friction = 0.05,
                                         .rolling_damping = 0.2};
    s->input = (abut_lammps_input){.extract_atom = extract_atom,
                                   .extract_global = extract_global,
                                   .force_timeout = force_timeout,
                                   .set_vector = set_vector,
                                   .name = "w",
                                   .slots = SLOTS,
                                   .group_bit = GROUP,
                                   .id_bytes = 8,
                                   .meshes = (const abut_mesh *const *)s->meshes,
                                   .mesh_count = 2,
                                   .walls = s->walls,
                                   .wall_count = 2,
                                   .order = order,
                                   .laws = s->laws,
                                   .material_count = 2};
}

static void free_scene(scene *s)
{
    abut_mesh_free(s->meshes[0]);
    abut_mesh_free(s->meshes[1]);
}

static void begin_rank(rank *r, const scene *s)
{
    *r = (rank){.dt = step, .low = {-9, -9, -9}, .high = {9, 9, 9}};
    for (int k = 0; k < ATOMS; k++) {
        r->rows[0][k] = r->x[k], r->rows[1][k] = r->v[k], r->rows[2][k] = r->omega[k];
        r->rows[3][k] = r->torque[k], r->rows[4][k] = r->f[k];
        r->key_rows[0][k] = r->keys[k], r->state_rows[0][k] = r->states[k];
        r->key_rows[1][k] = r->more_keys[k], r->state_rows[1][k] = r->more_states[k];
    }
    abut_lammps_input input = s->input;
    input.lammps = r;
    CHECK_INT(abut_lammps_build(&input, &r->walls, NULL), ABUT_OK);
}

/* Adds a moving atom at a random place in the box. */
static void add_atom(rank *r)
{
    const int k = r->count++;
    for (int axis = 0; axis < 3; axis++) {
        r->x[k][axis] = draw_between(0.1, 0.9);
        r->v[k][axis] = draw_between(-1.0, 1.0);
        r->omega[k][axis] = draw_between(-5.0, 5.0);
    }
    r->radii[k] = radius, r->masses[k] = mass;
    r->masks[k] = 1 | GROUP;
    r->ids[k] = k + 1;
}

static void fill_rank(rank *r, const scene *s)
{
    state = 12;
    begin_rank(r, s);
    for (int k = 0; k < ATOMS; k++) {
        add_atom(r);
    }
}

/* ---- a step in LAMMPS' order: half a kick, a drift, forces, half a kick ---- */

static void kick(rank *r)
{
    for (int k = 0; k < r->count; k++) {
        const double inertia = 0.4 * mass * radius * radius;
        for (int axis = 0; axis < 3; axis++) {
            const double pull = r->f[k][axis] / mass + (axis == 2 ? gravity : 0.0);
            r->v[k][axis] += 0.5 * step * pull;
            r->omega[k][axis] += 0.5 * step * r->torque[k][axis] / inertia;
        }
    }
}

static void act(rank *r, int64_t number)
{
    memset(r->torque, 0, sizeof r->torque);
    r->number = number;
    abut_lammps_callback(r->walls, number, r->count, r->ids, r->rows[0], r->rows[4]);
}

static void begin_step(rank *r)
{
    kick(r);
    for (int k = 0; k < r->count; k++) {
        for (int axis = 0; axis < 3; axis++) {
            r->x[k][axis] += step * r->v[k][axis];
        }
    }
}

static void run(rank *r, int64_t first, int64_t end)
{
    act(r, first);
    for (int64_t number = first + 1; number <= end; number++) {
        begin_step(r);
        act(r, number);
        kick(r);
    }
}

/* ---- two ranks ---- */

/* Moves an atom with all its data to the end of the other rank; the last atom of its old rank takes
 * its place. */
static void move_atom(rank *from, int k, rank *to)
{
#define MOVE(column)                                                                               \
    memcpy(&to->column[to->count], &from->column[k], sizeof to->column[0]);                        \
    memcpy(&from->column[k], &from->column[from->count - 1], sizeof to->column[0])
    MOVE(x);
    MOVE(v);
    MOVE(omega);
    MOVE(f);
    MOVE(torque);
    MOVE(radii);
    MOVE(masses);
    MOVE(masks);
    MOVE(ids);
    MOVE(counts);
    MOVE(keys);
    MOVE(states);
    MOVE(more_keys);
    MOVE(more_states);
#undef MOVE
    from->count--, to->count++;
}

/* Moves atoms beyond a border to the second rank; the border moves, as in LAMMPS' balancing. */
static int exchange(rank ranks[2], int64_t number)
{
    const double border = 0.5 + 0.3 * sin(0.1 * (double)number);
    int moves = 0;
    for (int from = 0; from < 2; from++) {
        for (int k = ranks[from].count - 1; k >= 0; k--) {
            if ((ranks[from].x[k][0] > border) != (from == 1)) {
                move_atom(&ranks[from], k, &ranks[1 - from]);
                moves++;
            }
        }
    }
    return moves;
}

static int run_ranks(rank ranks[2], int64_t end)
{
    int moves = exchange(ranks, 0);
    for (int64_t number = 0; number <= end; number++) {
        for (int k = 0; k < 2 && number > 0; k++) {
            begin_step(&ranks[k]);
        }
        moves += number % 5 == 0 ? exchange(ranks, number) : 0;
        for (int k = 0; k < 2; k++) {
            act(&ranks[k], number);
        }
        for (int k = 0; k < 2 && number > 0; k++) {
            kick(&ranks[k]);
        }
    }
    return moves;
}

/* Returns how many atoms of a rank are to the bit where they are in `all`, a run on one rank. */
static int count_same(const rank *r, const rank *all)
{
    int same = 0;
    for (int k = 0; k < r->count; k++) {
        const int other = (int)r->ids[k] - 1;
        same += memcmp(r->x[k], all->x[other], sizeof r->x[k]) == 0 &&
                memcmp(r->v[k], all->v[other], sizeof r->v[k]) == 0 &&
                memcmp(r->omega[k], all->omega[other], sizeof r->omega[k]) == 0 &&
                memcmp(r->f[k], all->f[other], sizeof r->f[k]) == 0;
    }
    return same;
}

static void check_ranks(abut_rolling rolling, bool loses_slots)
{
    static scene s;
    static rank alone, ranks[2];
    make_scene(&s, rolling);
    fill_rank(&alone, &s);
    fill_rank(&ranks[0], &s);
    begin_rank(&ranks[1], &s);
    run(&alone, 0, STEPS);
    CHECK(run_ranks(ranks, loses_slots ? STEPS / 2 : STEPS) > ATOMS);
    if (loses_slots) { /* their contacts lose their history, too */
        memset(ranks[0].counts, 0, sizeof ranks[0].counts);
        memset(ranks[1].counts, 0, sizeof ranks[1].counts);
        run(&ranks[0], STEPS / 2, STEPS);
        run(&ranks[1], STEPS / 2, STEPS);
    }
    const int same = count_same(&ranks[0], &alone) + count_same(&ranks[1], &alone);
    CHECK(loses_slots ? same < ATOMS : same == ATOMS);
    CHECK(ranks[0].count > 0 && ranks[1].count > 0);
    for (int k = 0; k < 2; k++) {
        abut_lammps_free(ranks[k].walls);
    }
    abut_lammps_free(alone.walls);
    free_scene(&s);
}

/* ---- the data of a rank ---- */

/* Places atom k at rest on the floor, in the corner of two sides. */
static void put_into_corner(rank *r, int k)
{
    for (int axis = 0; axis < 3; axis++) {
        r->x[k][axis] = 0.99 * radius;
        r->v[k][axis] = r->omega[k][axis] = 0.0;
    }
}

/* A sphere that leaves the group loses its springs. */
static void check_leaver(void)
{
    static scene s;
    static rank r;
    make_scene(&s, ABUT_NO_ROLLING);
    fill_rank(&r, &s);
    put_into_corner(&r, 4);
    act(&r, 0);
    act(&r, 1);
    CHECK(r.counts[4] > 0);
    r.masks[4] = 1;
    act(&r, 2);
    CHECK_INT(r.counts[4], 0);
    abut_index ids[ATOMS];
    CHECK_INT(abut_lammps_sphere_count(r.walls), ATOMS - 1);
    abut_lammps_read_ids(r.walls, ids);
    CHECK_INT(ids[3], r.ids[3]);
    CHECK_INT(ids[4], r.ids[5]);
    r.ids[0] = 2, r.ids[1] = 1; /* LAMMPS has sorted them */
    act(&r, 3);
    abut_lammps_read_ids(r.walls, ids);
    CHECK(ids[0] == 2 && ids[1] == 1);
    abut_lammps_free(r.walls);
    free_scene(&s);
}

static void check_error(rank *r, abut_status status, abut_index index)
{
    const int timeouts = r->timeouts;
    memset(r->f, 1, sizeof r->f);
    act(r, r->number + 1);
    CHECK_INT(r->timeouts, timeouts + 1);
    for (int k = 0; k < r->count; k++) {
        CHECK(r->f[k][0] == 0.0 && r->f[k][1] == 0.0 && r->f[k][2] == 0.0);
    }
    act(r, r->number + 1); /* the error has not been taken yet */
    CHECK_INT(r->timeouts, timeouts + 2);
    const abut_error error = abut_lammps_take_error(r->walls);
    CHECK_INT(error.status, status);
    CHECK_INT(error.index, index);
    CHECK_INT(abut_lammps_take_error(r->walls).status, ABUT_OK);
}

/* Adds the values of a second, equal rank, or fails. */
static int add_twice(void *data, double *values, abut_index count)
{
    CHECK_INT(count, 2 * 7);
    for (abut_index k = 0; k < count; k++) {
        values[k] *= 2.0;
    }
    return *(int *)data;
}

/* If sums over ranks fail, all wall forces are zero. */
static void check_sums(void)
{
    static scene s;
    static rank one, two;
    int is_failing = 0;
    make_scene(&s, ABUT_NO_ROLLING);
    fill_rank(&one, &s);
    s.input.add_up = add_twice, s.input.data = &is_failing;
    fill_rank(&two, &s);
    run(&one, 0, 200);
    run(&two, 0, 200);
    CHECK(one.vector[2] < 0.0);
    for (int k = 0; k < 2 * 7; k++) {
        CHECK(two.vector[k] == 2.0 * one.vector[k]);
    }
    const abut_wall_load *loads = abut_lammps_loads(two.walls);
    CHECK_INT(memcmp(loads, two.vector, 2 * sizeof *loads), 0);
    is_failing = 1;
    check_error(&two, ABUT_INTERRUPTED, 0);
    abut_lammps_free(one.walls);
    abut_lammps_free(two.walls);
    free_scene(&s);
}

/* ---- errors ---- */

static void check_bad_slots(rank *r)
{
    act(r, 100);
    act(r, 101); /* not as a setup */
    CHECK_INT(r->counts[4], 3 + 65536 * SLOTS);
    r->counts[4] = 3 + 65536 * (SLOTS + 1);
    check_error(r, ABUT_OTHER_SLOTS, 5);
    r->counts[4] = SLOTS + 1 + 65536 * SLOTS;
    check_error(r, ABUT_BAD_SLOT, 5);
    r->counts[4] = 3 + 65536 * SLOTS;
    const int bad[][2] = {{0, 2}, {0, -1}, {1, 8}, {1, -1}, {2, 3}, {2, 4 * 3}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        int *key = &r->keys[4][bad[k][0]];
        const int was = *key;
        *key = bad[k][1];
        check_error(r, ABUT_BAD_SLOT, 5);
        *key = was;
    }
    act(r, r->number + 1);
    CHECK_INT(abut_lammps_take_error(r->walls).status, ABUT_OK);
}

/* Each array of LAMMPS is missing once. */
static void check_data(rank *r)
{
    static const char *const all[] = {
        "v",         "omega",     "torque",      "radius",         "rmass",           "mask",
        "i_w_count", "i2_w_keys", "d2_w_states", "i2_w_more_keys", "d2_w_more_states"};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        r->lacks = all[k];
        check_error(r, ABUT_ATOM_DATA, 0);
    }
    r->lacks = NULL;
    act(r, r->number + 1);
    CHECK_INT(abut_lammps_take_error(r->walls).status, ABUT_OK);
}

static void check_bad_build(const scene *s, const rank *r)
{
    abut_lammps *walls = NULL;
    abut_error error;
    CHECK_INT(abut_lammps_build(&s->input, &walls, &error), ABUT_ATOM_DATA);
    CHECK(!walls && error.status == ABUT_ATOM_DATA);
    CHECK(s->input.lammps == r);
}

/* The global data at the start; names get letters in front and behind. */
static void check_globals_and_names(void)
{
    static const char *const all[] = {"dt",    "atime", "atimestep",   "ntimestep",
                                      "boxlo", "boxhi", "periodicity", "triclinic"};
    static scene s;
    static rank r;
    char name[300];
    make_scene(&s, ABUT_NO_ROLLING);
    s.input.lammps = &r;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        r.lacks = all[k];
        check_bad_build(&s, &r);
    }
    r.lacks = NULL, s.input.name = name;
    for (int length = 0; length < 299; length++) { /* too long for one of them, and then for all */
        const bool is_short = length > 0 && length + 15 < LAMMPS_NAME_SIZE;
        memset(name, 'w', sizeof name), name[length] = 0;
        if (!is_short) {
            check_bad_build(&s, &r);
        }
    }
    free_scene(&s);
}

/* A half space, with one facet and no features, in a single slot together with meshes. */
static void check_slot_of_half_space(void)
{
    static scene s;
    static rank r;
    make_scene(&s, ABUT_NO_ROLLING);
    s.walls[2].point[2] = 0.5, s.walls[2].normal[2] = 1.0;
    s.input.wall_count = 3, s.input.slots = 1;
    begin_rank(&r, &s);
    add_atom(&r);
    const double above[3] = {0.5, 0.5, 0.5 + 0.99 * radius};
    memcpy(r.x[0], above, sizeof above);
    act(&r, 100);
    act(&r, 101); /* not as a setup */
    CHECK(r.f[0][2] > 0.0);
    const int count = r.counts[0];
    r.counts[0] = 1 + 65536 * 2;
    check_error(&r, ABUT_OTHER_SLOTS, 1);
    r.counts[0] = count;
    for (int k = 1; k < 3; k++) {
        r.keys[0][k] = 4;
        check_error(&r, ABUT_BAD_SLOT, 1);
        r.keys[0][k] = 0;
    }
    act(&r, r.number + 1);
    CHECK(r.f[0][2] > 0.0);
    abut_lammps_free(r.walls);
    free_scene(&s);
}

static void check_errors(void)
{
    static scene s;
    static rank r;
    make_scene(&s, ABUT_NO_ROLLING);
    fill_rank(&r, &s);
    put_into_corner(&r, 4);
    check_bad_slots(&r);
    r.x[7][1] = NAN;
    check_error(&r, ABUT_ATOM_POSITION, 8);
    r.x[7][1] = 0.5, r.radii[9] = 0.0;
    check_error(&r, ABUT_ATOM_RADIUS, 10);
    r.radii[9] = radius, r.masses[4] = 0.0;
    check_error(&r, ABUT_ATOM_MASS, 5);
    r.masses[4] = mass, r.v[4][0] = NAN;
    check_error(&r, ABUT_ATOM_FORCE, 5);
    r.v[4][0] = 0.0, r.masses[4] = 2.0 * ABUT_COORDINATE_LIMIT;
    check_error(&r, ABUT_ATOM_MASS, 5);
    r.masses[4] = mass, r.tilt = 1;
    check_error(&r, ABUT_BOX_TILTED, 0);
    r.tilt = 0;
    check_data(&r);
    abut_lammps_free(r.walls);
    s.input.slots = 2, s.input.lammps = &r; /* fewer slots than contacts */
    memset(r.counts, 0, sizeof r.counts);
    CHECK_INT(abut_lammps_build(&s.input, &r.walls, NULL), ABUT_OK);
    act(&r, 100);
    check_error(&r, ABUT_TOO_FEW_SLOTS, 5);
    CHECK_INT(r.counts[4], 0);
    abut_lammps_free(r.walls);
    free_scene(&s);
}

/* ---- memory ---- */

/* A call that fails for lack of memory changes nothing and can be repeated; `is_first` selects the
 * first or the second call. */
static void check_failures(bool is_first)
{
    static scene s;
    static rank r;
    make_scene(&s, ABUT_ROLLING_C);
    fill_rank(&r, &s);
    put_into_corner(&r, 4);
    r.masks[7] = 1; /* some are members of the group, which are listed */
    if (!is_first) {
        act(&r, 0);
    }
    int failed = 0;
    for (long call = 1;; call++) {
        memory_fail_at(call);
        act(&r, call);
        const int has_failed = memory_has_failed();
        memory_fail_at(0);
        const abut_status status = abut_lammps_take_error(r.walls).status;
        CHECK_INT(status, has_failed ? ABUT_NO_MEMORY : ABUT_OK);
        if (!has_failed) {
            break;
        }
        failed++;
        abut_lammps_free(r.walls); /* the next one has all to build */
        s.input.lammps = &r;
        CHECK_INT(abut_lammps_build(&s.input, &r.walls, NULL), ABUT_OK);
        if (!is_first) {
            act(&r, 0);
        }
        r.x[0][2] += 3.0 * (call % 2 ? 1.0 : -1.0); /* and other facets are near */
    }
    CHECK(failed > 5);
    abut_lammps_free(r.walls);
    free_scene(&s);
}

static void check_build_failures(void)
{
    static scene s;
    static rank r;
    make_scene(&s, ABUT_NO_ROLLING);
    begin_rank(&r, &s);
    abut_lammps_free(r.walls);
    s.input.lammps = &r;
    const long live = memory_live_count();
    for (long call = 1;; call++) {
        memory_fail_at(call);
        const abut_status status = abut_lammps_build(&s.input, &r.walls, NULL);
        const int has_failed = memory_has_failed();
        memory_fail_at(0);
        CHECK_INT(status, has_failed ? ABUT_NO_MEMORY : ABUT_OK);
        CHECK(has_failed == !r.walls);
        if (!has_failed) {
            break;
        }
        CHECK_INT(memory_live_count(), live);
    }
    abut_lammps_free(r.walls);
    CHECK_INT(memory_live_count(), live);
    abut_lammps_free(NULL);
    free_scene(&s);
}

void test_lammps(void)
{
    const long live = memory_live_count();
    const abut_rolling rollings[] = {ABUT_NO_ROLLING, ABUT_ROLLING_A, ABUT_ROLLING_C};
    for (int k = 0; k < 3; k++) {
        check_ranks(rollings[k], false);
    }
    check_ranks(ABUT_NO_ROLLING, true);
    check_leaver();
    check_sums();
    check_errors();
    check_slot_of_half_space();
    check_globals_and_names();
    check_failures(true);
    check_failures(false);
    check_build_failures();
    CHECK_INT(memory_live_count(), live);
}
