import type { Draw } from "../draw.ts";
import type { RuleBook } from "../rule-book.ts";
import { dense, text } from "../text.ts";
import { jsonCompare, jsonIntro } from "./frame.ts";

/** A list of measurements into groups of groups. */
export function readings(d: Draw): RuleBook {
  const [list, thing, place, places] = d.pick([["readings", "sensor", "room", ["hall", "cellar", "attic", "lab"]], ["samples", "probe", "river", ["elbe", "tiber", "loire", "ebro"]], ["scans", "scale", "dock", ["dock-1", "dock-2", "dock-10", "yard"]], ["metrics", "host", "rack", ["r1", "r2", "r3", "r10"]]] as const); // prettier-ignore
  const value = d.pick(["value", "level", "result"]);
  const file = `${d.pick(["group", "digest", "overview", "by"])}_${place}s.py`;
  const nowhere = d.pick(["unknown", "none", "elsewhere"]);
  const least = d.int(2, 3);
  const moments = d.some([8, 9, 10, 11, 12, 13], 4).map((hour) => `2026-01-05T${String(hour).padStart(2, "0")}:30:00+00:00`);
  const sample = {
    [list]: moments.map((at) => ({ [thing]: d.pick(["a1", "b2"]), at, [value]: d.int(-9, 40), tags: { [place]: d.pick(places) } })),
  };
  return {
    file,
    intro: jsonIntro(file, sample, `It groups the ${list} by ${place} and ${thing}.`),
    base: [
      {
        name: "shape",
        asked: `It prints a JSON object with a key for each ${place}. Its value is an object with a key for each ${thing} that has ${list} in this ${place}. Its value is an object again: \`{"low": …, "high": …, "last": …}\`.`,
      },
      {
        name: "bounds",
        asked: `\`low\` and \`high\` are the smallest and the largest \`${value}\` of this ${thing} in this ${place}; values are whole numbers.`,
        mistake: ['"low": min(values)', '"low": min([0, *values])'],
      },
      { name: "last", asked: `\`last\` is the \`${value}\` of the latest \`at\`; the list may be in any order.`, mistake: ["sorted(entries.items())", "list(entries.items())"] }, // prettier-ignore
    ],
    more: [
      {
        name: "strings",
        asked: `A \`${value}\` may be a string, such as \`"-12"\`; it means the number.`,
        mistake: [`int(reading["${value}"])`, `reading["${value}"]`],
      },
      {
        name: "nulls",
        asked: `Those of the ${list} whose \`${value}\` is missing or null are left out, and so is a ${thing} or a ${place} that has no others.`,
        mistake: [`if reading.get("${value}") is None:`, `if "${value}" not in reading:`],
        half: { "takes-zero-for-none": { swap: [`if reading.get("${value}") is None:`, `if not reading.get("${value}"):`] } },
      },
      {
        name: "nowhere",
        asked: `Where \`tags\`, or the ${place} in it, is missing or null, the ${place} is \`${nowhere}\`.`,
        mistake: ['(reading.get("tags") or {})', 'reading.get("tags", {})'],
      },
      {
        name: "unicode",
        asked: "Letters outside of ASCII are printed as they are, not as `\\u` escapes.",
        mistake: [", ensure_ascii=False", ""],
      },
      {
        name: "zones",
        asked: "The `at`s carry different offsets from UTC: go by the instants they mean.",
        mistake: ['datetime.fromisoformat(reading["at"])', 'reading["at"]'],
      },
      {
        name: "capitals",
        asked: `The name of a ${thing} may be written in small letters or in capitals, and with spaces around it; it is the same ${thing}, printed in small letters without the spaces.`,
        mistake: [`reading["${thing}"].strip().lower()`, `reading["${thing}"].strip()`],
      },
      {
        name: "repeated",
        asked: `Of ${list} of the same ${thing} at the same instant, in whatever ${place}, only the one that comes last in the list counts.`,
        mistake: ["key = (name, at)", "key = (name, at, where)"],
        hard: true,
      },
      {
        name: "withdrawn",
        asked: `Where the \`${value}\` of that last one is missing or null, none of them counts.`,
        mistake: ["kept.pop(key, None)\n", "pass\n"],
        hard: true,
      },
      {
        name: "few",
        asked: `A ${thing} with fewer than ${least} ${list} that count, over all ${place}s, is left out; so is a ${place} in which nothing is left.`,
        mistake: [`counts[name] < ${least}`, `counts[name] <= ${least}`],
        hard: true,
      },
    ],
    spare: ["strings", "nowhere", "unicode", "zones", "capitals", "few"],
    source: (asks) =>
      dense(text`
      import json
      import sys
      ${asks("few") ? "from collections import Counter\nfrom datetime import datetime" : "from datetime import datetime"}

      with open(sys.argv[1], encoding="utf-8") as file:
          data = json.load(file)
      kept = {}
      for ${asks("repeated") ? "reading in" : "number, reading in enumerate("}${asks("repeated") ? ` data["${list}"]:` : `data["${list}"]):`}
          name = reading["${thing}"]${asks("capitals") ? ".strip().lower()" : ""}
          at = datetime.fromisoformat(reading["at"])
          ${asks("nowhere") ? `where = (reading.get("tags") or {}).get("${place}")\nwhere = "${nowhere}" if where is None else where` : `where = reading["tags"]["${place}"]`}
          ${asks("repeated") ? "key = (name, at)" : "key = number"}
          ${asks("nulls") ? `if reading.get("${value}") is None:\n    ${asks("withdrawn") ? "kept.pop(key, None)\n    continue" : "continue"}` : ""}
          kept[key] = (where, name, at, int(reading["${value}"]))
      ${asks("few") ? "counts = Counter(name for _, name, _, _ in kept.values())\ngroups = {}" : "groups = {}"}
      for where, name, at, value in kept.values():
          ${asks("few") ? `if counts[name] < ${least}:\n    continue` : ""}
          groups.setdefault(where, {}).setdefault(name, {})[at] = value
      for group in groups.values():
          for name, entries in group.items():
              values = [value for _, value in sorted(entries.items())]
              group[name] = {"low": min(values), "high": max(values), "last": values[-1]}
      print(json.dumps(groups, ensure_ascii=False))
    `),
    compare: () =>
      jsonCompare(
        file,
        text`
        from datetime import datetime, timedelta, timezone


        def drawn(active):
            if "withdrawn" in active:
                active = active | {"repeated", "nulls"}
            if "few" in active:
                active = active | ({"nulls"} if rng.random() < 0.5 else set())
            start = datetime(2026, 1, 5, 12, tzinfo=timezone.utc)
            names = ["a1", "b2", "c3"] + (["höhe", "ñu-1"] if "unicode" in active else [])
            document, truth = [], {}
            for number in range(rng.randint(4, 24)):
                name, where, minute, value = rng.choice(names), rng.choice(${JSON.stringify(places)}[: rng.choice([2, 4])]), number * 7 + rng.choice([0, 0, 720]), rng.randint(-20, 60)
                if "unicode" in active and number == 0:
                    name = names[-1]
                if "repeated" in active and truth and rng.random() < 0.4:
                    name, minute = rng.choice(list(truth))
                at = start + timedelta(minutes=minute)
                if "zones" in active:
                    at = at.astimezone(timezone(timedelta(minutes=rng.choice([0, 120, -330, 600]))))
                reading = {"${thing}": name, "at": at.isoformat(), "${value}": value, "tags": {"${place}": where}}
                if "capitals" in active:
                    reading["${thing}"] = rng.choice([name, name.upper(), " " + name, name.title() + " "])
                if "strings" in active and rng.random() < 0.6:
                    reading["${value}"] = str(value)
                if "nowhere" in active and rng.random() < 0.5:
                    where = "${nowhere}"
                    reading.update(rng.choice([{"tags": None}, {"tags": {}}, {"tags": {"${place}": None}}]))
                    if rng.random() < 0.3:
                        del reading["tags"]
                counts = True
                if "nulls" in active and rng.random() < 0.4:
                    counts, reading["${value}"] = False, None
                    if rng.random() < 0.5:
                        del reading["${value}"]
                document.append(reading)
                truth.pop((name, minute), None)
                if counts:
                    truth[name, minute] = (where, value)
            single = []
            if "nulls" in active:
                # One of 0, which is a number, and one of nothing, each the only one of its kind.
                single += [("d4", "annex", [0]), ("e5", "shed", [None])]
            if "few" in active:
                # One that has just enough, in two places, and one that has not.
                single += [("f6", ["annex", "barn"][value % 2], [value]) for value in range(1, ${least + 1})] + [("g7", "tower", [value]) for value in range(1, ${least})]
            for name, where, (value,) in single:
                minute = 3000 + len(document)
                document.append({"${thing}": name, "at": (start + timedelta(minutes=minute)).isoformat(), "${value}": value, "tags": {"${place}": where}})
                if value is not None:
                    truth[name, minute] = (where, value)
            rest = list(truth.items())
            if "few" in RULES:
                rest = [item for item in rest if sum(name == item[0][0] for name, _ in truth) >= ${least}]
            wanted = {}
            for (name, minute), (where, value) in sorted(rest):
                wanted.setdefault(where, {}).setdefault(name, []).append(value)
            if "repeated" not in active:
                rng.shuffle(document)
            wanted = {where: {name: {"low": min(of), "high": max(of), "last": of[-1]} for name, of in group.items()} for where, group in wanted.items()}
            return {"${list}": document}, wanted
      `,
      ),
    app: () => ({ "example.json": JSON.stringify(sample, null, 2) }),
    look: "cat example.json",
    attempt: `python3 ${file} example.json`,
  };
}
