#include "shape.h"

#include "../base/memory.h"

void abut_shape_free(abut_shape *shape)
{
    if (shape) {
        memory_free(shape->memory);
        memory_free(shape);
    }
}

abut_shape_view abut_shape_inspect(const abut_shape *shape)
{
    return shape->view;
}
