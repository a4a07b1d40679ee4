"""Rebuilds every request of a run and checks its hashes, as docs/trace-format.md says and with nothing else: python3 rebuild-requests.py RUN…"""

import json
import re
import sys
from hashlib import sha256
from pathlib import Path


def h(*texts):
    return sha256("".join(texts).encode("utf-8")).hexdigest()


class Number(str):
    """A number as it stands in the file."""


def read(text):
    return json.loads(text, parse_int=Number, parse_float=Number)


def spell(value):
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, str):
        return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))
    if isinstance(value, dict):
        return "{" + ",".join(f"{spell(key)}:{spell(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(spell, value)) + "]"
    return json.dumps(value)


def whole(value, blobs):
    """With blobs put back, and the added `$` of keys taken away."""
    if isinstance(value, list):
        return [whole(item, blobs) for item in value]
    if not isinstance(value, dict):
        return value
    if "$blob" in value:
        name = value["$blob"]
        content = (blobs / name[:2] / name).read_bytes().decode("utf-8")
        return content if value["as"] == "text" else whole(read(content), blobs)
    return {key[1:] if key.startswith("$") else key: whole(item, blobs) for key, item in value.items()}


def said(text, images=()):
    return {"role": "user", "content": [{"type": "text", "text": text}, *images]}


def message_of(t, d):
    if t == "run.start":
        return said(d["input"]["task"], d["input"].get("images", []))
    if t == "middleware":
        return said(d["text"]) if "text" in d else None
    if t == "model.response":
        return d["message"]
    if t == "tool.result":
        reply = d["reply"]
        return {"role": "tool", "callId": d.get("callId"), "name": d.get("name"), "status": reply["status"], "content": reply["content"]}
    return None


def check(run):
    spoken, lanes, requests = {}, {}, 0
    for line in (run / "trace.jsonl").read_bytes().split(b"\n")[:-1]:
        event = read(line)
        t, ref, d = event["t"], f"{event['lane']}#{event['n']}", whole(event["d"], run / "blobs")
        message = message_of(t, d)
        if message is not None:
            spoken[ref] = message
        if t != "model.request":
            continue
        before = lanes.get(event["lane"], {"messages": [], "roots": [h("forge:messages")]})
        keep = int(d["keep"])
        messages, roots = before["messages"][:keep], before["roots"][: keep + 1]
        for i, entry in enumerate(d["add"]):
            if "message" in entry:
                spoken[f"{ref}+{i}"] = entry["message"]
            messages.append(entry["message"] if "message" in entry else spoken[entry["ref"]])
            roots.append(h(roots[-1], h(spell(messages[-1]))))
        lane = {"messages": messages, "roots": roots}
        for part in ("system", "tools"):
            lane[part] = h(spell(d[part])) if part in d else before[part]
            assert d.get(f"{part}Hash", lane[part]) == lane[part], f"{ref}: {part}Hash"
        params = {"params": d["params"], **({"seed": d["seed"]} if "seed" in d else {})}
        assert roots[-1] == d["root"], f"{ref}: root"
        assert h(h(spell(params)), lane["system"], lane["tools"], roots[-1]) == d["hash"], f"{ref}: hash"
        lanes[event["lane"]] = lane
        requests += 1
    return requests


if __name__ == "__main__":
    for place in sys.argv[1:]:
        print(f"{check(Path(place))} requests", place)
