import type { Subject } from "../planted-bug.ts";
import { text } from "../text.ts";

export const template: Subject = {
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
