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
  deeper: [
    {
      right: "order: order++",
      wrong: "order: waiting.length",
      input: "add a 1\nadd b 1\nadd c 1\ndrop a\ndrop b\nadd d 1\nadd e 1\nnext\nnext\nnext\n",
    },
    { right: "entry.name !== name", wrong: "!entry.name.startsWith(name)", input: "add ann 1\nadd anna 2\ndrop ann\nnext\nnext\n" },
  ],
  short: {
    "keeps-its-place": [
      [
        "  drop(name);\n  waiting.push({ name, priority, order: order++ });",
        "  const known = waiting.find((entry) => entry.name === name);\n  if (known) known.priority = priority;\n  else waiting.push({ name, priority, order: order++ });",
      ],
    ],
  },
  edges: text`
    return [
        "",
        "next\n",
        "add ada 8\nadd leo 9\nadd mina 8\nadd chen 10\nadd dora -3\nadd emil -20\n" + "next\n" * 7,
        "add ada 5\nadd leo 5\nadd mina 5\nadd ada 5\n" + "next\n" * 4,
        "add ada 1\nadd leo 5\nadd mina 5\nadd ada 5\nadd leo 1\n" + "next\n" * 4,
        "add ann 1\nadd anna 2\nadd an 3\ndrop ann\ndrop nobody\nnext\nnext\nnext\nadd ann 1\n",
        "add a 1\nadd b 1\nadd c 1\ndrop a\ndrop b\nadd d 1\nnext\nadd e 1\nadd f 1\nnext\nnext\n",
        "add ada 0\nadd leo 1\nadd mina -1\nnext\nadd leo 0\nnext\nnext\nnext\nadd zoe 1\nadd ada 2\n",
    ]
  `,
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
    "The lines before the first empty line, if any, are `NAME=VALUE` pairs; the value is all that follows the first `=`, and the last pair of a name counts.",
    "The rest is printed with every `{NAME}` replaced by the value of that name; NAME is made of small letters, digits and underscores.",
    "A name without a value stays as it is written, braces included.",
    "A value is put in as it is: what looks like `{NAME}` in it is not replaced again.",
    "`{{` prints one brace `{` and starts no name.",
  ],
  source: text`
    "use strict";
    const input = require("node:fs").readFileSync(0, "utf8");
    const lines = input.split("\n");
    const border = lines.indexOf("");
    const body = lines.slice(border + 1).join("\n");

    const values = new Map();
    for (const line of lines.slice(0, border)) {
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
  deeper: [
    { right: "line.slice(at + 1)", wrong: "line.slice(at + 1).trim()", input: "a= x \n\n[{a}]\n" },
    { right: "if (at > 0)", wrong: "if (at > 0 && !values.has(line.slice(0, at)))", input: "a=1\na=2\n\n{a}\n" },
    { right: "process.stdout.write(filled)", wrong: "console.log(filled.trimEnd())", input: "a=1\n\n{a} \n\n" },
  ],
  short: {
    "replaces-in-values-too": [
      [
        'const filled = body.replace(/\\{\\{|\\{([a-z0-9_]+)\\}/g, (whole, name) => {\n  if (whole === "{{") return "{";\n  return values.has(name) ? values.get(name) : whole;\n});',
        'let filled = body;\nfor (const [name, value] of values) filled = filled.replaceAll("{" + name + "}", () => value);\nfilled = filled.replaceAll("{{", "{");',
      ],
    ],
    "loses-empty-values": [["values.has(name) ? values.get(name) : whole", "values.get(name) || whole"]],
  },
  edges: text`
    return [
        "a=1\n\n{a} {a}{a}\n{b} {} {A} {a b} {a-b}\n",
        "\nno pairs: {a} {{a}\n",
        "a=1\n\n",
        "a=1\na=2\nb=\n\n[{a}][{b}]\n",
        "a=x=y=z\nb==\n\n{a} {b}\n",
        "a= x \n\n[{a}] \n\n  {a}\n\n\n",
        "a={b}\nb={a}\nc={{\nd=$& $1 $\`\n\n{a} {b} {c} {d}\n",
        "a=1\n\n{{a} {{{a} {{{{a} {{}} {{a}} {a}}\n",
        "x1=seven\n_=low\n9=nine\nlong_name_2=two\n\n{x1}{_}{9}{long_name_2}{long_name}\n",
        "a=1\nb=2\n\nc=3\n\n{c} {b}=4\n",
    ]
  `,
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

export const javascript: Language = {
  name: "JavaScript",
  extension: "js",
  subjects: [queue, template, versions],
  run: (file) => `node ${file}`,
};

/** One of several small Node.js programs, broken in one to four ways. */
export const plantedBugJavascript: Family = {
  name: "planted-bug-javascript",
  summary: "repair a JavaScript program by its promises; up to four bugs, of which not all show in the example",
  split: "train",
  tags: ["bugfix", "javascript"],
  draw: drawPlantedBug(javascript),
};
