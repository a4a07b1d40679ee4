import type { Draw } from "../draw.ts";
import { text } from "../text.ts";
import { processes } from "./processes.ts";
import type { FlawedProgram } from "../flawed-program.ts";

/** A file that several processes change: updates lost, a file half written, a lock that a killed process leaves behind. */
export function tally(d: Draw): FlawedProgram {
  const thing = d.pick(["votes", "stock", "hits", "points"]);
  const file = `${d.pick(["count", "add", "note", "record"])}_${thing}.py`;
  const data = `${thing}.json`;
  const source = text`
    import fcntl
    import json
    import os
    import sys
    import tempfile

    DATA = "${data}"


    def read():
        if not os.path.exists(DATA):
            return {}
        with open(DATA, encoding="utf-8") as file:
            return json.load(file)


    def write(table):
        handle, draft = tempfile.mkstemp(dir=".", prefix=".${thing}-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(table, file)
        os.replace(draft, DATA)


    def locked():
        lock = open(".${thing}.lock", "a")
        fcntl.flock(lock, fcntl.LOCK_EX)
        return lock


    def unlock(lock):
        lock.close()


    def main():
        name, number = sys.argv[1], int(sys.argv[2])
        lock = locked()
        table = read()
        table[name] = table.get(name, 0) + number
        write(table)
        unlock(lock)
        print(name, table[name])


    main()
  `;
  const begin = "    lock = locked()\n    table = read()\n";
  const end = "    write(table)\n    unlock(lock)\n";
  const locking = `    lock = open(".${thing}.lock", "a")
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock
`;
  const writing = `    handle, draft = tempfile.mkstemp(dir=".", prefix=".${thing}-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(table, file)
    os.replace(draft, DATA)
`;
  const plainly = `    with open(DATA, "w", encoding="utf-8") as file:
        json.dump(table, file)
`;
  const waiting = `    while True:
        try:
            return os.open(".${thing}.busy", os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            time.sleep(0.01)
`;
  const patient = `    while True:
        try:
            return os.open(".${thing}.busy", os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            if os.path.getmtime(".${thing}.busy") < time.time() - 30:
                os.remove(".${thing}.busy")
            time.sleep(0.01)
`;
  const removing: readonly [string, string] = ["    lock.close()\n", `    os.close(lock)\n    os.remove(".${thing}.busy")\n`];
  const timed: readonly [string, string] = ["import tempfile\n", "import tempfile\nimport time\n"];
  return {
    file,
    about: `\`${file}\` counts in the file \`${data}\` of the working directory, and many processes call it at once.`,
    uses: [
      `\`python3 ${file} NAME NUMBER\` adds a whole number, which may be negative, to what is counted under a name, prints the name and the new number, separated by a space, and ends.`,
      `\`${data}\` is a JSON object from names to numbers; without the file nothing has been counted yet.`,
    ],
    source,
    flaws: [
      {
        name: "together",
        easy: true,
        promise: "When many processes call it at once, each call counts, and each prints the number as it was right after it was added.",
        told: "When several processes call it at once, some of what they add is missing.",
        open: [[begin, "    table = read()\n    lock = locked()\n"]],
        half: [[end, "    unlock(lock)\n    write(table)\n"]],
        lazy: [[begin, "    table = dict(read())\n    lock = locked()\n"]],
        check: text`
          for there in (True, False):
              place = copy_of_app()
              start = {name: rng.randint(1, 50) for name in rng.sample(["a", "b", "c"], 2)}
              if there:
                  put(place, start)
              else:
                  start = {}
                  if os.path.lexists(os.path.join(place, "${data}")):
                      os.remove(os.path.join(place, "${data}"))
              calls = [[rng.choice("abcd"), rng.randint(-9, 30)] for _ in range(12)]
              printed = output(["python3", "-c", SLOWLY + TOGETHER, "${file}"], cwd=place, stdin=json.dumps(calls), timeout=80)
              wanted = dict(start)
              for name, number in calls:
                  wanted[name] = wanted.get(name, 0) + number
              same(table_of(place), wanted, f"from {start}, twelve processes adding {calls}")
              for name in {name for name, _ in calls}:
                  steps = [number for other, number in calls if other == name]
                  reached = sorted(int(line.split()[1]) for line in printed.splitlines() if line.split()[:1] == [name])
                  expect(len(reached) == len(steps) and orders(start.get(name, 0), steps, reached), f"{name}: from {start.get(name, 0)} by {steps} they printed {reached}")
        `,
      },
      {
        name: "whole",
        promise: `Whoever reads \`${data}\` at any moment finds a whole object, and a process that is killed at any moment leaves what was counted before, or that and its own.`,
        told: `After a power cut \`${data}\` was empty.`,
        open: [[writing, plainly]],
        half: [[writing, plainly.replace("json.dump(table, file)", "file.write(json.dumps(table))")]],
        lazy: [
          [
            writing,
            plainly.replace("json.dump(table, file)", "json.dump(table, file)\n        file.flush()\n        os.fsync(file.fileno())"),
          ],
        ],
        check: text`
          for _ in range(2):
              place = copy_of_app()
              start = {name: rng.randint(1, 50) for name in ["a", "b", "c"]}
              number = rng.randint(1, 9)
              put(place, start)
              left = json.loads(output(["python3", "-c", SLOWLY + KILLED, "${file}", "b", str(number)], cwd=place, stdin=json.dumps(start), timeout=100).splitlines()[-1])
              after = {**start, "b": start["b"] + number}
              expect(left["ended"] == after, f"adding {number} to b of {start} made {left['ended']}")
              for found in left["found"]:
                  expect(found in (start, after), f"killed while adding {number} to b of {start}, it left {found}")
        `,
      },
      {
        name: "next",
        promise:
          "After a process was killed at any moment, the next call goes on as if nothing had happened, without anybody tidying up, and within five seconds.",
        told: "After a process was killed, all later ones wait for ever.",
        open: [[locking, waiting], removing, timed],
        half: [[locking, patient], removing, timed],
        lazy: [[locking, waiting.replace("0.01", "0.1")], removing, timed],
        check: text`
          for _ in range(2):
              place = copy_of_app()
              start = {name: rng.randint(1, 50) for name in ["a", "b", "c"]}
              put(place, start)
              waits = json.loads(output(["python3", "-c", SLOWLY + NEXT, "${file}", "b", "5"], cwd=place, stdin=json.dumps(start), timeout=100).splitlines()[-1])
              same(waits, [], "moments at which a killed process kept the next one from its work")
        `,
      },
    ],
    common: processes(data),
    alone: text`
      place, wanted = copy_of_app(), {}
      if os.path.exists(os.path.join(place, "${data}")):
          os.remove(os.path.join(place, "${data}"))
      for _ in range(8):
          name, number = rng.choice(["a", "b", "two words", "-"]), rng.randint(-20, 40)
          wanted[name] = wanted.get(name, 0) + number
          same(output(["python3", "${file}", name, str(number)], cwd=place).split("\n")[0], f"{name} {wanted[name]}", "what it prints")
          same(table_of(place), wanted, "what is counted")
    `,
    app: { [data]: JSON.stringify({ [d.pick(["north", "east"])]: d.int(1, 20), [d.pick(["south", "west"])]: d.int(1, 20) }) },
    attempt: `cp ${data} kept; python3 ${file} north 2; cat ${data}; mv kept ${data}`,
  };
}
