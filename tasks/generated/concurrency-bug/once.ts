import type { Draw } from "../draw.ts";
import { text } from "../text.ts";
import { interleaved } from "./interleaved.ts";
import type { FlawedProgram } from "../flawed-program.ts";

/** Values loaded once for all threads: loaded twice, all waiting for one, waiting for one that failed, counts that are lost. */
export function once(d: Draw): FlawedProgram {
  const cls = d.pick(["Loader", "Shared", "Lazy", "Memo"]);
  const file = `${cls.toLowerCase()}_${d.pick(["values", "once", "store"])}.py`;
  const [get, load, counts] = d.pick([
    ["get", "load", "counts"],
    ["fetch", "make", "stats"],
    ["value", "build", "numbers"],
  ] as const);
  const source = text`
    import threading


    class Slot:
        def __init__(self):
            self.done = threading.Event()
            self.value = None
            self.error = None


    class ${cls}:
        def __init__(self, ${load}):
            self.${load} = ${load}
            self.lock = threading.Lock()
            self.slots = {}
            self.asked = 0

        def ${get}(self, key):
            with self.lock:
                self.asked += 1
            with self.lock:
                slot = self.slots.get(key)
                first = slot is None
                if first:
                    slot = self.slots[key] = Slot()
            if first:
                self._fill(key, slot)
            slot.done.wait()
            if slot.error is not None:
                raise slot.error
            return slot.value

        def _fill(self, key, slot):
            try:
                slot.value = self.${load}(key)
            except Exception as error:
                slot.error = error
                with self.lock:
                    self.slots.pop(key, None)
            finally:
                slot.done.set()

        def ${counts}(self):
            return [self.asked, len(self.slots)]
  `;
  const claim = `        with self.lock:
            slot = self.slots.get(key)
            first = slot is None
            if first:
                slot = self.slots[key] = Slot()
`;
  const fill = "            self._fill(key, slot)\n";
  const start = "        self.asked = 0\n";
  const count = "        with self.lock:\n            self.asked += 1\n";
  const filling = `        try:
            slot.value = self.${load}(key)
        except Exception as error:
            slot.error = error
            with self.lock:
                self.slots.pop(key, None)
        finally:
            slot.done.set()`;
  const LOADS = `begun = []\n\n\ndef load(key):\n    begun.append(key)\n    time.sleep(0.05)\n    return key * 2\n\n\n`;
  return {
    file,
    about: `\`${file}\` has the class \`${cls}\`, from which many threads get values that are slow to make.`,
    uses: [
      `\`${cls}(${load})\` is made with a function that makes the value of a key, a string. \`${get}(key)\` answers the value of a key; the first call has it made, later ones get the same.`,
      `Where \`${load}(key)\` raises an exception, \`${get}(key)\` raises it too, nothing is kept, and the next call has the value made again.`,
      `\`${counts}()\` answers a list of two numbers: how often \`${get}\` was called, and how many keys have a value.`,
    ],
    source,
    flaws: [
      {
        name: "once",
        promise: `While and after the value of a key is made, nobody has it made a second time: calls that come meanwhile wait for it.`,
        told: `The same value is sometimes made twice.`,
        open: [
          [
            claim,
            `        slot = self.slots.get(key)
        first = slot is None
        if first:
            slot = self.slots[key] = Slot()
`,
          ],
        ],
        half: [
          [
            claim,
            `        with self.lock:
            slot = self.slots.get(key)
        first = slot is None
        if first:
            with self.lock:
                slot = self.slots[key] = Slot()
`,
          ],
        ],
        lazy: [
          [
            claim,
            `        first = key not in self.slots
        if first:
            self.slots.setdefault(key, Slot())
        slot = self.slots[key]
`,
          ],
        ],
        check: text`
          for _ in range(5):
              keys = [rng.choice(["a", "b"]) for _ in range(6)] + ["a", "b"]
              got = interleaved("${file}", LOADS + "made = module.${cls}(load)\nanswers = at_once(*[lambda key=key: made.${get}(key) for key in values['keys']])\nanswer([answers, sorted(begun)])", keys=keys)
              same(got, [[key * 2 for key in keys], ["a", "b"]], f"eight threads asking for {keys}: their values, and what was made")
        `,
      },
      {
        name: "apart",
        promise: "The values of different keys are made at the same time: no key waits for another one.",
        told: "While one value is made, nobody gets any other.",
        open: [[fill, "            with self.making:\n                self._fill(key, slot)\n"], [start, `${start}        self.making = threading.Lock()\n`]], // prettier-ignore
        half: [[fill, "            with self.making:\n                self._fill(key, slot)\n"], [start, `${start}        self.making = threading.Semaphore(2)\n`]], // prettier-ignore
        lazy: [[fill, "            with self.making:\n                self._fill(key, slot)\n"], [start, `${start}        self.making = threading.RLock()\n`]], // prettier-ignore
        check: text`
          for _ in range(2):
              keys = rng.sample(["a", "b", "c", "d"], 3)
              meeting = "met = threading.Barrier(3)\n\n\ndef load(key):\n    met.wait(10)\n    return key * 2\n\n\n"
              got = interleaved("${file}", meeting + "made = module.${cls}(load)\nanswer(at_once(*[lambda key=key: made.${get}(key) for key in values['keys']], seconds=14))", keys=keys)
              same(got, [key * 2 for key in keys], "three keys whose values can only be made at the same time")
        `,
      },
      {
        name: "failures",
        promise: `When making a value fails, all calls that wait for it end with that exception, or with a value that was made after it; none waits for ever, and a call that comes later has the value made again.`,
        told: "After an error some threads wait for ever.",
        open: [
          [filling, `        slot.value = self.${load}(key)
        slot.done.set()`], // prettier-ignore
        ],
        half: [
          [
            filling,
            `        try:
            slot.value = self.${load}(key)
        except Exception as error:
            slot.error = error
        finally:
            slot.done.set()`,
          ],
        ],
        lazy: [
          [
            filling,
            `        try:
            slot.value = self.${load}(key)
        except Exception:
            with self.lock:
                self.slots.pop(key, None)
            raise
        slot.done.set()`,
          ],
        ],
        check: text`
          for _ in range(3):
              failing = "tries = []\n\n\ndef load(key):\n    tries.append(key)\n    time.sleep(0.2)\n    if len(tries) <= values['fails']:\n        raise KeyError(key)\n    return key * 2\n\n\n"
              rest = "made = module.${cls}(load)\nfirst = at_once(*[lambda: made.${get}('a')] * 5, seconds=8)\nlater = []\nfor _ in range(6):\n    later += at_once(lambda: made.${get}('a'), seconds=8)\nanswer([first, later, len(tries), made.${counts}()])"
              got = interleaved("${file}", failing + rest, fails=rng.choice([1, 2]))
              expect(got != "stuck", "calls wait for ever after a failure")
              first, later, tries, counted = got
              expect(set(first) <= {"raised KeyError", "aa"} and "raised KeyError" in first, f"five calls of which the first try fails: {first}")
              same(later[-3:] + [counted], ["aa"] * 3 + [[11, 1]], "calls after a failure, and the counts")
        `,
      },
      {
        name: "counting",
        easy: true,
        promise: `No call is missing in \`${counts}()\`.`,
        told: `The numbers of \`${counts}\` are too small.`,
        open: [[count, "        self.asked += 1\n"]],
        half: [
          [
            count,
            "        if key in self.slots:\n            with self.lock:\n                self.asked += 1\n        else:\n            self.asked += 1\n",
          ],
        ],
        lazy: [[count, "        asked = self.asked\n        self.asked = asked + 1\n"]],
        check: text`
          for _ in range(4):
              keys = [[rng.choice("abcd") + str(turn) + str(thread) for turn in range(6)] for thread in range(6)]
              got = interleaved("${file}", "made = module.${cls}(lambda key: key)\nat_once(*[lambda keys=keys: [made.${get}(key) for key in keys] for keys in values['keys']])\nanswer(made.${counts}())", keys=keys)
              same(got, [36, len({key for row in keys for key in row})], "calls and keys after six calls in each of six threads")
        `,
      },
    ],
    common: text`
      ${interleaved}

      LOADS = ${JSON.stringify(LOADS)}
    `,
    alone: text`
      failing = "def load(key):\n    begun.append(key)\n    if key == 'bad' and begun.count(key) < 3:\n        raise ValueError(key)\n    return '' if key == 'nothing' else key * 2\n\n\nbegun = []\n"
      script = "made, got = module.${cls}(load), []\nfor key in values['keys']:\n    try:\n        got.append(made.${get}(key))\n    except ValueError:\n        got.append('failed')\nanswer([got, begun, made.${counts}()])"
      keys = rng.sample(["a", "b", "a", "c", "bad", "bad", "bad", "bad", "b", "nothing", "nothing"], 11)
      wanted, begun, done = [], [], set()
      for key in keys:
          if key not in done:
              begun.append(key)
          fails = key == "bad" and begun.count(key) < 3
          wanted.append("failed" if fails else "" if key == "nothing" else key * 2)
          if not fails:
              done.add(key)
      same(interleaved("${file}", failing + script, keys=keys), [wanted, begun, [len(keys), len(done)]], f"one after the other: {keys}")
    `,
    attempt: `python3 -c 'from ${file.replace(".py", "")} import ${cls}; made = ${cls}(str.upper); print(made.${get}("a"), made.${get}("a"), made.${counts}())'`,
  };
}
