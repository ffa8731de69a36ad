/* Bonds, breakages and rests as columns of callers, by the lists in abut.h. Who adds a column to
 * one of these tells in bond_columns.c where it is stored, and which numbers it may hold. */
#ifndef DEM_BOND_COLUMNS_H
#define DEM_BOND_COLUMNS_H

#include "bonds.h"

/* Numbers of columns: BOND_young and so on. */
#define BOND_NUMBER(name, type, width, per, when, flags, unit, meaning) BOND_##name,
#define BREAKAGE_NUMBER(name, type, width, per, when, flags, unit, meaning) BREAKAGE_##name,
#define REST_NUMBER(name, type, width, per, when, flags, unit, meaning) REST_##name,
enum { ABUT_BOND_COLUMNS(BOND_NUMBER) BOND_NUMBERS };
enum { ABUT_BREAKAGE_COLUMNS(BREAKAGE_NUMBER) BREAKAGE_NUMBERS };
enum { ABUT_REST_COLUMNS(REST_NUMBER) REST_NUMBERS };

/* Write what is stored to row k of a caller's columns, which are those of this table; columns that
 * are NULL are left out. stored: a made_bond, a bond_breakage or a bond_rest. */
void bond_columns_read(abut_table table, const void *columns, abut_index k, const void *stored);

/* Store row k of a caller's columns. ABUT_OK; or ABUT_BAD_BOND, ABUT_BAD_BREAKAGE or ABUT_BAD_REST
 * with the first number that is out of its range. */
abut_status bond_columns_load(abut_table table, const void *columns, abut_index k, void *stored,
                              abut_error *error);

#endif
