import type { Draw } from "../draw.ts";
import { an, text } from "../text.ts";
import { interleaved } from "./interleaved.ts";
import type { FlawedProgram } from "../flawed-program.ts";

/** Amounts that threads change: a lost update, a check before an act, locks in two orders, a sum taken while things move. */
export function bank(d: Draw): FlawedProgram {
  const [cls, one, unit, member] = d.pick([
    ["Bank", "account", "cents", "accounts"],
    ["Depot", "shelf", "pieces", "shelves"],
    ["Wallets", "wallet", "coins", "wallets"],
  ] as const);
  const file = `${cls.toLowerCase()}${d.pick(["", "_core", "2"])}.py`;
  const [add, take, move, total] = d.pick([
    ["deposit", "withdraw", "move", "total"],
    ["add", "take", "shift", "sum"],
    ["put", "fetch", "transfer", "whole"],
  ] as const);
  const source = text`
    import threading
    from contextlib import ExitStack


    class Place:
        def __init__(self, ${unit}):
            self.lock = threading.Lock()
            self.${unit} = ${unit}


    class ${cls}:
        def __init__(self, start):
            self.${member} = {name: Place(${unit}) for name, ${unit} in start.items()}

        def ${add}(self, name, ${unit}):
            place = self.${member}[name]
            with place.lock:
                place.${unit} += ${unit}

        def ${take}(self, name, ${unit}):
            place = self.${member}[name]
            with place.lock:
                if place.${unit} < ${unit}:
                    return False
                place.${unit} -= ${unit}
            return True

        def ${move}(self, source, target, ${unit}):
            if source == target:
                return self.${member}[source].${unit} >= ${unit}
            first, second = sorted([source, target])
            with self.${member}[first].lock, self.${member}[second].lock:
                if self.${member}[source].${unit} < ${unit}:
                    return False
                self.${member}[source].${unit} -= ${unit}
                self.${member}[target].${unit} += ${unit}
            return True

        def ${total}(self):
            with ExitStack() as held:
                for name in sorted(self.${member}):
                    held.enter_context(self.${member}[name].lock)
                return sum(place.${unit} for place in self.${member}.values())

        def state(self):
            with ExitStack() as held:
                for name in sorted(self.${member}):
                    held.enter_context(self.${member}[name].lock)
                return {name: place.${unit} for name, place in self.${member}.items()}
  `;
  const adding = `        with place.lock:\n            place.${unit} += ${unit}`;
  const taking = `        with place.lock:
            if place.${unit} < ${unit}:
                return False
            place.${unit} -= ${unit}
        return True`;
  const order = "        first, second = sorted([source, target])\n";
  const self = `        if source == target:
            return self.${member}[source].${unit} >= ${unit}
`;
  const summing = `        with ExitStack() as held:
            for name in sorted(self.${member}):
                held.enter_context(self.${member}[name].lock)
            return sum(place.${unit} for place in self.${member}.values())`;
  return {
    file,
    about: `\`${file}\` has the class \`${cls}\`, which many threads use at once.`,
    uses: [
      `\`${cls}(start)\` is made with a dict from the name of each ${one} to its ${unit}, a whole number; \`state()\` answers such a dict.`,
      `\`${add}(name, ${unit})\` adds to ${an(one)}.`,
      `\`${take}(name, ${unit})\` takes from one and answers True; where it holds less, it changes nothing and answers False.`,
      `\`${move}(source, target, ${unit})\` takes from one and adds to another in the same way; when both are the same it changes nothing and answers whether it holds enough.`,
      `\`${total}()\` answers the sum of all.`,
    ],
    source,
    flaws: [
      {
        name: "adding",
        easy: true,
        promise: `No \`${add}\` is lost.`,
        told: `After a busy day some of what was added by \`${add}\` is missing.`,
        open: [[adding, `        place.${unit} += ${unit}`]],
        half: [[adding, `        with threading.Lock():\n            place.${unit} += ${unit}`]],
        lazy: [[adding, `        now = place.${unit}\n        with place.lock:\n            place.${unit} = now + ${unit}`]],
        check: text`
          for _ in range(3):
              start = rng.randint(40, 99)
              amounts = [rng.randint(1, 50) for _ in range(30)]
              beside = ["lambda: [made.${take}('a', 1) for _ in range(15)]", "lambda: [made.${move}('a', 'b', 1) for _ in range(15)]"]
              got = interleaved("${file}", SETUP + f"at_once(*[lambda amounts=amounts: [made.${add}('a', n) for n in amounts] for amounts in values['amounts']], {', '.join(beside)})\nanswer(made.state())", start={"a": start, "b": 5}, amounts=[amounts[i::5] for i in range(5)])
              same(got, {"a": start + sum(amounts) - 30, "b": 20}, "after adding in five threads while one takes and one moves")
        `,
      },
      {
        name: "taking",
        easy: true,
        promise: `\`${take}\` never takes more than there is, and answers True exactly as often as it took.`,
        told: `A ${one} had less than nothing, although \`${take}\` looks first.`.replace("A a", "An a"),
        open: [
          [
            taking,
            `        if place.${unit} < ${unit}:
            return False
        with place.lock:
            place.${unit} -= ${unit}
        return True`,
          ],
        ],
        half: [
          [
            taking,
            `        with place.lock:
            enough = place.${unit} >= ${unit}
        if enough:
            with place.lock:
                place.${unit} -= ${unit}
        return enough`,
          ],
        ],
        lazy: [
          [
            taking,
            `        if not place.${unit} >= ${unit}:
            return False
        place.${unit} -= ${unit}
        return True`,
          ],
        ],
        check: text`
          for _ in range(4):
              amount = rng.randint(3, 9)
              start = amount * rng.randint(1, 3) + rng.randint(0, 2)
              answers, state = interleaved("${file}", SETUP + "answers = at_once(*[lambda: made.${take}('a', values['amount']), lambda: made.${move}('a', 'b', values['amount']), lambda: made.${take}('a', values['amount'])] * 4)\nanswer([answers, made.state()])", start={"a": start, "b": 5}, amount=amount)
              moved = answers[1::3].count(True) * amount
              same([answers.count(True), answers.count(False), state], [start // amount, 12 - start // amount, {"a": start % amount, "b": 5 + moved}], f"eight threads taking and four moving {amount} of {start}")
          for _ in range(2):
              amount, enough = rng.randint(3, 9), rng.randint(24, 42)
              start = amount * enough + rng.randint(0, 2)
              answers, state = interleaved("${file}", SETUP + "answers = at_once(*[lambda: [made.${take}('a', values['amount']) for _ in range(6)], lambda: [made.${move}('a', 'b', values['amount']) for _ in range(6)]] * 4)\nanswer([answers, made.state()])", start={"a": start, "b": 5}, amount=amount)
              taken, moved = [[one for calls in answers[i::2] for one in calls].count(True) for i in [0, 1]]
              same([taken + moved, state], [enough, {"a": start % amount, "b": 5 + moved * amount}], f"four threads taking and four moving {amount} of {start} six times each")
        `,
      },
      {
        name: "moving",
        promise: `However many threads call \`${move}\`, between whichever two, also from one to itself, all calls come to an end, and nothing is made or lost.`,
        told: `Sometimes threads that call \`${move}\` stand still for ever.`,
        open: [[order, "        first, second = source, target\n"]],
        half: [[self, ""]],
        lazy: [[order, "        first, second = [source, target] if len(source) <= len(target) else [target, source]\n"]],
        check: text`
          for _ in range(3):
              names = rng.sample(["a", "b", "c", "d", "e"], 3)
              pairs = [[names[0], names[1]], [names[1], names[0]], [names[1], names[2]], [names[2], names[0]], [names[2], names[2]], [names[0], names[2]]]
              got = interleaved("${file}", SETUP + "answers = at_once(*[lambda pair=pair: [made.${move}(*pair, 1) for _ in range(12)] for pair in values['pairs']])\nanswer([answers, sum(made.state().values())])", start={name: 100 for name in names}, pairs=pairs)
              same(got, [[[True] * 12] * 6, 300], f"threads moving one twelve times each, between {pairs}")
        `,
      },
      {
        name: "total",
        promise: `\`${total}\` tells the sum as it was at one moment: while others only call \`${move}\`, it is always the same.`,
        told: `\`${total}\` tells another sum each time, although there is only moving going on.`,
        open: [[summing, `        return sum(place.${unit} for place in self.${member}.values())`]],
        half: [
          [
            summing,
            `        whole = 0
        for name in sorted(self.${member}):
            with self.${member}[name].lock:
                whole += self.${member}[name].${unit}
        return whole`,
          ],
        ],
        lazy: [
          [
            summing,
            `        with threading.Lock():
            return sum([place.${unit} for place in self.${member}.values()])`,
          ],
        ],
        check: text`
          for _ in range(3):
              start = {name: rng.randint(200, 300) for name in "abcd"}
              pairs = [["a", "d"], ["d", "a"], ["b", "c"]]
              got = interleaved("${file}", SETUP + "sums = at_once(lambda: [made.${total}() for _ in range(25)], *[lambda pair=pair: [made.${move}(*pair, 7) for _ in range(25)] for pair in values['pairs']])[0]\nanswer(sums)", start=start, pairs=pairs)
              same(got, [sum(start.values())] * 25, "sums while others move")
        `,
      },
    ],
    common: text`
      ${interleaved}

      SETUP = "made = module.${cls}(values['start'])\n"
    `,
    alone: text`
      start = {name: rng.randint(0, 60) for name in ["x", "y", "z"]}
      calls, wanted, state = [], [], dict(start)
      # As much as there is, one more, and to itself; the rest is drawn.
      edges = [("${move}", "x", "x", 1), ("${move}", "x", "x", 0), ("${move}", "x", "y", 1), ("${take}", "y", "y", 1), ("${take}", "y", "y", 0), ("${total}", "x", "x", 0), ("${add}", "x", "x", 5), ("${move}", "x", "y", 0)]
      for turn in range(60):
          kind, a, b, n = rng.choice(["${add}", "${take}", "${move}", "${total}"]), rng.choice("xyz"), rng.choice("xyz"), rng.choice([0, 1, 10, 20, rng.randint(1, 60)])
          if turn < len(edges):
              kind, a, b, more = edges[turn]
              n = state[a] + more
          if kind == "${add}":
              state[a] += n
              calls.append([kind, a, n])
              wanted.append(None)
          elif kind == "${total}":
              calls.append([kind])
              wanted.append(sum(state.values()))
          else:
              wanted.append(state[a] >= n)
              calls.append([kind, a, n] if kind == "${take}" else [kind, a, b, n])
              if state[a] >= n:
                  state[a] -= n
                  if kind == "${move}":
                      state[b] += n
      got = interleaved("${file}", SETUP + "answer([[[getattr(made, name)(*given), None][name == '${add}'] for name, *given in values['calls']], made.state()])", start=start, calls=calls)
      same(got, [wanted, state], f"{start} {calls}")
    `,
    attempt: `python3 -c 'from ${file.replace(".py", "")} import ${cls}; b = ${cls}({"a": 5, "b": 1}); b.${add}("a", 2); print(b.${move}("a", "b", 3), b.${total}(), b.state())'`,
  };
}
