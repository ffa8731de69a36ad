#include "columns.h"

/* How long a column is: an entry for each contact, or node, or one more than contacts, or spheres.
 */
enum { PER_CONTACT, PER_NODE, CONTACT_OFFSETS, SPHERE_OFFSETS };

/* Whether there is a column: it is left out where all its entries would be the same. */
enum { ALWAYS, IF_MESHES, IF_SHARING, IF_PERIODIC };

static const struct column COLUMNS[] = {
    {"sphere", offsetof(abut_columns, sphere), ARRAY_INDEX, 0, PER_CONTACT, ALWAYS, 0, 0},
    {"mesh", offsetof(abut_columns, mesh), ARRAY_INDEX, 0, PER_CONTACT, IF_MESHES, 1, 0},
    {"facet", offsetof(abut_columns, facet), ARRAY_INDEX, 0, PER_CONTACT, ALWAYS, 0, 0},
    {"type", offsetof(abut_columns, type), ARRAY_BYTE, 0, PER_CONTACT, ALWAYS, 0, 0},
    {"feature", offsetof(abut_columns, feature), ARRAY_INDEX, 0, PER_CONTACT, ALWAYS, 0, 0},
    {"point", offsetof(abut_columns, point), ARRAY_DOUBLE, 3, PER_CONTACT, ALWAYS, 0, 0},
    {"normal", offsetof(abut_columns, normal), ARRAY_DOUBLE, 3, PER_CONTACT, ALWAYS, 0, 0},
    {"overlap", offsetof(abut_columns, overlap), ARRAY_DOUBLE, 0, PER_CONTACT, ALWAYS, 0, 0},
    {"share", offsetof(abut_columns, share), ARRAY_DOUBLE, 0, PER_CONTACT, IF_SHARING, 0, 0},
    {"_tilt", offsetof(abut_columns, tilt), ARRAY_DOUBLE, 0, PER_CONTACT, ALWAYS, 0, 0},
    {"image", offsetof(abut_columns, image), ARRAY_INDEX, 3, PER_CONTACT, IF_PERIODIC, 1, 0},
    {"offsets", offsetof(abut_columns, offsets), ARRAY_INDEX, 0, SPHERE_OFFSETS, ALWAYS, 0, 1},
    {"node", offsetof(abut_columns, node), ARRAY_INDEX, 0, PER_NODE, ALWAYS, 0, 0},
    {"weight", offsetof(abut_columns, weight), ARRAY_DOUBLE, 0, PER_NODE, ALWAYS, 0, 0},
    {"node_offsets", offsetof(abut_columns, node_offsets), ARRAY_INDEX, 0, CONTACT_OFFSETS, ALWAYS,
     0, 1},
};

static const column_table TABLE = {COLUMNS, sizeof COLUMNS / sizeof COLUMNS[0]};

PyObject *core_contact_names(void)
{
    return column_names(TABLE);
}

static column_counts count_columns(abut_index rows, abut_index nodes, const abut_query *query,
                                   abut_index mesh_count)
{
    return (column_counts){
        .lengths = {[PER_CONTACT] = rows,
                    [PER_NODE] = nodes,
                    [CONTACT_OFFSETS] = rows + 1,
                    [SPHERE_OFFSETS] = query->sphere_count + 1},
        .presences = {[ALWAYS] = 1,
                      [IF_MESHES] = mesh_count > 1,
                      [IF_SHARING] = query->resolution == ABUT_SHARING,
                      [IF_PERIODIC] = core_is_periodic(query->period, 3)},
    };
}

PyObject *core_new_contacts(const core_making *making, abut_index rows, abut_index nodes,
                            const abut_query *query, abut_columns *columns)
{
    const column_counts counts = count_columns(rows, nodes, query, making->mesh_count);
    return column_dict(TABLE, making->names, &counts, making->pool, columns);
}

int core_read_contacts(PyObject *dict, const abut_step *step, abut_columns *columns)
{
    const column_counts counts = {
        .lengths = {[PER_CONTACT] = step->contact_count,
                    [PER_NODE] = step->node_count,
                    [CONTACT_OFFSETS] = step->contact_count + 1,
                    [SPHERE_OFFSETS] = step->sphere_count + 1},
        .presences = {[ALWAYS] = 1, [IF_MESHES] = 1, [IF_SHARING] = 1, [IF_PERIODIC] = 1},
    };
    return column_read(TABLE, &counts, dict, columns);
}

int core_make_room(const core_making *making, abut_index rows, abut_index nodes,
                   const abut_query *query, core_room *room)
{
    room->dict = core_new_contacts(making, rows, nodes, query, &room->room.columns);
    if (!room->dict && PyErr_ExceptionMatches(PyExc_MemoryError)) {
        PyErr_Clear(); /* the result may need less */
        return 0;
    }
    room->room.rows = rows;
    room->room.nodes = nodes;
    return room->dict ? 0 : -1;
}

/* Rows that are not worth giving back. */
enum { SPARE_ROWS = 1024 };

/* Whether the room is large enough, and not so large that the rest of it should be given back. */
static int fits_room(abut_index rows, abut_index nodes, const abut_room *room)
{
    return rows <= room->rows && nodes <= room->nodes &&
           room->rows - rows <= room->rows / 4 + SPARE_ROWS;
}

static void write_columns(const abut_contacts *contacts, const abut_columns *columns)
{
    Py_BEGIN_ALLOW_THREADS
    abut_contacts_write(contacts, columns);
    Py_END_ALLOW_THREADS
}

PyObject *core_write_contacts(const abut_contacts *contacts, const abut_query *query,
                              const core_making *making, core_room *room)
{
    const abut_index rows = abut_contacts_count(contacts),
                     nodes = abut_contacts_node_count(contacts);
    PyObject *dict = room->dict;
    if (dict && fits_room(rows, nodes, &room->room)) {
        const column_counts counts = count_columns(rows, nodes, query, making->mesh_count);
        room->dict = NULL;
        if (column_resize(TABLE, making->names, &counts, dict)) {
            Py_CLEAR(dict);
        }
        return dict;
    }
    abut_columns columns = {0};
    dict = core_new_contacts(making, rows, nodes, query, &columns);
    if (dict) {
        write_columns(contacts, &columns);
    }
    Py_CLEAR(room->dict);
    return dict;
}
