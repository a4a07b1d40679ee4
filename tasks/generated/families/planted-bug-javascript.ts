import type { Family } from "../family.ts";
import { drawPlantedBug, type Language, type Subject } from "../planted-bug.ts";
import { text } from "../text.ts";

const queue: Subject = {
  names: ["queue", "waiting-room", "line-up"],
  promises: [
    "Each line is `add NAME PRIORITY`, `drop NAME` or `next`; priorities are whole numbers, and a larger one goes first.",
    "`next` prints the name that goes first and takes it out; among equal priorities the one that was added earlier goes first. With nobody waiting it prints `-`.",
    "Adding a name that waits already changes its priority and puts it behind the others of its new priority.",
    "At the end it prints `left N`, the number of names still waiting.",
  ],
  source: text`
    "use strict";
    const lines = require("node:fs").readFileSync(0, "utf8").split("\n");

    /** @type {{ name: string, priority: number, order: number }[]} */
    let waiting = [];
    let order = 0;

    function drop(name) {
      waiting = waiting.filter((entry) => entry.name !== name);
    }

    function add(name, priority) {
      drop(name);
      waiting.push({ name, priority, order: order++ });
    }

    function next() {
      waiting.sort((a, b) => b.priority - a.priority || a.order - b.order);
      const first = waiting.shift();
      return first ? first.name : "-";
    }

    for (const line of lines) {
      const [verb, name, priority] = line.split(" ");
      if (verb === "add") add(name, Number(priority));
      if (verb === "drop") drop(name);
      if (verb === "next") console.log(next());
    }
    console.log("left " + waiting.length);
  `,
  bugs: [
    {
      right: "b.priority - a.priority",
      wrong: "a.priority - b.priority",
      symptom: "the least urgent go first.",
      input: "add ada 1\nadd leo 9\nnext\n",
    },
    {
      right: "Number(priority)",
      wrong: "priority.length",
      symptom: "priorities are mixed up.",
      input: "add ada 8\nadd leo 9\nadd mina 8\nnext\nnext\nnext\n",
    },
    {
      right: "a.order - b.order",
      wrong: "b.order - a.order",
      symptom: "who came last is served before who came first.",
      input: "add ada 5\nadd leo 5\nnext\n",
    },
    {
      right: "{\n  drop(name);\n  waiting.push",
      wrong: "{\n  waiting.push",
      symptom: "the same name is called twice.",
      input: "add ada 1\nadd ada 7\nnext\nnext\n",
    },
    { right: 'first ? first.name : "-"', wrong: "first.name", symptom: "it crashes when nobody waits.", input: "next\n" },
  ],
  input: text`
    names = ["ada", "boris", "chen", "dora", "emil"]
    lines = []
    for _ in range(rng.randint(1, 25)):
        name = rng.choice(names)
        lines.append(rng.choice([f"add {name} {rng.randint(-3, 12)}", f"add {name} {rng.randint(1, 3)}", f"drop {name}", "next"]))
    return "\n".join(lines) + "\n"
  `,
};

const template: Subject = {
  names: ["fill", "render", "template"],
  promises: [
    "The lines before the first empty line are `NAME=VALUE` pairs; the value is all that follows the first `=`, and the last pair of a name counts.",
    "The rest is printed with every `{NAME}` replaced by the value of that name; NAME is made of small letters, digits and underscores.",
    "A name without a value stays as it is written, braces included.",
    "A value is put in as it is: what looks like `{NAME}` in it is not replaced again.",
    "`{{` prints one brace `{` and starts no name.",
  ],
  source: text`
    "use strict";
    const input = require("node:fs").readFileSync(0, "utf8");
    const border = input.indexOf("\n\n");
    const head = border < 0 ? input : input.slice(0, border);
    const body = border < 0 ? "" : input.slice(border + 2);

    const values = new Map();
    for (const line of head.split("\n")) {
      const at = line.indexOf("=");
      if (at > 0) values.set(line.slice(0, at), line.slice(at + 1));
    }

    const filled = body.replace(/\{\{|\{([a-z0-9_]+)\}/g, (whole, name) => {
      if (whole === "{{") return "{";
      return values.has(name) ? values.get(name) : whole;
    });
    process.stdout.write(filled);
  `,
  bugs: [
    {
      right: 'line.indexOf("=")',
      wrong: 'line.lastIndexOf("=")',
      symptom: "values that hold an equals sign are cut.",
      input: "rule=a=b\n\n{rule}\n",
    },
    { right: "[a-z0-9_]+", wrong: "[a-z_]+", symptom: "names with a digit are not replaced.", input: "x1=seven\n\n{x1}\n" },
    {
      right: "values.has(name) ? values.get(name) : whole",
      wrong: 'values.get(name) || ""',
      symptom: "names without a value vanish.",
      input: "a=1\n\n{b}\n",
    },
    { right: 'return "{";', wrong: "return whole;", symptom: "doubled braces stay doubled.", input: "a=1\n\n{{a}\n" },
    { right: "/g, (whole", wrong: "/, (whole", symptom: "only the first name is replaced.", input: "a=1\n\n{a} {a}\n" },
  ],
  input: text`
    names = ["a", "b2", "long_name", "x"]
    values = ["1", "a=b", "{a}", "", "two words", "$&", "{{"]
    head = "".join(f"{rng.choice(names)}={rng.choice(values)}\n" for _ in range(rng.randint(1, 5)))
    parts = ["{a}", "{b2}", "{long_name}", "{none}", "{{", "}", "{A}", " text ", "\n", "{x}"]
    return head + "\n" + "".join(rng.choice(parts) for _ in range(rng.randint(1, 20))) + "\n"
  `,
};

const versions: Subject = {
  names: ["versions", "newest", "releases"],
  promises: [
    "Each line is `NAME VERSION`; a version is numbers with dots between them, and may have a suffix such as `-rc` or `-beta`.",
    "Numbers are compared as numbers, from the left; a missing number counts as 0, so `1.2` equals `1.2.0`.",
    "A version with a suffix is older than the same one without; suffixes are compared as text.",
    "For each name, in the order in which the names first appear, it prints `NAME VERSION` with its newest version; of equal ones the first that came.",
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
    { right: "Math.max(", wrong: "Math.min(", symptom: "longer versions are not told from shorter ones.", input: "bolt 1.2\nbolt 1.2.1\n" },
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
  input: text`
    def version():
        numbers = ".".join(str(rng.choice([0, 1, 2, 9, 10, 11])) for _ in range(rng.randint(1, 3)))
        return numbers + rng.choice(["", "", "", "-rc", "-beta", "-alpha"])
    return "".join(f"{rng.choice(['bolt', 'lamp', 'jar'])} {version()}\n" for _ in range(rng.randint(1, 14)))
  `,
};

export const javascript: Language = {
  name: "JavaScript",
  extension: "js",
  subjects: [queue, template, versions],
  start: (file) => `node ${file}`,
};

/** One of several small Node.js programs, broken in one to three ways. */
export const plantedBugJavascript: Family = {
  name: "planted-bug-javascript",
  summary: "repair a JavaScript program by its promises; up to three bugs, of which not all show in the examples",
  split: "train",
  tags: ["bugfix", "javascript"],
  draw: drawPlantedBug(javascript),
};
