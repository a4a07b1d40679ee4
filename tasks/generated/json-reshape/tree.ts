import type { Draw } from "../draw.ts";
import type { RuleBook } from "../rule-book.ts";
import { an, text } from "../text.ts";
import { teams } from "../words.ts";
import { jsonCompare, jsonIntro } from "./frame.ts";

/** A tree made flat, with sums over everything below. */
export function tree(d: Draw): RuleBook {
  const [node, name, size, parts] = d.pick([["folder", "name", "bytes", "folders"], ["team", "team", "people", "teams"], ["part", "label", "weight", "parts"], ["area", "title", "visits", "areas"]] as const); // prettier-ignore
  const file = `${d.pick(["flatten", "rows_of", "list", "unfold"])}_${node}s.py`;
  const order = d.pick(["tree", "path", "total"] as const);
  const cut = d.int(2, 3);
  const sample = {
    [name]: "top",
    [size]: d.int(1, 9),
    [parts]: d.some(teams, d.int(2, 3)).map((label) => ({
      [name]: label,
      [size]: d.int(1, 50),
      [parts]: d.chance(0.5) ? [] : [{ [name]: d.pick(["a", "b", "c"]), [size]: d.int(1, 50), [parts]: [] }],
    })),
  };
  const asked = {
    tree: `Each ${node} comes right before those in it, which keep their order.`,
    path: "The objects are sorted by path (by the code points of the whole string).",
    total:
      "The objects with the largest total come first; those with equal totals are sorted by path (by the code points of the whole string).",
  }[order];
  const key = order === "path" ? 'row["path"]' : '(-row["total"], row["path"])';
  return {
    file,
    intro: jsonIntro(file, sample, `It makes a list of the nested ${node}s.`),
    base: [
      {
        name: "shape",
        asked: `It prints a JSON array with one object for each ${node}, \`{"path": …, "depth": …, "total": …}\`. The path has the names from the outermost ${node} to this one, with \`/\` between them; the depth of the outermost ${node} is 0.`,
        mistake: ['"depth": depth', '"depth": depth + 1'],
      },
      { name: "totals", asked: `The total of ${an(node)} is its own \`${size}\` and that of all ${node}s inside it, at any depth.`, mistake: ["total += below", "total += 0"] }, // prettier-ignore
      {
        name: "order",
        asked,
        mistake: order === "tree" ? ["rows.append(row)", "rows.insert(0, row)"] : ["rows.sort(", "sorted(rows, "],
        ...(order === "path" && { half: { "sorts-name-by-name": { swap: ['row: row["path"])', 'row: row["path"].split("/"))'] } } }),
      },
    ],
    more: [
      {
        name: "missing",
        asked: `\`${size}\` may be missing or null; that means 0.`,
        mistake: [`int(node.get("${size}") or 0)`, `int(node.get("${size}", 0))`],
      },
      {
        name: "strings",
        asked: `\`${size}\` may be a string of digits, such as \`"12"\`; it means the number.`,
        mistake: ["total = int(", "total = ("],
      },
      {
        name: "leaves",
        asked: `\`${parts}\` may be missing or null; that means none.`,
        mistake: [`.get("${parts}") or []`, `.get("${parts}", [])`],
      },
      {
        name: "unicode",
        asked: "Letters outside of ASCII are printed as they are, not as `\\u` escapes.",
        mistake: [", ensure_ascii=False", ""],
      },
      {
        name: "slashes",
        asked: "In a path, a `%` that belongs to a name is written as `%25`, and a `/` that belongs to a name as `%2F`.",
        mistake: ['.replace("%", "%25").replace("/", "%2F")', '.replace("/", "%2F").replace("%", "%25")'],
      },
      {
        name: "hidden",
        asked: `Any ${node} with \`"hidden": true\` is left out, with everything inside it, and counts in no total; \`false\` means nothing.`,
        mistake: ['if not node.get("hidden")', 'if "hidden" not in node'],
        half: {
          "shows-the-outermost-one": { swap: ['if not node.get("hidden")', 'if depth == 0 or not node.get("hidden")'] },
        },
      },
      {
        name: "forest",
        asked: `The document may also be an array of any number of ${node}s, each of them an outermost one.`,
        mistake: ["data if isinstance(data, list) else [data]", "[data[0] if isinstance(data, list) else data]"],
      },
      {
        name: "merged",
        asked: (asks) =>
          `Several ${node}s with equal names beside each other (inside the same ${node}, or both outermost) are one ${node}, at the place of the first of them: their \`${size}\`s are added, and what is inside them is put together, in the order of the document. This holds at every depth${asks("hidden") ? ", and after what is hidden was left out" : ""}.`,
        mistake: [`groups.setdefault(node["${name}"], [])`, "groups.setdefault(id(node), [])"],
        hard: true,
      },
      {
        name: "cut",
        asked: `The ${node}s with a depth above ${cut} have no object of their own, but count in the totals of those that have one.`,
        mistake: [`if depth <= ${cut}:`, `if depth < ${cut}:`],
        hard: true,
      },
    ],
    spare: ["missing", "strings", "leaves", "unicode", "slashes", "hidden", "forest", "merged"],
    source: (asks) => text`
      import json
      import sys

      with open(sys.argv[1], encoding="utf-8") as file:
          data = json.load(file)
      rows = []


      def visit(nodes, prefix, depth):
          """Lists the nodes and answers their total."""
          sum_of_all, groups = 0, {}
          for node in [node for node in nodes if not node.get("hidden")]:
              ${asks("merged") ? `groups.setdefault(node["${name}"], []).append(node)` : `groups[len(groups)] = [node]`}
          for group in groups.values():
              path = prefix + group[0]["${name}"]${asks("slashes") ? '.replace("%", "%25").replace("/", "%2F")' : ""}
              row = {"path": path, "depth": depth}
              ${asks("cut") ? `if depth <= ${cut}:\n    rows.append(row)` : "rows.append(row)"}
              total = 0
              for node in group:
                  total = int(node.get("${size}") or 0) + total
              below = visit([node for outer in group for node in outer.get("${parts}") or []], path + "/", depth + 1)
              total += below
              row["total"] = total
              sum_of_all += total
          return sum_of_all


      visit(data if isinstance(data, list) else [data], "", 0)
      ${order === "tree" ? "" : `rows.sort(key=lambda row: ${key})`}
      print(json.dumps(rows, ensure_ascii=False))
    `,
    compare: () =>
      jsonCompare(
        file,
        text`
        import itertools


        def drawn(active):
            rows = []
            cut = ${cut} if "cut" in RULES else 99

            def grow(label, prefix, depth, shown):
                """A node as the document has it, its total, and its rows, which count only where it is shown."""
                own = rng.choice([1, 9, 10, rng.randint(1, 200)])
                node = {"${name}": label, "${size}": own, "${parts}": []}
                if "missing" in active and rng.random() < 0.4:
                    node["${size}"], own = None, 0
                    if rng.random() < 0.5:
                        del node["${size}"]
                elif "strings" in active and rng.random() < 0.5:
                    node["${size}"] = str(own)
                path = prefix + (label.replace("%", "%25").replace("/", "%2F") if "slashes" in RULES else label)
                row = {"path": path, "depth": depth}
                if shown and depth <= cut:
                    rows.append(row)
                total, labels = own, list(LABELS)
                if "slashes" in active:
                    labels += ["a/b", "5%", "50%2F", "/"]
                if "unicode" in active:
                    labels = ["Zoë", "東", "Ümit", "é"]
                rng.shuffle(labels)
                front = []
                if depth == 0 and "order" in active:
                    # As a whole string "core-2" comes before "core/…".
                    front += ["core", "core-2"]
                if depth == 0 and "slashes" in active:
                    front += [rng.choice(["a/b", "/"]), rng.choice(["5%", "50%2F"])]
                labels = front + [label for label in labels if label not in front]
                deep = {0: 4, 1: 3}.get(depth, 2 if "cut" in active and depth < 6 else 1 if depth < 3 else 0)
                for inner in labels[: rng.randint(max(len(front), 1) if depth < 2 or deep == 2 else 0, deep) if deep else 0]:
                    hidden = "hidden" in active and rng.random() < 0.3
                    child, sum_of_child = grow(inner, path + "/", depth + 1, shown and not hidden)
                    if hidden or ("hidden" in active and rng.random() < 0.3):
                        child["hidden"] = hidden
                    node["${parts}"].append(child)
                    total += 0 if hidden else sum_of_child
                if "leaves" in active and not node["${parts}"]:
                    node["${parts}"] = None
                    if rng.random() < 0.5:
                        del node["${parts}"]
                row["total"] = total
                return node, total

            labels = rng.sample(LABELS, rng.choice([0, 2, 2, 3])) if "forest" in active else ["top"]
            none = "hidden" in active and next(veiled)
            document = [grow(label, "", 0, not none)[0] for label in labels]
            for node in document if none else []:
                node["hidden"] = True
            if "merged" in active:
                document = split(document)
            ${order === "tree" ? "" : `rows.sort(key=lambda row: ${key})`}
            return (document if "forest" in active else document[0]), rows


        def split(nodes):
            """The same nodes, some in two halves: the first of them at its place, the other behind everything, so that the order of what is put together stays."""
            firsts, rests = [], []
            for node in nodes:
                inner = node.get("${parts}") or []
                if not inner or len(nodes) == 1 and node["${name}"] == "top":
                    firsts.append({**node, **({"${parts}": split(inner)} if inner else {})})
                    continue
                at = rng.randint(0, len(inner))
                firsts.append({**node, "${parts}": split(inner[:at])})
                rests.append({"${name}": node["${name}"], "${parts}": split(inner[at:]), **({"hidden": True} if node.get("hidden") else {}), "${size}": 0})
                if isinstance(node.get("${size}"), int):
                    rests[-1]["${size}"] = rng.randint(0, node["${size}"])
                    firsts[-1]["${size}"] -= rests[-1]["${size}"]
                if "hidden" in RULES and rng.random() < 0.5:
                    # One of the same name that is not there, and takes no place.
                    firsts.insert(rng.randrange(len(firsts) + 1), {"${name}": node["${name}"], "${size}": 5, "${parts}": [{"${name}": "lost", "${size}": 7}], "hidden": True})
            return firsts + rests


        LABELS = ["north", "south", "east", "west", "core", "core-2", "Edge"]
        veiled = itertools.cycle([False, True, False])
      `,
      ),
    app: () => ({ "example.json": JSON.stringify(sample, null, 2) }),
    look: "cat example.json",
    attempt: `python3 ${file} example.json`,
  };
}
