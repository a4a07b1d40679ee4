import type { Subject } from "../planted-bug.ts";
import { text } from "../text.ts";

export const queue: Subject = {
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
