import type { Draw } from "../draw.ts";

/** One small Python module of the tree that is to be moved over: what it does now, and what it has to do then. */
export interface Module {
  /** Name of the file and of its function, without the ending. */
  readonly name: string;
  readonly parameters: string;
  /** Bodies of the function, from `    ` on; the first is what stands there now. */
  readonly now: string;
  readonly after: string;
  /** A body that follows the list only at first sight. */
  readonly almost: string;
  /** What changes, as a sentence of the list. */
  readonly change: string;
  /** Python: an expression that draws the arguments, as a list. */
  readonly inputs: string;
  /** Python: a list of such arguments at the edges of what changes; on the first one the function answers something else than before. */
  readonly edges: string;
}

/** All modules there are; numbers and signs vary with the draws. */
export function modules(d: Draw): Module[] {
  const rate = d.pick([5, 7, 12, 19]);
  const least = d.int(2, 6);
  const sign = d.pick(["-", "_", "."]);
  const width = d.int(4, 7);
  const words = `["".join(rng.choice("abcXY  -") for _ in range(rng.randint(0, 12)))]`;
  // Without the signs that join: an entry says what separates words, and the rest of a title is letters and digits.
  const titles = `["".join(rng.choice("abcXY7   ") for _ in range(rng.randint(0, 12)))]`;
  const numbers = "[[rng.randint(-9, 30) for _ in range(rng.randint(0, 7))]]";
  const several = `[[rng.randint(-9, 30) for _ in range(rng.randint(0, ${4 * least}))]]`;
  return [
    { name: "slug", parameters: "title", now: 'return title.lower().replace(" ", "+")', after: `return "${sign}".join(title.lower().split())`, almost: `return title.lower().replace(" ", "${sign}")`, change: `it answers the words in small letters, joined by \`${sign}\`: one between two words however many spaces there are, none at the ends`, inputs: titles, edges: '[["Two  Words "], [" a"], ["a b"], ["  "], [""], ["XY"]]' }, // prettier-ignore
    { name: "gross", parameters: "cents", now: "return cents", after: `return (cents * ${100 + rate} + 50) // 100`, almost: `return cents * ${100 + rate} // 100`, change: `it adds ${rate} percent, rounded to whole cents, half a cent up (towards more, for amounts below 0 too)`, inputs: "[rng.choice([rng.randint(0, 5000), 50 * rng.randint(0, 99), 10 * rng.randint(0, 99)])]", edges: "[[50], [150], [10], [30], [70], [0], [-10], [-50], [-150], [3], [999]]" }, // prettier-ignore
    { name: "middle", parameters: "numbers", now: "return sorted(numbers)[0] if numbers else None", after: "ranked = sorted(numbers)\n    return ranked[(len(ranked) - 1) // 2] if ranked else None", almost: "ranked = sorted(numbers)\n    return ranked[len(ranked) // 2] if ranked else None", change: "it answers the middle of the numbers by size, the smaller one where two are in the middle, and None where there are no numbers", inputs: numbers, edges: "[[[3, 1, 2, 2]], [[]], [[5, 4]], [[7]], [[1, 2, 3]], [[4, 3, 2, 1]], [[-1, 5, 5, 9, 0, 2]]]" }, // prettier-ignore
    { name: "initials", parameters: "person", now: 'return person[:1]', after: 'return "".join(part[0].upper() for part in person.replace("-", " ").split())', almost: 'return "".join(part[0].upper() for part in person.split())', change: "it answers the first letters of all parts as capitals; spaces and hyphens separate parts", inputs: words, edges: '[["ada b-c"], [""], [" -"], ["-x y"], ["X--b  c "]]' }, // prettier-ignore
    { name: "clamp", parameters: "number", now: "return number", after: `return max(-${least}, min(${least * 10}, number))`, almost: `return max(0, min(${least * 10}, number))`, change: `what is below \`-${least}\` becomes \`-${least}\`, what is above \`${least * 10}\` becomes \`${least * 10}\``, inputs: "[rng.randint(-20, 99)]", edges: `[[-${least + 1}], [-${least}], [${least * 10}], [${least * 10 + 1}], [0], [-1], [1]]` }, // prettier-ignore
    { name: "ranking", parameters: "points", now: "return sorted(points)", after: "return [name for name, _ in sorted(points.items(), key=lambda item: (-item[1], item[0]))]", almost: "return sorted(points, key=points.get, reverse=True)", change: "it answers the names with the most points first, equal ones in alphabetical order", inputs: "[{name: rng.randint(1, 4) for name in rng.sample(['ada', 'leo', 'mina', 'zoe', 'kim', 'bo'], rng.randint(0, 6))}]", edges: '[[{"zoe": 1, "leo": 2, "ada": 2, "kim": 3, "bo": 2}], [{}], [{"bo": 1, "ada": 1}]]' }, // prettier-ignore
    { name: "pages", parameters: "items", now: "return items // 10", after: `return -(-items // ${width})`, almost: `return items // ${width} + 1`, change: `${width} items fill a page; a page that is not full counts, and without items there is none`, inputs: `[rng.choice([rng.randint(0, 60), ${width} * rng.randint(0, 9)])]`, edges: `[[1], [0], [${width}], [${width + 1}], [${2 * width}], [9]]` }, // prettier-ignore
    { name: "mask", parameters: "number", now: "return number", after: `return "*" * (len(number) - ${least}) + number[-${least}:]`, almost: `return "****" + number[-${least}:]`, change: `all but the last ${least} characters become \`*\`, and shorter texts stay as they are`, inputs: '["".join(rng.choice("0123456789") for _ in range(rng.randint(1, 14)))]', edges: `[["123456789"], [""], ["1"], ["${"1234567".slice(0, least)}"], ["${"1234567".slice(0, least + 1)}"], ["12345678901234"]]` }, // prettier-ignore
    { name: "merge", parameters: "old, new", now: "return {**new, **old}", after: "return {key: value for key, value in {**old, **new}.items() if value is not None}", almost: "return {**old, **{key: value for key, value in new.items() if value is not None}}", change: "the new values win, and keys whose value is None after that are left out", inputs: "[{key: rng.choice([1, 2, None]) for key in rng.sample('abcd', 2)}, {key: rng.choice([3, None]) for key in rng.sample('abcd', 2)}]", edges: "[[{'a': 1, 'b': 1}, {'a': 3, 'b': None}], [{'a': None, 'b': 1}, {'c': 3}], [{'a': None}, {'a': 1}], [{}, {'a': None}], [{}, {}], [{'a': 0}, {}]]" }, // prettier-ignore
    { name: "chunks", parameters: "items", now: "return [items]", after: `return [items[i : i + ${least}] for i in range(0, len(items), ${least})]`, almost: `return [items[i : i + ${least}] for i in range(0, len(items) - ${least} + 1, ${least})]`, change: `it answers lists of ${least} items each, the last one with what is left`, inputs: several, edges: `[[[1, 2, 3, 4, 5, 6, 7, 8]], [[]], [[5]], [[1, 2, 3, 4, 5, 6]], [[1, 2, 3, 4]], [[1, 1, 1, 1, 1]], [[0, 0, 0]], [[2, 1]], [list(range(${3 * least}))], [list(range(${4 * least + 1}))]]` }, // prettier-ignore
    { name: "duration", parameters: "seconds", now: "return str(seconds)", after: 'return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"', almost: 'return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"', change: "it answers `H:MM:SS`, the hours with as many digits as they need (`0:04:09`, `30:00:00`)", inputs: "[rng.choice([rng.randint(0, 400), rng.randint(0, 200000)])]", edges: "[[249], [0], [9], [60], [3599], [3600], [36000], [108000], [360000]]" }, // prettier-ignore
    { name: "unique", parameters: "items", now: "return sorted(set(items))", after: "return list(dict.fromkeys(reversed(items)))[::-1]", almost: "return list(dict.fromkeys(items))", change: "each item stays once, at the place where it comes last", inputs: "[[rng.choice('abcde') for _ in range(rng.randint(0, 9))]]", edges: "[[list('abac')], [[]], [list('abab')], [list('cbaab')]]" }, // prettier-ignore
    { name: "change", parameters: "before, after", now: "return after - before", after: 'return f"{after - before:+d}" if after != before else "0"', almost: 'return f"{after - before:+d}"', change: "it answers a text with the sign (`+3`, `-12`), and `0` without one where nothing changes", inputs: "[rng.randint(0, 4), rng.randint(0, 4)]", edges: "[[1, 4], [4, 1], [2, 2], [0, 0], [-3, -3], [0, 12], [12, 0]]" }, // prettier-ignore
  ];
}
