import type { Draw } from "../draw.ts";
import type { RuleBook } from "../rule-book.ts";
import { text } from "../text.ts";
import { moduleCompare } from "./frame.ts";

/** A set of whole numbers, kept as intervals. */
export function intervals(d: Draw): RuleBook {
  const name = d.pick(["Intervals", "Ranges", "Spans"]);
  const file = `${d.pick(["interval", "range", "span"])}_${d.pick(["set", "list", "book"])}.py`;
  const [add, list] = d.pick([
    ["add", "spans"],
    ["insert", "pairs"],
    ["cover", "parts"],
  ] as const);
  const source = (): string => text`
    class ${name}:
        def __init__(self):
            self.all, self.past = [], []

        def _keep(self, pairs):
            """The pairs, sorted and joined, as the new content."""
            self.past.append(self.all)
            self.all = []
            for low, high in sorted(pairs):
                if low >= high:
                    continue
                if self.all and low <= self.all[-1][1]:
                    self.all[-1] = [self.all[-1][0], max(self.all[-1][1], high)]
                else:
                    self.all.append([low, high])

        def ${add}(self, low, high):
            if low >= high:
                raise ValueError("empty")
            self._keep(self.all + [[low, high]])

        def ${list}(self):
            return [list(pair) for pair in self.all]

        def has(self, number):
            return any(low <= number < high for low, high in self.all)

        def remove(self, low, high):
            if low >= high:
                raise ValueError("empty")
            left = [[a, min(b, low)] for a, b in self.all]
            right = [[max(a, high), b] for a, b in self.all]
            self._keep(left + right)

        def count(self):
            return sum(high - low for low, high in self.all)

        def free(self, low, high):
            edges = [low, *(min(max(edge, low), high) for pair in self.all for edge in pair), high]
            return [[a, b] for a, b in zip(edges[::2], edges[1::2]) if a < b]

        def nth(self, place):
            for low, high in self.all if place >= 0 else []:
                if place < high - low:
                    return low + place
                place -= high - low
            raise IndexError("outside")

        def move(self, start, by):
            stay = [[low, min(high, start)] for low, high in self.all]
            gone = [[max(low, start) + by, high + by] for low, high in self.all if high > start]
            self._keep(stay + gone)

        def flip(self, low, high):
            if low >= high:
                raise ValueError("empty")
            left = [[a, min(b, low)] for a, b in self.all]
            right = [[max(a, high), b] for a, b in self.all]
            self._keep(left + self.free(low, high) + right)

        def undo(self):
            if not self.past:
                return False
            self.all = self.past.pop()
            return True
  `;
  return {
    file,
    intro: `Write \`${file}\` with the class \`${name}()\`, in plain Python without other packages. It is a set of whole numbers, empty at first. An interval \`low, high\` has the numbers from \`low\` up to, but without, \`high\`; intervals are answered as lists of two numbers.`,
    base: [
      {
        name: "adds",
        asked: `\`${add}(low, high)\` puts the numbers of an interval into the set. \`${list}()\` answers the list of the intervals the set is made of, the smallest first, as few as possible: those that overlap or touch are one.`,
        mistake: ["low <= self.all[-1][1]", "low < self.all[-1][1]"],
      },
      {
        name: "has",
        asked: "`has(number)` answers whether a number is in the set.",
        mistake: ["low <= number < high", "low <= number <= high"],
      },
      {
        name: "empty",
        asked: `\`${add}\` raises ValueError where \`low\` is not below \`high\`, and changes nothing.`,
        mistake: [`def ${add}(self, low, high):\n        if low >= high:`, `def ${add}(self, low, high):\n        if low > high:`],
      },
    ],
    more: [
      {
        name: "remove",
        asked: `\`remove(low, high)\` takes the numbers of an interval out of the set, also from the midst of one; it raises ValueError like \`${add}\`.`,
        mistake: [
          "right = [[max(a, high), b] for a, b in self.all]\n        self._keep(left + right)",
          "right = [[max(a, high), b] for a, b in self.all if a >= low]\n        self._keep(left + right)",
        ],
      },
      {
        name: "count",
        asked: "`count()` answers how many numbers are in the set.",
        mistake: ["sum(high - low for", "sum(high - low + 1 for"],
      },
      {
        name: "free",
        asked:
          "`free(low, high)`, with `low` below `high`, answers the intervals between `low` and `high` that are not in the set, the smallest first.",
        mistake: ["edges = [low, *(min(max(edge, low), high)", "edges = [low, *(max(edge, low)"],
      },
      {
        name: "nth",
        asked:
          "`nth(place)` answers the number at a place of the set in ascending order, 0 being the smallest; it raises IndexError where there is none, also for a negative place.",
        mistake: ["for low, high in self.all if place >= 0 else []:", "for low, high in self.all:"],
      },
      {
        name: "move",
        asked:
          "`move(start, by)` adds `by`, which may be negative, to every number of the set from `start` on; those below `start` stay. Numbers that come to be the same are one.",
        mistake: ["max(low, start) + by", "low + by"],
        hard: true,
      },
      {
        name: "flip",
        asked: `\`flip(low, high)\` takes the numbers of the interval that are in the set out of it, and puts those that are not into it; it raises ValueError like \`${add}\`.`,
        mistake: ["self._keep(left + self.free(low, high) + right)", "self._keep(self.all + self.free(low, high))"],
        hard: true,
      },
      {
        name: "undo",
        asked: `\`undo()\` takes the last call back that could change the set (\`${add}\`, \`remove\`, \`move\`, \`flip\`), also one that left it as it was, but not one that raised an exception, and answers True; called again, it takes back the one before. Without any left it answers False. What was taken back is not a call any more.`,
        mistake: ["self.past.append(self.all)", "self.past = [self.all]"],
        hard: true,
      },
    ],
    source,
    compare: () =>
      moduleCompare({
        file,
        name,
        source: source(),
        clocked: false,
        drawn: text`
          def drawn(active):
              calls = []
              more = [name for name in ["remove", "count", "free", "nth", "move", "flip", "undo"] if name in active]
              for _ in range(rng.randint(30, 60)):
                  name = rng.choice(["${add}", "has", "${list}", *more, *more])
                  low, high = sorted(rng.sample(range(-20, 60), 2))
                  high = min(high, low + rng.randint(1, 9))
                  if name in ("${add}", "remove", "flip") and rng.random() < 0.15:
                      high = low - rng.choice([0, 0, 3])
                  if name in ("free", "remove") and rng.random() < 0.4:
                      high += 25 if high > low else 0
                  given = {"${list}": [], "count": [], "undo": [], "has": [rng.choice([low, high])], "nth": [rng.choice([-1, -1, 0, rng.randint(0, 30)])], "move": [low, rng.choice([-7, -2, 3, 9])]}
                  calls.append([name, *given.get(name, [low, high])])
                  if name not in given and rng.random() < 0.7:
                      calls += [["${list}"], ["has", low], ["has", high]]
              first = [["${add}", -10, 40], ["${list}"]]
              first += [[name, 3, 8] for name in more if name in ("remove", "flip")] + [["${list}"], ["has", 5], ["has", 40], ["undo"] if "undo" in active else ["${list}"], ["${list}"]]
              # What must show, whatever was drawn.
              edges = {
                  "adds": [["${add}", 100, 105], ["${add}", 105, 110], ["${add}", 120, 125], ["${list}"], ["${add}", 103, 121], ["${list}"], ["${add}", 104, 106], ["${list}"]],
                  "has": [["${add}", 100, 102], ["has", 99], ["has", 100], ["has", 101], ["has", 102]],
                  "empty": [["${add}", 100, 100], ["${add}", 100, 99], ["${list}"]],
                  "remove": [["${add}", 100, 130], ["remove", 110, 115], ["${list}"], ["remove", 90, 101], ["remove", 129, 140], ["remove", 110, 115], ["${list}"], ["remove", 105, 105], ["remove", 105, 104], ["remove", 105, 120], ["${list}"], ["remove", 0, 200], ["${list}"]],
                  "count": [["count"], ["${add}", 100, 103], ["${add}", 105, 106], ["count"]],
                  "free": [["free", 100, 130], ["${add}", 100, 105], ["${add}", 110, 115], ["${add}", 125, 140], ["free", 100, 130], ["free", 95, 112], ["free", 110, 115], ["free", 111, 113], ["free", 105, 110], ["free", 130, 150]],
                  "nth": [["${add}", 100, 103], ["${add}", 110, 112], *(["nth", place] for place in [-2, *range(48, 57)])],
                  "move": [["${add}", 100, 110], ["${add}", 120, 130], ["move", 105, 3], ["${list}"], ["move", 108, -6], ["${list}"], ["move", 131, 5], ["move", 0, 1], ["${list}"], ["move", 101, -20], ["${list}"]],
                  "flip": [["${add}", 100, 110], ["flip", 105, 115], ["${list}"], ["flip", 90, 120], ["${list}"], ["flip", 95, 95], ["flip", 95, 94], ["flip", 120, 122], ["${list}"]],
              }
              for rule in sorted(active & set(edges)):
                  first += edges[rule]
              if "undo" in active:
                  first += [["undo"], ["${list}"]] * (sum(call[0] in ("${add}", "remove", "move", "flip") for call in first) + 2) + [["${add}", 1, 5], ["${add}", 2, 4], ["${add}", 9, 8], ["undo"], ["${list}"], ["undo"], ["${list}"], ["undo"]]
              return [], first + calls + [["${list}"]]
        `,
      }),
    app: () => ({
      "README.md": `# ${file.replace(".py", "")}\n\nSets of whole numbers with few gaps; see the task for what it has to do.`,
    }),
    look: "ls -la; cat README.md",
    attempt: `python3 -c 'from ${file.replace(".py", "")} import ${name}; s = ${name}(); s.${add}(1, 5); s.${add}(5, 9); print(s.${list}())'`,
  };
}
