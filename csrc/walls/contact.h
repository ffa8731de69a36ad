/* A contact of a sphere: what its columns are computed from when it is written. */
#ifndef WALLS_CONTACT_H
#define WALLS_CONTACT_H

#include <stddef.h>
#include <stdint.h>

#include "../base/vec3.h"

/* Eight numbers, a cache line where it begins one: vector code reads it as doubles. */
typedef struct contact {
    vec3 offset; /* along the world's axes */
    double distance;
    double overlap;
    double normal_noise;
    int32_t triangle;   /* number in its mesh */
    int32_t mesh_image; /* the mesh's number; beyond: mesh_count + number in the chunk's images */
    int32_t node_count;
    uint16_t sphere; /* number in the chunk */
    uint8_t type, local;
} contact;

/* Where vector code finds what. */
enum { CONTACT_OFFSET, CONTACT_DISTANCE = 3, CONTACT_OVERLAP, CONTACT_NOISE, CONTACT_DOUBLES = 8 };
_Static_assert(sizeof(contact) == CONTACT_DOUBLES * sizeof(double), "a record is 8 doubles");
_Static_assert(offsetof(contact, distance) == CONTACT_DISTANCE * sizeof(double),
               "as its name says");
_Static_assert(offsetof(contact, overlap) == CONTACT_OVERLAP * sizeof(double), "as its name says");
_Static_assert(offsetof(contact, normal_noise) == CONTACT_NOISE * sizeof(double),
               "as its name says");

#endif
