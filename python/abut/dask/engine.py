"""Dask and what it needs, imported once with the extra that brings them."""

from __future__ import annotations

from ..base.extras import import_extra

dask = import_extra("dask", "dask")
# dask.dataframe asks for these without naming an extra
pandas, _ = import_extra("pandas", "dask"), import_extra("pyarrow", "dask")
dataframe = import_extra("dask.dataframe", "dask")
delayed = import_extra("dask.delayed", "dask")
