"""`python -m policy_server`."""

import sys

from .cli import main

sys.exit(main())
