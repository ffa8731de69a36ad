"""``python -m abut``."""

import sys

from abut.cli import main

sys.exit(main())
