import type { Draw } from "../draw.ts";
import type { RuleBook } from "../rule-book.ts";
import { an, text } from "../text.ts";
import { goods, people } from "../words.ts";
import { jsonCompare, jsonIntro } from "./frame.ts";

/** Two lists joined: who ordered how much. */
export function orders(d: Draw): RuleBook {
  const [who, whos, deal, deals] = d.pick([["customer", "customers", "order", "orders"], ["shop", "shops", "delivery", "deliveries"], ["member", "members", "purchase", "purchases"], ["agent", "agents", "sale", "sales"]] as const); // prettier-ignore
  const [count, price] = [d.pick(["count", "pieces", "amount"]), d.pick(["price", "cents", "cost"])];
  const lines = d.pick(["lines", "items", "positions"]);
  const file = `${d.pick(["join", "summary", "per", "collect"])}_${whos}.py`;
  const byTotal = d.chance(0.5);
  const sample = {
    [whos]: d.some(people, 4).map((name, i) => ({ id: i + 1, name })),
    [deals]: Array.from({ length: d.int(3, 6) }, (_, i) => ({
      id: 100 + i,
      [who]: d.int(1, 3),
      [lines]: Array.from({ length: d.int(1, 3) }, () => ({ product: d.pick(goods), [count]: d.int(1, 9), [price]: d.int(1, 500) })),
    })),
  };
  return {
    file,
    intro: jsonIntro(file, sample, `It joins the ${deals} to their ${whos}.`),
    base: [
      {
        name: "shape",
        asked: `It prints a JSON array with one object for each ${who}, \`{"name": …, "${deals}": …, "total": …}\`: the name, the number of ${deals} of this ${who}, and the sum of \`${count}\` times \`${price}\` over all \`${lines}\` of these ${deals}.`,
        mistake: [`pieces * int(line["${price}"])`, `int(line["${price}"])`],
      },
      { name: "idle", asked: `Any ${who} without ${deals} is there as well, with 0 and 0.`, mistake: ["list(rows.values())", `[row for row in rows.values() if row["${deals}"]]`] }, // prettier-ignore
      {
        name: "order",
        asked: byTotal
          ? "The objects with the largest total come first; those with equal totals are sorted by name (by code points)."
          : "The objects are sorted by name (by code points).",
        mistake: ["result.sort(key", "sorted(result, key"],
        half: byTotal ? { "leaves-equal-ones-as-they-come": { swap: ['(-row["total"], row["name"])', '-row["total"]'] } } : { "sorts-without-capitals": { swap: ['key=lambda row: row["name"]', 'key=lambda row: row["name"].lower()'] } }, // prettier-ignore
      },
    ],
    more: [
      { name: "strings", asked: `\`${count}\` and \`${price}\` may be strings of digits, such as \`"12"\`; they mean the numbers.`, mistake: ["pieces = int(pieces)", "pieces = pieces"] }, // prettier-ignore
      {
        name: "missing",
        asked: `Where \`${count}\` is missing or null, it is 1.`,
        mistake: ["1 if pieces is None", "0 if pieces is None"],
        half: { "takes-zero-for-none": { swap: ["1 if pieces is None", "1 if not pieces"] } },
      },
      { name: "empty", asked: `\`${lines}\` may be missing or null; such ${an(deal)} counts, with a total of 0.`, mistake: [`.get("${lines}") or []`, `["${lines}"]`] }, // prettier-ignore
      { name: "ids", asked: `An id of ${an(who)} may be a number in one place and a string in another: \`7\` and \`"7"\` are the same.`, mistake: [`str(deal["${who}"])`, `deal["${who}"]`] }, // prettier-ignore
      {
        name: "unicode",
        asked: "Letters outside of ASCII are printed as they are, not as `\\u` escapes.",
        mistake: [", ensure_ascii=False", ""],
      },
      {
        name: "repeated",
        asked: `Where the \`id\` of ${an(deal)} (always a number) comes again in the list, the later ${deal} replaces the earlier one, whosever that was.`,
        mistake: ['latest[deal["id"]] = deal', 'latest.setdefault(deal["id"], deal)'],
      },
      {
        name: "cancelled",
        asked: `No ${deal} with \`"cancelled": true\` counts at all; one with \`false\` or without this key does. What it replaces does not count either.`,
        mistake: ['if deal.get("cancelled"):', 'if "cancelled" in deal:'],
        hard: true,
      },
      { name: "namesakes", asked: `Several of the ${whos} with equal names are one: there is one object for all of them together.`, mistake: ['key = person["name"]', 'key = str(person["id"])'], hard: true }, // prettier-ignore
      {
        name: "unknown",
        asked: `The ${deals} of ${whos} that are not in the list are summed up in an object with the name null. It stands behind all others, and only where there are such ${deals}.`,
        mistake: ["if strays[0]:", "if False:"],
        hard: true,
      },
    ],
    spare: ["strings", "missing", "empty", "ids", "unicode", "namesakes", "unknown"],
    source: () => text`
      import json
      import sys

      with open(sys.argv[1], encoding="utf-8") as file:
          data = json.load(file)


      def total(deal):
          result = 0
          for line in deal.get("${lines}") or []:
              pieces = line.get("${count}")
              pieces = 1 if pieces is None else pieces
              pieces = int(pieces)
              result += pieces * int(line["${price}"])
          return result


      rows, keys, strays = {}, {}, [0, 0]
      for person in data["${whos}"]:
          key = person["name"]
          keys[str(person["id"])] = key
          rows.setdefault(key, {"name": person["name"], "${deals}": 0, "total": 0})
      latest = {}
      for deal in data["${deals}"]:
          latest[deal["id"]] = deal
      for deal in latest.values():
          if deal.get("cancelled"):
              continue
          key = keys.get(str(deal["${who}"]))
          if key is None:
              strays = [strays[0] + 1, strays[1] + total(deal)]
          else:
              rows[key]["${deals}"] += 1
              rows[key]["total"] += total(deal)
      result = list(rows.values())
      result.sort(key=lambda row: ${byTotal ? '(-row["total"], row["name"])' : 'row["name"]'})
      if strays[0]:
          result.append({"name": None, "${deals}": strays[0], "total": strays[1]})
      print(json.dumps(result, ensure_ascii=False))
    `,
    compare: () =>
      jsonCompare(
        file,
        text`
        NAMES = ${JSON.stringify(people)}


        def drawn(active):
            pool = NAMES + (["Zoë", "Ümit", "Ines Ç", "東 京"] if "unicode" in active else [])
            names = rng.sample(pool, 3)
            if "order" in active:
                # Two without any, one of them behind all others for who does not go by code points.
                names += ["Zora", "Quinn", rng.choice([name for name in pool if name not in names])]
            if "unicode" in active:
                names.append(rng.choice([name for name in pool[len(NAMES) :] if name not in names]))
            if "namesakes" in active:
                names += names[:1]
            rng.shuffle(names)
            kind = (lambda value: rng.choice([value, str(value)])) if "ids" in active else (lambda value: value)
            people = [{"id": kind(i), "name": name} for i, name in enumerate(names, 7)]
            ids = list(range(7, 7 + len(names))) + ([98, 99] if "unknown" in active else [])
            idle = rng.sample(ids[: len(names)], 3 if "order" in active else 1)
            ids = [i for i in ids if i not in idle]
            deals, truth = [], {}
            quiet = rng.random() < 0.3
            for number in range(rng.randint(3, 14)):
                owner = ids[number % len(ids)]
                deal, total = {"id": number, "${who}": kind(owner), "${lines}": []}, 0
                if active & {"repeated", "cancelled"} and "repeated" in RULES and number and rng.random() < 0.5:
                    deal["id"] = rng.randrange(number)
                for _ in range(rng.randint(1, 4)):
                    pieces, each = rng.choice([2, 3, 11, rng.randint(2, 40)]), rng.choice([100, 250, rng.randint(1, 999)])
                    line = {"product": rng.choice(["bolt", "lamp"]), "${count}": pieces, "${price}": each}
                    if "missing" in active and rng.random() < 0.5:
                        line["${count}"], pieces = None, 1
                        if rng.random() < 0.5:
                            del line["${count}"]
                    elif "missing" in active and rng.random() < 0.3:
                        line["${count}"] = pieces = 0
                    if "strings" in active:
                        for name in line:
                            if isinstance(line[name], int) and rng.random() < 0.6:
                                line[name] = str(line[name])
                    deal["${lines}"].append(line)
                    total += pieces * each
                if "empty" in active and rng.random() < 0.4:
                    deal["${lines}"], total = None, 0
                    if rng.random() < 0.5:
                        del deal["${lines}"]
                cancelled = "cancelled" in active and (rng.random() < 0.4 or owner > 90 and quiet)
                if cancelled or ("cancelled" in active and rng.random() < 0.5):
                    deal["cancelled"] = cancelled
                deals.append(deal)
                truth[deal["id"]] = None if cancelled else (owner, total)
            kept = [(names[owner - 7] if owner < 90 else None, total) for owner, total in filter(None, truth.values())]
            wanted = [{"name": name, "${deals}": sum(of == name for of, _ in kept), "total": sum(total for of, total in kept if of == name)} for name in [*set(names), None]]
            stray = wanted.pop()
            wanted.sort(key=lambda row: (${byTotal ? '-row["total"], ' : ""}row["name"]))
            return {"${whos}": people, "${deals}": deals}, wanted + ([stray] if stray["${deals}"] else [])
      `,
      ),
    app: () => ({ "example.json": JSON.stringify(sample, null, 2) }),
    look: "cat example.json",
    attempt: `python3 ${file} example.json`,
  };
}
