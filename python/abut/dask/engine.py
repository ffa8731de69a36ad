"""Dask and the packages that it needs; an ImportError names the extra that installs them."""

from __future__ import annotations

from ..base.extras import import_extra

dask = import_extra("dask", "dask")
# These are imported before dask.dataframe, since its errors would not name the extra.
pandas, _ = import_extra("pandas", "dask"), import_extra("pyarrow", "dask")
dataframe = import_extra("dask.dataframe", "dask")
delayed = import_extra("dask.delayed", "dask")
