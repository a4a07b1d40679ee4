import { text } from "../text.ts";

/** What the agent tries its query with; the verifier has its own. */
const runner = text`
  """Runs query.sql on a fresh database made of schema.sql and data.sql, and prints the rows."""
  import sqlite3

  database = sqlite3.connect(":memory:")
  for name in ["schema.sql", "data.sql"]:
      with open(name, encoding="utf-8") as file:
          database.executescript(file.read())
  with open("query.sql", encoding="utf-8") as file:
      for row in database.execute(file.read()):
          print(*row, sep=" | ")
`;

export const sqlIntro = (purpose: string): string => text`
  Write \`query.sql\`: one SELECT statement for SQLite (it may begin with WITH), for databases with the tables of \`schema.sql\`. ${purpose} \`python3 run_query.py\` tries it on the rows of \`data.sql\`.
`;

/** A value of a row; null is NULL. */
export type Cell = string | number | null;

/** The files of a task; every row is written as one INSERT. */
export function sqlApp(schema: string, rows: Readonly<Record<string, readonly (readonly Cell[])[]>>): Record<string, string> {
  const literal = (value: Cell): string => (typeof value === "string" ? `'${value}'` : String(value ?? "NULL"));
  const data = Object.entries(rows).flatMap(([table, all]) =>
    all.map((row) => `INSERT INTO ${table} VALUES (${row.map(literal).join(", ")});`),
  );
  return { "schema.sql": schema, "data.sql": data.join("\n"), "run_query.py": runner };
}

export const sqlLook = "cat schema.sql; head -n 20 data.sql; cat run_query.py";
export const sqlAttempt = "python3 run_query.py";

/**
 * Python: `compare(active)` by a function `drawn(active)` that answers rows by table (None is NULL), and the rows that the query has to answer. `names` are
 * those of its columns, null where the instruction gives none.
 */
export const sqlCompare = (schema: string, names: readonly (string | null)[], drawn: string): string => text`
  import itertools
  import sqlite3

  SCHEMA = """
  ${schema}
  """
  COLUMNS = [${names.map((name) => (name === null ? "None" : `"${name}"`)).join(", ")}]
  RUNNER = """
  import json, sqlite3, sys
  database = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
  answer = database.execute(sys.stdin.read())
  print(json.dumps([[column[0] for column in answer.description or []], answer.fetchall()]))
  """


  ${drawn}


  def compare(active):
      tables, wanted = drawn(active)
      folder = scratch()
      place = os.path.join(folder, "data.db")
      database = sqlite3.connect(place)
      database.execute("PRAGMA synchronous = OFF")
      database.executescript(SCHEMA)
      for table, rows in tables.items():
          rng.shuffle(rows)
          for row in rows:
              database.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
      database.commit()
      database.close()
      share(folder)
      got = output(["python3", "-I", write("runner.py", RUNNER, folder), place], cwd=folder, stdin=read("query.sql"))
      columns, rows = json.loads(got)
      same(rows, [list(row) for row in wanted], f"for {tables}")
      same(len(columns), len(COLUMNS), "the number of columns")
      for column, name in zip(columns, COLUMNS):
          expect(name is None or column.lower() == name, f"a column has the name {column!r} instead of {name!r}")
`;
