import type { Draw } from "../draw.ts";
import { text } from "../text.ts";
import type { SlowProgram } from "./slow-program.ts";

/** Work done anew for each request: a cost that is counted through, a text that is parsed again, a list that is scanned. */
export function parts(d: Draw): SlowProgram {
  const file = `${d.pick(["workshop", "factory", "kitchen", "yard"])}_${d.pick(["costs", "prices", "book"])}.py`;
  const [price, uses, cost, users, note] = d.pick([
    ["price", "uses", "cost", "users", "note"],
    ["base", "needs", "total", "above", "label"],
    ["set", "takes", "sum", "where", "tag"],
  ] as const);
  const source = text`
    import sys

    prices, pieces, holders, notes, known = {}, {}, {}, {}, {}


    def set_price(part, cents):
        prices[part] = int(cents)
        known.clear()


    def set_use(part, piece):
        pieces.setdefault(part, []).append(piece)
        holders.setdefault(piece, []).append(part)
        known.clear()


    def cost(part):
        """Its own price and the cost of each piece, as often as it is used."""
        if part in known:
            return known[part]
        known[part] = prices.get(part, 0) + sum(cost(piece) for piece in pieces.get(part, []))
        return known[part]


    def users(piece):
        """Which parts use a piece, as often as they do."""
        return holders.get(piece, [])


    def set_note(part, words):
        for entry in words.split(";"):
            key, _, value = entry.partition("=")
            notes[part, key] = value


    def read_note(part, key):
        return notes.get((part, key), "-")


    def main():
        for line in sys.stdin:
            verb, *fields = line.split()
            if verb == "${price}":
                set_price(*fields)
            elif verb == "${uses}":
                set_use(*fields)
            elif verb == "${cost}":
                print(cost(*fields))
            elif verb == "${users}":
                print(*users(*fields))
            elif verb == "${note}":
                set_note(*fields)
            elif verb == "read":
                print(read_note(*fields))


    main()
  `;
  const memo = "    if part in known:\n        return known[part]\n";
  const holding = "    return holders.get(piece, [])";
  const saying = "    holders.setdefault(piece, []).append(part)\n";
  const keeping = `    for entry in words.split(";"):
        key, _, value = entry.partition("=")
        notes[part, key] = value`;
  const reading = '    return notes.get((part, key), "-")';
  const depth = d.int(21, 22);
  const many = d.int(11, 12) * 1000;
  const said = many.toLocaleString("en-US");
  const raw = '    notes[part] = notes.get(part, "") + ";" + words';
  return {
    file,
    promises: [
      `\`${price} PART CENTS\` sets the price of a part, which is 0 till then; \`${uses} PART PIECE\` says that a part uses a piece, once more each time it is said. No part is used by itself, not even through others.`,
      `\`${cost} PART\` prints the part's own price plus the cost of every piece that it uses, as often as it uses it, as it is at this moment.`,
      `\`${users} PIECE\` prints the parts that use a piece, in the order in which that was said and as often as it was, separated by spaces: an empty line where there is none.`,
      `\`${note} PART KEY=VALUE;KEY=VALUE…\` notes values about a part, and \`read PART KEY\` prints the value noted last, or \`-\`. A KEY without \`=\` has an empty value, and a VALUE may hold \`=\`.`,
      "Requests stand one on each line, fields separated by a space; no field holds a space. Prices and uses change at any time.",
    ],
    source,
    stages: [
      {
        name: "costs",
        load: `\`${cost}\` where ${depth} parts each use the next one twice, asked after each of several changes of a price`,
        slow: [[memo, ""]],
        hardly: [[memo, "    if not pieces.get(part):\n        return prices.get(part, 0)\n"]],
        hasty: [["    prices[part] = int(cents)\n    known.clear()", "    prices[part] = int(cents)"]],
        input: text`
          names = [f"n{number}" for number in rng.sample(range(10**6), ${depth + 1})]
          lines = [f"${uses} {a} {b}" for a, b in zip(names, names[1:]) for _ in range(2)]
          for _ in range(2):
              lines += [f"${price} {rng.choice(names)} {rng.randint(1, 99)}", f"${cost} {names[2]}"]
          return "\n".join(lines + [f"${cost} {names[0]}"]) + "\n"
        `,
      },
      {
        name: "users",
        load: `${said} lines \`${uses}\` followed by ${said} lines \`${users}\`, of as many different pieces`,
        slow: [
          [saying, "    holders.setdefault(None, []).append((part, piece))\n"],
          [holding, "    return [part for part, used in holders.get(None, []) if used == piece]"],
        ],
        hardly: [
          [saying, "    holders.setdefault(None, []).append((part, piece))\n"],
          [holding, "    pairs = [pair for pair in holders.get(None, []) if pair[1] == piece]\n    return [part for part, _ in pairs]"],
        ],
        hasty: [[holding, "    return list(dict.fromkeys(holders.get(piece, [])))"]],
        input: text`
          names = [f"n{number}" for number in rng.sample(range(10**6), ${many})]
          lines = [f"${uses} top{i} {name}" for i, name in enumerate(names)]
          rng.shuffle(names)
          return "\n".join(lines + [f"${users} {name}" for name in names]) + "\n"
        `,
      },
      {
        name: "notes",
        load: `a few thousand keys noted about one part, followed by a few thousand lines \`read\` about it`,
        slow: [
          [keeping, raw],
          [
            reading,
            `    found = "-"
    for entry in notes.get(part, "").split(";"):
        name, _, value = entry.partition("=")
        if name == key and entry:
            found = value
    return found`,
          ],
        ],
        hardly: [
          [keeping, raw],
          [
            reading,
            `    table = dict(entry.split("=", 1) if "=" in entry else (entry, "") for entry in notes.get(part, "").split(";"))
    return table.get(key, "-")`,
          ],
        ],
        hasty: [[`        key, _, value = entry.partition("=")`, `        key, _, value = entry.rpartition("=")`]],
        input: text`
          keys = [f"k{number}" for number in rng.sample(range(10**6), 3000)]
          lines = ["${note} top " + ";".join(f"{key}={rng.randint(0, 9)}" for key in keys[i : i + 25]) for i in range(0, 3000, 25)]
          return "\n".join(lines + [f"read top {rng.choice(keys)}" for _ in range(5000)]) + "\n"
        `,
      },
    ],
    small: text`
      names, lines = ["a", "b", "c", "d", "e"], []
      for _ in range(rng.randint(15, 40)):
          high, low = sorted(rng.sample(range(5), 2))
          part = rng.choice(names)
          lines.append(
              rng.choice(
                  [
                      f"${price} {part} {rng.randint(0, 50)}",
                      f"${uses} {names[high]} {names[low]}",
                      f"${uses} {names[high]} {names[low]}",
                      f"${cost} {part}",
                      f"${users} {part}",
                      f"${note} {part} x={rng.randint(0, 9)};y={rng.choice(['p=q', '', 'z'])};flag",
                      f"read {part} {rng.choice(['x', 'y', 'flag', 'none'])}",
                  ]
              )
          )
      order = ["${uses} a e", "${uses} b e", "${uses} a e", "${users} e", "${price} e 5", "${cost} a", "${price} e 7", "${cost} a"]
      order += ["${uses} a d", "${price} d 3", "${cost} a", "${uses} d e", "${cost} a", "${users} none", "${cost} none", "read none x"]
      notes = ["${note} a y=p=q;flag", "read a y", "read a flag", "${note} a x=1;x=2", "read a x", "${note} a x=3;z=4", "read a x", "${note} a x", "read a x", "read a q"]
      return "\n".join(lines + order + notes) + "\n"
    `,
    sample: [
      `${price} bolt ${d.int(2, 9)}`,
      `${uses} frame bolt`,
      `${uses} frame bolt`,
      `${cost} frame`,
      `${users} bolt`,
      `${note} frame colour=red;heavy`,
      "read frame colour",
    ].join("\n"),
  };
}
