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

PyObject *core_write_contacts(const abut_contacts *contacts, const abut_query *query,
                              const core_making *making)
{
    const column_counts counts =
        column_contact_counts(abut_contacts_count(contacts), abut_contacts_node_count(contacts),
                              query, making->mesh_count);
    abut_columns columns = {0};
    PyObject *dict = column_dict(column_table_of(ABUT_CONTACT_TABLE), making->names, &counts,
                                 making->pool, &columns);
    if (dict) {
        Py_BEGIN_ALLOW_THREADS
        abut_contacts_write(contacts, &columns);
        Py_END_ALLOW_THREADS
    }
    return dict;
}
