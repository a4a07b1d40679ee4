/** All rows of an index, runs by their folder instead of their number, in one order: equal for two that say the same. */
export async function rowsOf(path: string): Promise<Record<string, unknown[]>> {
  const { default: Sqlite } = await import("better-sqlite3"); // where it is missing, the tests that need it are left out
  const database = new Sqlite(path);
  try {
    database.exec("create virtual table temp.words using fts5vocab(main, texts, instance)");
    const ask = (sql: string): unknown[] => database.prepare(sql).all();
    const ofRuns = (table: string, columns: string): unknown[] =>
      ask(`select r.folder, ${columns} from ${table} x join runs r using (run) order by r.folder, x.seq`);
    return {
      runs: ask("select folder, read, seq, head, fault, exit_code from runs order by folder"),
      events: ofRuns("events", "x.seq, x.offset, x.bytes, x.t, x.lane, x.n, x.ts"),
      models: ofRuns("model_calls", "x.seq, x.input, x.output, x.cached, x.cost_usd, x.active_ms, x.stop"),
      tools: ofRuns("tool_calls", "x.seq, x.name, x.status, x.active_ms, x.edited"),
      interventions: ofRuns("interventions", "x.seq, x.name, x.phase, x.change, x.why"),
      words: ask(
        `select r.folder, w.doc % ${2 ** 24} as seq, w.term, w.offset from temp.words w join runs r on r.run = w.doc / ${2 ** 24} order by 1, 2, 4, 3`,
      ),
    };
  } finally {
    database.close();
  }
}
