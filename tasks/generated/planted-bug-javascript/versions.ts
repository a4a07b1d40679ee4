import type { Subject } from "../planted-bug.ts";
import { text } from "../text.ts";

export const versions: Subject = {
  names: ["versions", "newest", "releases"],
  promises: [
    "Each line is `NAME VERSION`; a version is numbers with dots between them, and may have a suffix: all from its first `-` on, such as `-rc` or `-beta-2`.",
    "Numbers are compared as numbers, from the left; a missing number counts as 0, so `1.2` equals `1.2.0`.",
    "A version with a suffix is older than the same one without; suffixes are compared as text, character by character.",
    "For each name, in the order in which the names first appear, it prints `NAME VERSION` with its newest version; of several equal ones, the one that came first.",
  ],
  source: text`
    "use strict";
    const lines = require("node:fs").readFileSync(0, "utf8").split("\n").filter(Boolean);

    function parse(version) {
      const at = version.indexOf("-");
      const numbers = (at < 0 ? version : version.slice(0, at)).split(".").map(Number);
      return { numbers, suffix: at < 0 ? null : version.slice(at) };
    }

    function isNewer(left, right) {
      const [a, b] = [parse(left), parse(right)];
      for (let i = 0; i < Math.max(a.numbers.length, b.numbers.length); i++) {
        const difference = (a.numbers[i] ?? 0) - (b.numbers[i] ?? 0);
        if (difference !== 0) return difference > 0;
      }
      if (a.suffix === null || b.suffix === null) return a.suffix === null && b.suffix !== null;
      return a.suffix > b.suffix;
    }

    const newest = new Map();
    for (const line of lines) {
      const [name, version] = line.split(" ");
      if (!newest.has(name) || isNewer(version, newest.get(name))) newest.set(name, version);
    }
    for (const [name, version] of newest) console.log(name + " " + version);
  `,
  bugs: [
    {
      right: '.split(".").map(Number)',
      wrong: '.split(".")[0].split(".").map(Number)',
      symptom: "only the first number is looked at.",
      input: "bolt 1.2\nbolt 1.10\n",
    },
    {
      right: "Math.max(",
      wrong: "Math.min(",
      symptom: "a version with a further number is not taken for newer.",
      input: "bolt 1.2\nbolt 1.2.1\n",
    },
    {
      right: "return a.suffix === null && b.suffix !== null;",
      wrong: "return a.suffix !== null && b.suffix === null;",
      symptom: "a release candidate wins over the release.",
      input: "bolt 2.0-rc\nbolt 2.0\n",
    },
    {
      right: "return a.suffix > b.suffix;",
      wrong: "return false;",
      symptom: "a later candidate does not replace an earlier one.",
      input: "bolt 2.0-beta\nbolt 2.0-rc\n",
    },
    {
      right: "!newest.has(name) || isNewer(version, newest.get(name))",
      wrong: "!newest.has(name)",
      symptom: "it prints old versions.",
      input: "bolt 1\nbolt 2\nbolt 1\n",
    },
  ],
  deeper: [
    { right: 'version.indexOf("-")', wrong: 'version.lastIndexOf("-")', input: "bolt 1.2-rc-1\nbolt 1.3-rc-1\n" },
    { right: "of newest)", wrong: "of [...newest].sort())", input: "lamp 1\nbolt 1\n" },
  ],
  short: {
    "compares-with-the-locale": [
      [
        "!newest.has(name) || isNewer(version, newest.get(name))",
        '!newest.has(name) || version.localeCompare(newest.get(name), "en", { numeric: true }) > 0',
      ],
    ],
    "takes-the-later-of-equal-ones": [["isNewer(version, newest.get(name))", "!isNewer(newest.get(name), version)"]],
  },
  edges: text`
    def order(*versions):
        return [f"up{a} {a}\ndown{a} {b}\nup{a} {b}\ndown{a} {a}\n" for a, b in zip(versions, versions[1:])]
    return [
        "",
        "lamp 1\nbolt 1\njar 3\nlamp 0\n",
        "bolt 1.2\nbolt 1.2.0\nlamp 2.0.0\nlamp 2\njar 1.0-rc\njar 1-rc\n",
        "".join(order("9", "10", "10.0.1", "10.2", "10.10", "10.10.1", "11-rc")),
        "".join(order("1.2-alpha", "1.2-beta", "1.2-rc", "1.2.0", "1.2.1-a", "1.2.1", "1.3-rc-1", "1.3-rc-2", "1.4-rc-1")),
        "".join(order("2-Z", "2-a", "2-b-10", "2-b-9", "2", "2.0.0.1")),
        "toString 1\nconstructor 2\n7 1\n3 1\n7 2\n",
    ]
  `,
  input: text`
    def version():
        numbers = ".".join(str(rng.choice([0, 1, 2, 9, 10, 11])) for _ in range(rng.randint(1, 3)))
        return numbers + rng.choice(["", "", "", "-rc", "-beta", "-alpha"])
    return "".join(f"{rng.choice(['bolt', 'lamp', 'jar'])} {version()}\n" for _ in range(rng.randint(1, 14)))
  `,
};
