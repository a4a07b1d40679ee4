"""Durations as people write them: "1h30m", "45s", "2d 4h"."""

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 24}


def seconds(text):
    """The whole duration in seconds. Raises ValueError for text that is not a duration."""
    total = 0
    number = ""
    for letter in text:
        if letter.isdigit():
            number += letter
        elif letter in SECONDS:
            total += int(number or 1) * SECONDS[letter]
    return total
