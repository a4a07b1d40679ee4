import type { Draw } from "../draw.ts";
import type { RuleBook } from "../rule-book.ts";
import { text } from "../text.ts";
import { moduleCompare } from "./frame.ts";

/** So many calls in so many seconds. */
export function limiter(d: Draw): RuleBook {
  const name = d.pick(["Limiter", "Gate", "Throttle"]);
  const file = `${d.pick(["limit", "rate", "quota"])}_${d.pick(["gate", "guard", "keeper"])}.py`;
  const allow = d.pick(["allow", "admit", "take"]);
  const strikes = d.int(2, 4);
  const source = (asks: (rule: string) => boolean): string => text`
    class ${name}:
        def __init__(self, limit, window, clock):
            self.limit, self.window, self.clock = limit, window, clock
            self.taken, self.refused, self.blocked = {}, {}, {}

        def _recent(self, key):
            """The times of what was admitted and still counts, the oldest first."""
            times = self.taken.setdefault(key, [])
            now = self.clock()
            times[:] = [time for time in times if now - time < self.window]
            return times

        def _is_blocked(self, key):
            return self.clock() < self.blocked.get(key, 0)

        def ${allow}(self, key, cost=1):
            if cost < 1 or cost > self.limit:
                raise ValueError("cost")
            if self._is_blocked(key):
                return False
            times = self._recent(key)
            if len(times) + cost > self.limit:
                ${
                  asks("strikes")
                    ? text`
                        self.refused[key] = self.refused.get(key, 0) + 1
                        if self.refused[key] == ${strikes}:
                            self.blocked[key] = self.clock() + 2 * self.window
                            self.refused[key] = 0
                      `
                    : ""
                }
                return False
            self.refused[key] = 0
            times.extend([self.clock()] * cost)
            return True

        def left(self, key):
            if self._is_blocked(key):
                return 0
            return self.limit - len(self._recent(key))

        def wait(self, key, cost=1):
            if cost < 1 or cost > self.limit:
                raise ValueError("cost")
            now = self.clock()
            start = max(now, self.blocked.get(key, 0))
            times = self._recent(key)
            over = len(times) + cost - self.limit
            return max(start, times[over - 1] + self.window if over > 0 else now) - now

        def give_back(self, key):
            times = self._recent(key)
            if times:
                times.pop()
                return True
            return False

        def forget(self, key):
            self.taken.pop(key, None)
            self.refused.pop(key, None)
            self.blocked.pop(key, None)

        def busy(self):
            return sorted(key for key in list(self.taken) if self._recent(key))
  `;
  const costly = asked(allow);
  return {
    file,
    intro: `Write \`${file}\` with the class \`${name}(limit, window, clock)\`, in plain Python without other packages. \`limit\` is a whole number from 1, \`window\` a number of seconds, \`clock\` a function that is called without arguments and answers the present time in whole seconds, never less than before. Keys are strings.`,
    base: [
      {
        name: "limit",
        asked: `\`${allow}(key)\` answers True where fewer than \`limit\` calls for this key were admitted within the last \`window\` seconds, and so admits this one; else it answers False. Keys do not affect each other.`,
        mistake: ["self.taken.setdefault(key, [])", 'self.taken.setdefault("", [])'],
      },
      {
        name: "window",
        asked:
          "A call counts until `window` seconds have passed since it was admitted: after exactly `window` seconds it does not count any more.",
        mistake: ["now - time < self.window", "now - time <= self.window"],
      },
      {
        name: "refused",
        asked: "A call that was refused does not count.",
        mistake: ["if len(times) + cost > self.limit:", "if len(times) + cost > self.limit:\n            times.append(self.clock())"],
      },
    ],
    more: [
      { name: "left", asked: `\`left(key)\` answers how many calls of \`${allow}(key)\` would be admitted right now.`, mistake: ["return self.limit - len(self._recent(key))", "return self.limit - len(self.taken.get(key, []))"] }, // prettier-ignore
      { name: "cost", asked: costly, mistake: ["[self.clock()] * cost", "[self.clock()]"] },
      {
        name: "give_back",
        asked:
          "`give_back(key)` takes back the call for this key that was admitted last, of those that still count: it counts no more (one that counts as several counts one less), and the answer is True; where none counts, the answer is False.",
        mistake: ["times.pop()", "times.pop(0)"],
      },
      {
        name: "forget",
        asked: "After `forget(key)` it is as if this key had never been named.",
        mistake: ["self.taken.pop(key, None)", "self.taken.get(key, None)"],
      },
      { name: "busy", asked: "`busy()` answers the sorted list of the keys that have admitted calls which still count.", mistake: ["sorted(key for key in list(self.taken) if self._recent(key))", "sorted(self.taken)"] }, // prettier-ignore
      {
        name: "wait",
        asked: `\`wait(key, cost)\` answers in how many seconds \`${allow}(key, cost)\` would be admitted if nothing else were called till then: 0 where it would be at once. \`cost\` may be left out there too, and is as wrong as it is for \`${allow}\`.`,
        mistake: ["times[over - 1]", "times[0]"],
        hard: true,
      },
      {
        name: "strikes",
        asked: `A key that is refused ${strikes} times in a row, without a call admitted in between (calls that raise ValueError are neither), is blocked for twice \`window\` seconds from the last of these refusals on; after exactly so long it is not any more. While it is blocked, \`${allow}\` answers False without counting as a refusal (for a wrong \`cost\` it raises ValueError then, too), \`left\` answers 0, and \`wait\` takes the block into account; after it, the refusals are counted from 0. What was admitted before goes on to count for \`busy\` and \`give_back\` until its time is over.`,
        mistake: ["self.clock() + 2 * self.window", "self.clock() + self.window"],
        hard: true,
      },
    ],
    source,
    compare: (asks) =>
      moduleCompare({
        file,
        name,
        source: source(asks),
        clocked: true,
        drawn: text`
          def drawn(active):
              limit, window, calls = rng.choice([1, 2, 3, 5]), rng.choice([10, 20, 60]), []
              if active & {"give_back"}:
                  limit = rng.choice([2, 3])
              if active & {"cost", "wait"}:
                  limit = rng.choice([3, 4, 6])
              more = [name for name in ["left", "give_back", "forget", "busy", "wait"] if name in active]
              for _ in range(rng.randint(60, 120)):
                  name, key = rng.choice(["${allow}"] * 5 + ["pass"] * 2 + more), rng.choice(["a", "a", "a", "b", "c"])
                  cost = [rng.choice([1, 2, 2, 3])] if "cost" in RULES and rng.random() < 0.5 and active & {"cost", "wait"} else []
                  if cost and rng.random() < 0.1:
                      cost = [rng.choice([0, -1, limit + 1])]
                  if name == "pass":
                      calls.append(["sleep", rng.choice([0, 1, 1, window // 5, window - 1, window])])
                  else:
                      calls.append([name] if name == "busy" else [name, key, *cost] if name in ("${allow}", "wait") else [name, key])
                  if name == "${allow}" and "strikes" in active and rng.random() < 0.2:
                      calls += [[name, key]] * rng.randint(3, 8) + [["sleep", rng.choice([window, 2 * window - 1, 2 * window])], [name, key]]
              first = [["${allow}", "z"], ["sleep", window // 2], ["${allow}", "z"]]
              first += [["give_back", "z"], ["sleep", window // 2], ["give_back", "z"], ["give_back", "z"]] if "give_back" in active else []
              first += [["sleep", window], ["busy"]] if "busy" in active else []
              first += [["${allow}", "z"], ["sleep", 1]] * (limit - 1) + [["${allow}", "z"], ["wait", "z", limit], ["wait", "z", 2]] if "wait" in active else []
              # What must show, whatever was drawn; each part has a key of its own.
              def full(key):
                  return [["${allow}", key]] * limit

              edges = {
                  "limit": [*full("l"), ["${allow}", "l"], ["${allow}", "m"]],
                  "window": [["${allow}", "w"], ["sleep", window - 1], *full("w"), ["sleep", 1], ["${allow}", "w"]],
                  "refused": [*full("r"), ["sleep", window - 1], ["${allow}", "r"], ["sleep", 1], *full("r")],
                  "left": [["left", "e"], ["${allow}", "e"], ["left", "e"], ["sleep", window], ["left", "e"]],
                  "cost": [["${allow}", "c", limit - 1], ["${allow}", "c", 2], ["${allow}", "c", 1], ["${allow}", "c"], ["${allow}", "d", 0], ["${allow}", "d", limit + 1], ["${allow}", "d", -1], *full("d")],
                  "give_back": [["give_back", "g"], ["${allow}", "g"], ["sleep", 1], *full("g"), ["give_back", "g"], ["sleep", window - 1], *full("g")],
                  "forget": [*full("f"), ["forget", "f"], ["${allow}", "f"], ["forget", "none"]],
                  "busy": [["${allow}", "y"], ["sleep", 1], ["${allow}", "b"], ["busy"], ["sleep", window - 1], ["busy"], ["sleep", 1], ["busy"]],
                  "wait": [["wait", "t"]] + [["${allow}", "t"], ["sleep", 1]] * limit + [["wait", "t"]] + [["wait", "t", cost] for cost in [*range(limit + 2), -1]],
                  "strikes": [*full("s"), *[["${allow}", "s"], ["sleep", 1]] * ${strikes}, ["left", "s"], ["wait", "s"], ["${allow}", "s"], ["${allow}", "s", 0], ["busy"], ["sleep", 2 * window - 2], ["${allow}", "s"], ["sleep", 1], ["${allow}", "s"], *full("s"), *[["${allow}", "s"]] * ${strikes - 2}, ["${allow}", "s", 0], ["left", "s"], ["sleep", window], ["${allow}", "s"]],
              }
              first += [call for rule in sorted(active & set(edges)) for call in edges[rule]]
              return [limit, window], first + calls
        `,
      }),
    app: () => ({ "README.md": `# ${file.replace(".py", "")}\n\nKeeps callers within their limits; see the task for what it has to do.` }),
    look: "ls -la; cat README.md",
    attempt: `python3 -c 'from ${file.replace(".py", "")} import ${name}; g = ${name}(2, 10, lambda: 0); print([g.${allow}("a") for _ in range(3)])'`,
  };
}

const asked = (allow: string): string =>
  `\`${allow}(key, cost)\` counts as \`cost\` calls, which are admitted or refused together; \`cost\` is 1 where it is left out. It raises ValueError, and changes nothing, where \`cost\` is below 1 or above \`limit\`.`;
