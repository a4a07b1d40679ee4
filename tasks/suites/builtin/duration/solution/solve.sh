cat > duration.py <<'END'
"""Durations as people write them: "1h30m", "45s", "2d 4h"."""

import re

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def seconds(text):
    """The whole duration in seconds. Raises ValueError for text that is not a duration."""
    if not re.fullmatch(r" *([0-9]+[smhd] *)+", text):
        raise ValueError(f"not a duration: {text!r}")
    return sum(int(number) * SECONDS[unit] for number, unit in re.findall(r"([0-9]+)([smhd])", text))
END
