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

/** The files of a task; every row is written as one INSERT. */
export function sqlApp(schema: string, rows: Readonly<Record<string, readonly (readonly (string | number)[])[]>>): Record<string, string> {
  const literal = (value: string | number): string => (typeof value === "number" ? String(value) : `'${value}'`);
  const data = Object.entries(rows).flatMap(([table, all]) =>
    all.map((row) => `INSERT INTO ${table} VALUES (${row.map(literal).join(", ")});`),
  );
  return { "schema.sql": schema, "data.sql": data.join("\n"), "run_query.py": runner };
}

export const sqlLook = "cat schema.sql; head -n 20 data.sql; cat run_query.py";
export const sqlAttempt = "python3 run_query.py";

/** Python: `compare(active)` by a function `drawn(active)` that answers rows by table (None is NULL), and the rows that the query has to answer. */
export const sqlCompare = (schema: string, drawn: string): string => text`
  import sqlite3

  SCHEMA = """
  ${schema}
  """
  RUNNER = """
  import json, sqlite3, sys
  database = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
  print(json.dumps(database.execute(sys.stdin.read()).fetchall()))
  """


  ${drawn}


  def compare(active):
      tables, wanted = drawn(active)
      folder = scratch()
      place = os.path.join(folder, "data.db")
      database = sqlite3.connect(place)
      database.executescript(SCHEMA)
      for table, rows in tables.items():
          rng.shuffle(rows)
          for row in rows:
              database.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
      database.commit()
      database.close()
      share(folder)
      got = output(["python3", "-I", write("runner.py", RUNNER, folder), place], cwd=folder, stdin=read("query.sql"))
      same(json.loads(got), [list(row) for row in wanted], f"for {tables}")
`;
