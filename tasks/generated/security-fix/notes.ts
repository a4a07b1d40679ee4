import type { Draw } from "../draw.ts";
import { text } from "../text.ts";
import { people } from "../words.ts";
import type { HoledProgram } from "./holed-program.ts";

/** SQL put together from strings: a value, a column's name, a number, and a value that comes out of the database again. */
export function notes(d: Draw): HoledProgram {
  const table = d.pick(["notes", "quotes", "tasks", "recipes"]);
  const file = `${d.pick(["keep", "desk", "drawer", "board"])}_${table}.py`;
  const [add, find, list, drop, owners] = d.pick([
    ["add", "find", "list", "drop", "owners"],
    ["put", "search", "sorted", "remove", "count"],
    ["new", "seek", "show", "delete", "summary"],
  ] as const);
  const kept = d.pick(["body", "words", "content"]);
  const owner = d.pick(["owner", "author", "writer"]);
  const base = `${table}.db`;
  const [ann, bob] = d.some(people, 2) as [string, string]; // as many as asked
  const source = text`
    import sqlite3
    import sys

    COLUMNS = ("id", "${kept}", "size")


    class Refused(Exception):
        pass


    def add(db, ${owner}, ${kept}):
        db.execute("INSERT INTO ${table} (${owner}, ${kept}, size) VALUES (?, ?, ?)", (${owner}, ${kept}, len(${kept})))
        return ["added"]


    def find(db, ${owner}, word):
        rows = db.execute("SELECT ${kept} FROM ${table} WHERE ${owner} = ? AND instr(${kept}, ?) > 0 ORDER BY id", (${owner}, word))
        return [${kept} for (${kept},) in rows]


    def show(db, ${owner}, column):
        if column not in COLUMNS:
            raise Refused("column")
        rows = db.execute(f"SELECT id, ${kept} FROM ${table} WHERE ${owner} = ? ORDER BY {column}, id", (${owner},))
        return [f"{number} {${kept}}" for number, ${kept} in rows]


    def drop(db, ${owner}, number):
        if not (number.isascii() and number.isdigit()):
            raise Refused("id")
        gone = db.execute("DELETE FROM ${table} WHERE ${owner} = ? AND id = CAST(? AS INTEGER)", (${owner}, number))
        return [f"gone {gone.rowcount}"]


    def owners(db):
        lines = []
        for (name,) in db.execute("SELECT DISTINCT ${owner} FROM ${table} ORDER BY ${owner}").fetchall():
            (count,) = db.execute("SELECT count(*) FROM ${table} WHERE ${owner} = ?", (name,)).fetchone()
            lines.append(f"{name} {count}")
        return lines


    VERBS = {"${add}": add, "${find}": find, "${list}": show, "${drop}": drop, "${owners}": owners}


    def main():
        db = sqlite3.connect(sys.argv[1])
        db.execute("CREATE TABLE IF NOT EXISTS ${table} (id INTEGER PRIMARY KEY AUTOINCREMENT, ${owner} TEXT, ${kept} TEXT, size INTEGER)")
        for line in sys.stdin:
            verb, *fields = line.rstrip("\n").split("\t")
            try:
                answer = VERBS[verb](db, *fields)
            except Refused as error:
                answer = [f"error: {error}"]
            except sqlite3.Error:
                answer = ["error: database"]
            print(*answer, ".", sep="\n")
        db.commit()


    main()
  `;
  const value = `"SELECT ${kept} FROM ${table} WHERE ${owner} = ? AND instr(${kept}, ?) > 0 ORDER BY id", (${owner}, word)`;
  const number = `"DELETE FROM ${table} WHERE ${owner} = ? AND id = CAST(? AS INTEGER)", (${owner}, number)`;
  const unboundNumber = `f"DELETE FROM ${table} WHERE ${owner} = ? AND id = {number}", (${owner},)`;
  const digits = "if not (number.isascii() and number.isdigit()):";
  const stored = `"SELECT count(*) FROM ${table} WHERE ${owner} = ?", (name,)`;
  const known = "if column not in COLUMNS:";
  return {
    file,
    about: `\`${file}\` keeps ${table} in a SQLite database.`,
    start: `python3 ${file} ${base}`,
    requests: [
      `\`${add} ${owner.toUpperCase()} TEXT\` keeps a text and answers \`added\`.`,
      `\`${find} ${owner.toUpperCase()} WORD\` answers those texts of this ${owner} that hold WORD as it is written, in the order in which they were kept.`,
      `\`${list} ${owner.toUpperCase()} COLUMN\` answers all texts of this ${owner} as \`ID TEXT\`, sorted by the column (\`id\`, \`${kept}\` or \`size\`, the number of characters), equal ones by id.`,
      `\`${drop} ${owner.toUpperCase()} ID\` removes the text with this id if it is this ${owner}'s, and answers \`gone\` and the number of texts removed.`,
      `\`${owners}\` answers, for each ${owner} with a text, the name, a space and the number of texts, sorted by name.`,
    ],
    source,
    holes: [
      {
        name: "values",
        promise: `For \`${find}\`, ${owner.toUpperCase()} and WORD are only ever compared; quotes and all other characters stand for themselves.`,
        told: `by \`${find}\` anybody can read everybody's texts.`,
        example: `${add}\t${ann}\tmy secret\n${find}\t${bob}' OR 'x' <> '\tsecret`,
        open: [[value, `f"SELECT ${kept} FROM ${table} WHERE ${owner} = '{${owner}}' AND instr(${kept}, '{word}') > 0 ORDER BY id"`]],
        half: [[value, `f"SELECT ${kept} FROM ${table} WHERE ${owner} = '{${owner}}' AND instr(${kept}, ?) > 0 ORDER BY id", (word,)`]],
        blunt: [
          [`rows = db.execute(${value})`, `if "'" in ${owner} + word:\n        raise Refused("quote")\n    rows = db.execute(${value})`],
        ],
        attack: text`
          who = rng.choice(WORLD)
          tries = [
              ["${find}", f"{who}' OR 'a' = 'a", "e"],
              ["${find}", "nobody' OR 1 = 1 --", "e"],
              ["${find}", f"' UNION SELECT ${kept} FROM ${table} --", ""],
              ["${find}", f"{who}' OR ${owner} <> '", "a"],
          ]
          return tries + [["${find}", who, "e') > 0 OR 1 = 1 --"], ["${find}", "x", "') OR instr(${kept}, 'e"]]
        `,
      },
      {
        name: "column",
        promise: `\`${list}\` with a column that is none of the three (written exactly so) answers \`error: column\` and nothing else.`,
        told: `the column of \`${list}\` can be made to tell what other people have kept.`,
        example: `${add}\t${ann}\tmy secret\n${list}\t${ann}\t(SELECT count(*) FROM ${table})`,
        open: [[`    ${known}\n        raise Refused("column")\n`, ""]],
        half: [[known, 'if " " in column or ";" in column:']],
        blunt: [["ORDER BY {column}, id", "ORDER BY id"]],
        attack: text`
          who = rng.choice(WORLD)
          tries = [
              "(SELECT/**/count(*)/**/FROM/**/${table})",
              "${owner}",
              "id DESC",
              "size--",
              "length(${kept})",
              f"(CASE WHEN (SELECT count(*) FROM ${table} WHERE ${owner} = '{who}') > 1 THEN id ELSE -id END)",
              "1",
              "ID",
              "Size",
              " id",
              "id ",
              "",
              '"id"',
              "rowid",
              "id,size",
          ]
          return [["${list}", who, column] for column in ["(SELECT/**/1)", *tries]]
        `,
      },
      {
        name: "number",
        promise: `\`${drop}\` with an ID that is anything but a run of the digits 0 to 9 answers \`error: id\` and removes nothing.`,
        told: `by \`${drop}\` anybody can remove everybody's texts.`,
        example: `${add}\t${ann}\tmy secret\n${drop}\t${bob}\t1 OR 1 = 1\n${list}\t${ann}\tid`,
        open: [
          [number, unboundNumber],
          [digits, "if not number:"],
        ],
        half: [
          [number, unboundNumber],
          [digits, "if not number[:1].isdigit():"],
        ],
        blunt: [[number, `"DELETE FROM ${table} WHERE ${owner} = ? AND id = CAST(? AS INTEGER) + 1", (${owner}, number)`]],
        attack: text`
          who = rng.choice(WORLD)
          tries = ["0 OR 1 = 1", "1 OR ${owner} <> ''", f"0 OR ${owner} = '{rng.choice(WORLD)}'", "id", "1 + 1", "-1 OR 1", "-1", "+1", " 1", "1 ", "1_0", "1.0", "0x1", "²", "٣"]
          return [["${drop}", who, number] for number in ["0 OR 1", *tries, "9" * 30]] + [["${list}", who, "id"]]
        `,
      },
      {
        name: "stored",
        promise: `\`${owners}\` counts rightly and prints names as they are, whatever was kept as ${owner.toUpperCase()}.`,
        told: `whoever keeps a text under a strange name can make \`${owners}\` tell wrong numbers, or break it.`,
        example: `${add}\t${ann}\tone\n${add}\t${bob}' OR 'x' = 'x\ttwo\n${owners}`,
        open: [[stored, `f"SELECT count(*) FROM ${table} WHERE ${owner} = '{name}'"`]],
        half: [[stored, `f"SELECT count(*) FROM ${table} WHERE ${owner} = '" + name.replace("'", "\\\\'") + "'"`]],
        blunt: [["        lines.append(", "        if name.isalpha():\n            lines.append("]],
        attack: text`
          name = rng.choice(WORLD)
          odd = [f"{name}' OR '1' = '1", "o'hara", "x' UNION SELECT 7 --", '"quoted"', "back\\slash", f"{name}''"]
          return [["${add}", who, "text"] for who in ["d'arc' OR 'q' = 'q", *odd]] + [["${owners}"]]
        `,
      },
    ],
    world: `return rng.sample(${JSON.stringify(people.slice(0, 8))}, 3)`,
    honest: text`
      texts = ["milk and eggs", "it's late", 'say "hello"', "50% off; now", "a -- b", "under_score", "tree", "See me", "back\\slash"]
      requests = [["${add}", rng.choice([*WORLD, "o'neil", "d-arc"]), rng.choice(texts)] for _ in range(12)]
      for _ in range(12):
          who = rng.choice([*WORLD, "o'neil"])
          requests.append(
              rng.choice(
                  [
                      ["${find}", who, rng.choice(["e", "it's", "%", "_", "--", '"', "E", ";", ""])],
                      ["${list}", who, rng.choice(["id", "${kept}", "size"])],
                      ["${drop}", who, str(rng.randint(1, 12))],
                      ["${owners}"],
                  ]
              )
          )
      return requests + [["${list}", who, "${kept}"] for who in [*WORLD, "o'neil", "d-arc"]] + [["${find}", "o'neil", "'"], ["${owners}"]]
    `,
    sample: {},
    leaves: [base, `${base}-journal`, `${base}-wal`, `${base}-shm`],
  };
}
