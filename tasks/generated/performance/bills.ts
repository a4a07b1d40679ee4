import type { Draw } from "../draw.ts";
import { text } from "../text.ts";
import { cities, goods } from "../words.ts";
import type { SlowProgram } from "./slow-program.ts";

/** Lists that are searched again and again: partners by number, repeats, names in the order in which they came. */
export function bills(d: Draw): SlowProgram {
  const [customer, order, refund, product] = d.pick([
    ["customer", "order", "refund", "product"],
    ["member", "loan", "reminder", "book"],
    ["site", "visit", "complaint", "crew"],
  ] as const);
  const file = `${order}_${d.pick(["report", "sheet", "summary", "bill"])}.py`;
  const nobody = d.pick(["?", "nobody", "unknown"]);
  const source = text`
    import sys
    from collections import Counter


    def read(lines):
        people, entries, returned = [], [], []
        for line in lines:
            kind, *fields = line.split()
            if kind == "${customer}":
                people.append(fields)
            elif kind == "${order}":
                entries.append(fields)
            elif kind == "${refund}":
                returned.append(fields[0])
        return people, entries, returned


    def partners(people, entries):
        """The city of each entry's partner: of several with the same number, the first counts."""
        city_of = {}
        for number, city in people:
            city_of.setdefault(number, city)
        return [city_of.get(entry[1], "${nobody}") for entry in entries]


    def repeats(returned, entries):
        """How often each entry was returned."""
        times = Counter(returned)
        return [times[entry[0]] for entry in entries]


    def kinds(entries):
        """The kinds of entries, in the order in which each came for the first time."""
        return list(dict.fromkeys(entry[2] for entry in entries))


    def main():
        people, entries, returned = read(sys.stdin)
        rows = zip(entries, partners(people, entries), repeats(returned, entries))
        for entry, city, times in rows:
            print(entry[0], city, times)
        print("${product}s", *kinds(entries))


    main()
  `;
  const lookup = `    city_of = {}
    for number, city in people:
        city_of.setdefault(number, city)
    return [city_of.get(entry[1], "${nobody}") for entry in entries]`;
  const counting = "    times = Counter(returned)\n    return [times[entry[0]] for entry in entries]";
  const distinct = "    return list(dict.fromkeys(entry[2] for entry in entries))";
  const many = (d.int(22, 24) * 1000).toLocaleString("en-US");
  const count = many.replace(",", "");
  const few = (d.int(13, 14) * 1000).toLocaleString("en-US");
  const half = few.replace(",", "");
  return {
    file,
    promises: [
      `The input has lines \`${customer} NUMBER CITY\`, \`${order} NUMBER ${customer.toUpperCase()} ${product.toUpperCase()}\` and \`${refund} ${order.toUpperCase()}\` in any order; no field holds a space.`,
      `For each ${order}, in the order of the input, it prints its number, the city of its ${customer} and how many ${refund} lines name it, separated by spaces.`,
      `Of several lines of the same ${customer} the first one counts; where there is none, the city is \`${nobody}\`.`,
      `The last line is \`${product}s\` and then each ${product} that an ${order} names, once, in the order in which they came first.`.replace(
        /an ([lv])/,
        "a $1",
      ),
    ],
    source,
    stages: [
      {
        name: "partners",
        load: `${few} ${customer} lines and ${few} ${order} lines, each ${order} of some ${customer}`,
        slow: [
          [
            lookup,
            `    cities = []
    for entry in entries:
        for number, city in people:
            if number == entry[1]:
                cities.append(city)
                break
        else:
            cities.append("${nobody}")
    return cities`,
          ],
        ],
        hardly: [
          [
            lookup,
            `    numbers = [number for number, _ in people]
    return [people[numbers.index(entry[1])][1] if entry[1] in numbers else "${nobody}" for entry in entries]`,
          ],
        ],
        hasty: [[lookup, `    city_of = dict(people)\n    return [city_of.get(entry[1], "${nobody}") for entry in entries]`]],
        input: text`
          numbers = [f"c{number}" for number in rng.sample(range(10**6), ${half})]
          lines = [f"${customer} {number} {rng.choice(['riga', 'cork'])}" for number in numbers]
          lines += [f"${order} o{number} {rng.choice(numbers)} lamp" for number in range(${half})]
          return "\n".join(lines) + "\n"
        `,
      },
      {
        name: "repeats",
        load: `${few} ${order} lines and ${few} ${refund} lines, with few ${customer} lines`,
        slow: [[counting, "    return [returned.count(entry[0]) for entry in entries]"]],
        hardly: [
          [
            counting,
            "    once = list(dict.fromkeys(returned))\n    return [returned.count(entry[0]) if entry[0] in once else 0 for entry in entries]",
          ],
        ],
        hasty: [[counting, "    there = set(returned)\n    return [1 if entry[0] in there else 0 for entry in entries]"]],
        input: text`
          lines = [f"${order} o{number} c1 lamp" for number in range(${half})] + [f"${refund} o{number}" for number in rng.sample(range(${half}), ${half} * 9 // 10)]
          lines += [f"${refund} o{rng.randrange(${half})}" for number in range(${half} // 10)]
          return "\n".join(lines) + "\n"
        `,
      },
      {
        name: "kinds",
        load: `${many} ${order} lines, each with a ${product} of its own, and no other lines`,
        slow: [
          [
            distinct,
            "    found = []\n    for entry in entries:\n        if entry[2] not in found:\n            found.append(entry[2])\n    return found",
          ],
        ],
        hardly: [
          [
            distinct,
            "    names = [entry[2] for entry in entries]\n    return [name for i, name in enumerate(names) if name not in names[:i]]",
          ],
        ],
        hasty: [[distinct, "    return sorted({entry[2] for entry in entries})"]],
        input: text`
          names = [f"p{number}" for number in rng.sample(range(10**6), ${count})]
          return "\n".join(f"${order} o{number} c1 {name}" for number, name in enumerate(names)) + "\n"
        `,
      },
    ],
    small: text`
      places, things = ${JSON.stringify(cities.slice(0, 6))}, ${JSON.stringify(goods.slice(0, 6))}
      lines = [f"${customer} c{rng.randint(1, 4)} {rng.choice(places)}" for _ in range(rng.randint(3, 8))]
      lines += [f"${order} o{number} c{rng.randint(1, 5)} {rng.choice(things)}" for number in range(rng.randint(3, 9))]
      lines += [f"${refund} o{rng.randint(0, 9)}" for _ in range(rng.randint(2, 8))] + ["${refund} o1", "${refund} o1"]
      lines += ["${customer} c1 zzz", "${customer} c1 aaa", "${order} o1 c1 zinc", "${order} o77 c1 amber"]
      rng.shuffle(lines)
      return "\n".join(lines) + "\n"
    `,
    sample: [
      ...d.some(cities, 3).map((city, i) => `${customer} c${i + 1} ${city}`),
      ...d.some(goods, 4).map((name, i) => `${order} o${i + 1} c${d.int(1, 3)} ${name}`),
      `${refund} o${d.int(1, 4)}`,
    ].join("\n"),
  };
}
