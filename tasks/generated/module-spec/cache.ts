import type { Draw } from "../draw.ts";
import type { RuleBook } from "../rule-book.ts";
import { text } from "../text.ts";
import { moduleCompare } from "./frame.ts";

/** A cache with room for so many entries, which also grow old. */
export function cache(d: Draw): RuleBook {
  const name = d.pick(["Cache", "Store", "Memory"]);
  const file = `${d.pick(["cache", "memo", "recent"])}_${d.pick(["store", "box", "keeper"])}.py`;
  const [put, get] = d.pick([["put", "get"], ["set", "read"], ["store", "fetch"]] as const); // prettier-ignore
  const source = (): string => text`
    class ${name}:
        def __init__(self, capacity, ttl, clock):
            self.capacity, self.ttl, self.clock = capacity, ttl, clock
            self.entries, self.pinned, self.hits, self.misses = {}, set(), 0, 0

        def _there(self, key):
            """Drops what is gone; tells whether the key is there."""
            now = self.clock()
            for old in [k for k, (_, since) in self.entries.items() if k not in self.pinned and now - since >= self.ttl]:
                del self.entries[old]
            return key in self.entries

        def ${put}(self, key, value):
            there = self._there(key)
            if not there and len(self.entries) >= self.capacity:
                free = [k for k in self.entries if k not in self.pinned]
                if not free:
                    raise ValueError("no room")
                del self.entries[free[0]]
            self.entries.pop(key, None)
            self.entries[key] = (value, self.clock())

        def ${get}(self, key, default=None):
            if not self._there(key):
                self.misses += 1
                return default
            self.hits += 1
            entry = self.entries.pop(key)
            self.entries[key] = entry
            return entry[0]

        def peek(self, key):
            if not self._there(key):
                return None
            entry = self.entries[key]
            return entry[0]

        def keys(self):
            self._there(None)
            return list(self.entries)

        def drop(self, key):
            there = self._there(key)
            self.entries.pop(key, None)
            self.pinned.discard(key)
            return there

        def renew(self, key):
            if not self._there(key):
                return False
            self.entries[key] = (self.entries[key][0], self.clock())
            return True

        def pin(self, key):
            if not self._there(key):
                raise KeyError(key)
            self.pinned.add(key)

        def unpin(self, key):
            if key in self.pinned:
                self.pinned.remove(key)
                self.entries[key] = (self.entries[key][0], self.clock())

        def stats(self):
            return [self.hits, self.misses]
  `;
  return {
    file,
    intro: `Write \`${file}\` with the class \`${name}(capacity, ttl, clock)\`, in plain Python without other packages. \`capacity\` is a whole number from 1, \`ttl\` a number of seconds, \`clock\` a function that is called without arguments and answers the present time in seconds. Keys are strings.`,
    base: [
      {
        name: "values",
        asked: `\`${put}(key, value)\` keeps a value under a key, instead of one that was there. \`${get}(key)\` answers the value, or None where the key is not there.`,
        mistake: ["self.entries.pop(key, None)\n        self.entries[key] = (value", "self.entries[key] = (value"],
      },
      {
        name: "room",
        asked: `There are never more than \`capacity\` keys: where a new one needs room, the one that has gone unused for longest is dropped. \`${put}\` and a \`${get}\` that finds it use a key.`,
        mistake: ["entry = self.entries.pop(key)", "entry = self.entries[key]"],
      },
      {
        name: "age",
        asked: `A key is gone, and takes no room any more, as soon as \`ttl\` seconds have passed since its last \`${put}\`: after exactly \`ttl\` seconds it is gone.`,
        mistake: ["now - since >= self.ttl", "now - since > self.ttl"],
      },
    ],
    more: [
      { name: "peek", asked: "`peek(key)` answers the value or None like " + `\`${get}\`, but does not use the key.`, mistake: ["entry = self.entries[key]\n        return", "entry = self.entries[key] = self.entries.pop(key)\n        return"] }, // prettier-ignore
      { name: "default", asked: `\`${get}(key, default)\` answers \`default\` where the key is not there; None is a value like any other.`, mistake: ["return entry[0]\n\n    def peek", "return default if entry[0] is None else entry[0]\n\n    def peek"] }, // prettier-ignore
      {
        name: "keys",
        asked: "`keys()` answers the list of the keys that are there, the one that has gone unused for longest first.",
        mistake: ["self._there(None)\n", "pass\n"],
      },
      { name: "drop", asked: "`drop(key)` takes a key away and answers True where it was there, else False.", mistake: ["there = self._there(key)\n        self.entries.pop", "there = key in self.entries\n        self.entries.pop"] }, // prettier-ignore
      { name: "renew", asked: `\`renew(key)\` makes a key as young as if it had been ${put === "put" ? "put" : "written"} now, without using it, and answers True; where it is not there, it answers False.`, mistake: ["self.entries[key] = (self.entries[key][0], self.clock())\n        return True", "self.entries[key] = (self.entries.pop(key)[0], self.clock())\n        return True"] }, // prettier-ignore
      {
        name: "pins",
        asked: `After \`pin(key)\` a key is neither gone by age nor dropped for room, until \`unpin(key)\` or \`drop(key)\`; where the key is not there, \`pin\` raises KeyError. A \`${put}\` on a pinned key leaves it pinned. \`unpin\` makes the key as young as if it were new, without using it; on a key that is not pinned it does nothing. Both answer None.`,
        mistake: ["free = [k for k in self.entries if k not in self.pinned]", "free = list(self.entries)"],
        hard: true,
      },
      {
        name: "full",
        asked: `Where a new key needs room and all keys are pinned, \`${put}\` raises ValueError and nothing changes.`,
        mistake: ["if not free:", "if not free and self.entries.clear() is None:"],
        hard: true,
      },
      {
        name: "stats",
        asked: `\`stats()\` answers the list of two numbers: how many calls of \`${get}\` found their key, and how many did not. Other calls do not count.`,
        mistake: ["return [self.hits, self.misses]", "return [self.misses, self.hits]"],
        hard: true,
      },
    ],
    source,
    compare: () =>
      moduleCompare({
        file,
        name,
        source: source(),
        clocked: true,
        drawn: text`
          def drawn(active):
              calls, keys, ttl = [], ["a", "b", "c", "d", "e"], rng.choice([10, 30, 60])
              capacity = rng.choice([1, 2, 3, 3, 4])
              extra = {"peek": ["peek"], "keys": ["keys"], "drop": ["drop"], "renew": ["renew"], "pins": ["pin", "pin", "unpin"], "full": ["pin", "pin"], "stats": ["stats"]}
              more = [call for rule in sorted(active) for call in extra.get(rule, [])]
              for turn in range(rng.randint(60, 120)):
                  name, key = rng.choice(["${put}", "${put}", "${get}", "${get}", "sleep", *more, *more]), rng.choice(keys)
                  if name == "sleep":
                      calls.append(["sleep", rng.choice([1, ttl // 2, ttl // 2, ttl - 1, ttl] if rng.random() < 0.4 else [1, 2])])
                  elif name == "${put}":
                      calls.append([name, key, None if "default" in active and rng.random() < 0.3 else turn])
                  elif name == "${get}" and "default" in active:
                      calls.append([name, key, rng.choice([7, "none"])])
                  else:
                      calls.append([name] if name in ("keys", "stats") else [name, key])
              if active & {"pins", "full"}:
                  capacity = min(capacity, 3)
              first = [["${put}", "z", 1], ["${get}", "z"], ["${get}", "z"], ["sleep", ttl]]
              first += [["keys"]] * ("keys" in active) + [["drop", "z"], ["drop", "z"]] * ("drop" in active) + [["stats"]] * ("stats" in active)
              # What must show, whatever was drawn; each part begins with nothing there.
              old, several = ["sleep", ttl], [["${put}", f"f{number}", number] for number in range(capacity)]
              edges = {
                  "age": [["${put}", "z", 1], ["sleep", ttl - 1], ["${get}", "z"], ["sleep", 1], ["${get}", "z"]],
                  "values": [["${put}", "z", 1], ["sleep", 1], ["${put}", "z", 2], ["sleep", ttl - 1], ["${get}", "z"]],
                  "room": [*several, ["${get}", "f0"], ["${put}", "z", 1], ["${get}", "f0"], ["${get}", "f1"]],
                  "peek": [*several, ["peek", "f0"], ["${put}", "z", 1], ["${get}", "f0"], ["peek", "none"], old, ["peek", "z"]],
                  "keys": [*several, ["${get}", "f0"], ["keys"], old, ["keys"]],
                  "renew": [["${put}", "z", 1], ["sleep", ttl - 1], ["renew", "z"], ["sleep", ttl - 1], ["${get}", "z"], ["sleep", 1], ["${get}", "z"], ["renew", "z"], *several, ["renew", "f0"], ["${put}", "z", 1], ["${get}", "f0"]],
                  "pins": [["${put}", "z", 1], ["pin", "z"], old, ["${get}", "z"], ["unpin", "z"], ["sleep", ttl - 1], ["${get}", "z"], ["sleep", 1], ["${get}", "z"], ["${put}", "z", 1], ["pin", "z"], ["drop", "z"], ["${put}", "z", 1], old, ["${get}", "z"], *several, ["pin", "f0"], ["unpin", "f0"], ["${put}", "z", 1], ["${get}", "f0"], ["${put}", "z", 1], ["pin", "z"], ["${put}", "z", 2], old, ["${get}", "z"], ["unpin", "z"], ["pin", "none"], ["unpin", "none"]],
                  "full": [*several, *(["pin", f"f{number}"] for number in range(capacity)), ["${put}", "z", 1], ["${get}", "z"], ["${put}", "f0", 9], ["${get}", "f0"], *(["drop", f"f{number}"] for number in range(capacity))],
              }
              for rule in sorted(active & set(edges)):
                  first += [old, *edges[rule], old]
              return [capacity, ttl], first + calls
        `,
      }),
    app: () => ({ "README.md": `# ${file.replace(".py", "")}\n\nA cache for one process; see the task for what it has to do.` }),
    look: "ls -la; cat README.md",
    attempt: `python3 -c 'from ${file.replace(".py", "")} import ${name}; c = ${name}(2, 10, lambda: 0); c.${put}("a", 1); print(c.${get}("a"))'`,
  };
}
