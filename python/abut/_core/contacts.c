#include "columns.h"

column_counts column_contact_counts(abut_index rows, abut_index nodes, const abut_query *query,
                                    abut_index mesh_count)
{
    return (column_counts){
        .lengths = {[ABUT_COLUMN_ROWS] = rows,
                    [ABUT_COLUMN_ENTRIES] = nodes,
                    [ABUT_COLUMN_ENTRY_OFFSETS] = rows + 1,
                    [ABUT_COLUMN_OFFSETS] = query->sphere_count + 1},
        .presences = {[ABUT_COLUMN_ALWAYS] = 1,
                      [ABUT_COLUMN_WITH_MESHES] = mesh_count > 1,
                      [ABUT_COLUMN_WITH_SHARING] = query->resolution == ABUT_SHARING,
                      [ABUT_COLUMN_WITH_PERIOD] = core_is_periodic(query->period, 3)},
    };
}

/* Makes columns for this number of contacts and nodes; NULL with an error set. */
static PyObject *new_contacts(const core_making *making, abut_index rows, abut_index nodes,
                              const abut_query *query, abut_columns *columns)
{
    const column_counts counts = column_contact_counts(rows, nodes, query, making->mesh_count);
    return column_dict(column_table_of(ABUT_CONTACT_TABLE), making->names, &counts, making->pool,
                       columns);
}

int core_make_room(const core_making *making, abut_index rows, abut_index nodes,
                   const abut_query *query, core_room *room)
{
    room->dict = new_contacts(making, rows, nodes, query, &room->room.columns);
    if (!room->dict && PyErr_ExceptionMatches(PyExc_MemoryError)) {
        PyErr_Clear(); /* go on without memory in advance, because the result may need less */
        return 0;
    }
    room->room.rows = rows;
    room->room.nodes = nodes;
    return room->dict ? 0 : -1;
}

/* Unused memory of fewer rows than this is not returned to the pool. */
enum { SPARE_ROWS = 1024 };

/* Whether the allocated memory is large enough, but not so large that a part should be returned. */
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
        const column_counts counts = column_contact_counts(rows, nodes, query, making->mesh_count);
        room->dict = NULL;
        if (column_resize(column_table_of(ABUT_CONTACT_TABLE), making->names, &counts, dict)) {
            Py_CLEAR(dict);
        }
        return dict;
    }
    abut_columns columns = {0};
    dict = new_contacts(making, rows, nodes, query, &columns);
    if (dict) {
        write_columns(contacts, &columns);
    }
    Py_CLEAR(room->dict);
    return dict;
}
