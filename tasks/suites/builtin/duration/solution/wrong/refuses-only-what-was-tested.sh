cat > duration.py <<'END'
import re


def seconds(text):
    found = re.findall(r"(\d+)([smhd])", text)
    if not found:
        raise ValueError(text)
    return sum(int(n) * {"s": 1, "m": 60, "h": 3600, "d": 86400}[u] for n, u in found)
END
