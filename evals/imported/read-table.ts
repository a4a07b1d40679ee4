import { basename, extname } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { z } from "zod";
import { CannotError, ConfigError } from "../../harness/errors.ts";
import { csvRows } from "./csv-rows.ts";
import { utf8Text } from "./utf8-text.ts";
import type { ImportedTrial } from "./imported-trial.ts";
import type { ReadingNotes, RunReader } from "./imported-runs.ts";
import { readColumns, rowTrial } from "./table-columns.ts";

type Columns = ReturnType<typeof readColumns>;

/** A table with a head: one row a trial. */
export const csvReader: RunReader = {
  format: "csv",
  runner: "a CSV table",
  async read(place, add, notes) {
    let columns: Columns | undefined;
    let positions = new Map<string, number>();
    const placed = new Map<Parameters<Columns["at"]>[0], number>();
    let width = 0;
    let rows = 0;
    for await (const { line, cells } of csvRows(place)) {
      if (columns === undefined) {
        columns = readColumns(cells, place);
        positions = new Map(cells.map((name, i) => [name, i]));
        width = cells.length;
        continue;
      }
      const found = columns;
      if (cells.length !== width)
        throw new ConfigError(
          `${place}, line ${line}: ${cells.length} cells under a head of ${width}; quote cells that hold a comma, and finish the last line.`,
        );
      const cell = (name: Parameters<Columns["at"]>[0]): string | undefined => {
        let i = placed.get(name);
        if (i === undefined) placed.set(name, (i = positions.get(found.at(name) ?? "") ?? -1));
        return cells[i];
      };
      add(rowTrial(cell, `${place}, line ${line}`, nameOf(place)));
      rows++;
    }
    tellTable(place, rows, columns, notes);
  },
};

const lineSchema = z.record(z.string(), z.unknown());

/** One JSON object a line; each object may have other keys than the first. */
export const jsonlReader: RunReader = {
  format: "jsonl",
  runner: "a JSONL table",
  async read(place, add, notes) {
    let columns: Columns | undefined;
    let [line, rows] = [0, 0];
    for await (const text of createInterface({ input: Readable.from(utf8Text(place)), crlfDelay: Number.POSITIVE_INFINITY })) {
      line++;
      if (text.trim() === "") continue;
      const where = `${place}, line ${line}`;
      const row = objectOf(text, where);
      const found = (columns = readColumns(Object.keys(row), where));
      add(rowTrial((name) => plainCell(row[found.at(name) ?? ""], name, where), where, nameOf(place)));
      rows++;
    }
    tellTable(place, rows, columns, notes);
  },
};

function objectOf(text: string, where: string): Record<string, unknown> {
  try {
    return lineSchema.parse(JSON.parse(text));
  } catch {
    throw new ConfigError(`${where}: this is no JSON object; each line is one, such as {"task":"a","arm":"x","repeat":1,"score":1}.`);
  }
}

function plainCell(value: unknown, name: string, where: string): ReturnType<Parameters<typeof rowTrial>[0]> {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  throw new ConfigError(`${where}: ${name} is a list or an object; expected text or a number.`);
}

const nameOf = (place: string): ImportedTrial["arm"] => basename(place, extname(place));

function tellTable(place: string, rows: number, columns: Columns | undefined, notes: ReadingNotes): void {
  if (rows === 0 || !columns)
    throw new CannotError(`${place} has no trial in it; a table has one row a trial, with task, arm, repeat and score.`);
  if (columns.at("digest") === undefined) notes.notKnown.push("tasks are matched by name, as the table has no task_digest");
  if (columns.at("model") === undefined) notes.notKnown.push("the table does not name the models");
  if (columns.at("repeat") === undefined)
    notes.notKnown.push("the table does not number the repeats, so a row that is in it twice counts twice");
  notes.notKnown.push("why a trial failed is not recorded: a failure of machinery counts as the agent's unless its score is left empty");
}
