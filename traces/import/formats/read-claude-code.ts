import { basename, dirname, join } from "node:path";
import { DamagedError } from "../../../harness/errors.ts";
import type { JsonObject } from "../../../harness/json.ts";
import { claudeItems } from "./claude-items.ts";
import { eachSession } from "./each-session.ts";
import { linesIn } from "./lines-in.ts";
import type { ImportedSession, TraceReader } from "../imported-session.ts";
import { objectIn, textIn } from "./lenient-fields.ts";
import {
  contentsOf,
  digestOf,
  filesBelow,
  filesOf,
  headOf,
  isFile,
  isFolder,
  readingBudget,
  someFile,
  type ReadingBudget,
} from "./session-files.ts";

/**
 * Sessions of Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, with its subagents in `<session>/subagents/`, or (before that) in lines of the
 * session marked as a side chain. The format is not published; what is read here was seen in sessions of versions 1.0 to 2.1.
 */
export const claudeCodeReader: TraceReader = {
  format: "claude-code",
  takes: "a session of Claude Code (.jsonl), or a folder with some",
  async recognizes(place) {
    if (await isFile(place)) return place.endsWith(".jsonl") && looksRight(linesIn(await headOf(place).catch(() => ""), beginning));
    if (!(await isFolder(place))) return false;
    return someFile(filesBelow(place, isSessionName), async (file) => looksRight(linesIn(await headOf(file), beginning)));
  },
  read: (place) =>
    eachSession(filesOf(place, isSessionName), async (file) => {
      if (/\/subagents\//.test(file.slice(place.length))) return undefined;
      const budget = readingBudget();
      const records = linesIn(await contentsOf(file, budget));
      return file === place || looksRight(records.slice(0, beginning)) ? sessionOf(file, records, budget) : undefined;
    }),
};

const isSessionName = (name: string): boolean => name.endsWith(".jsonl") && !name.startsWith("agent-");
/** Lines that tell whose a file is. */
const beginning = 50;
const looksRight = (records: readonly JsonObject[]): boolean =>
  records.some((record) => isSpoken(record) && textIn(record, "sessionId") !== "");
const isSpoken = (record: JsonObject): boolean => ["user", "assistant"].includes(textIn(record, "type"));

async function sessionOf(file: string, records: readonly JsonObject[], budget: ReadingBudget): Promise<ImportedSession> {
  const name = basename(file).replace(/\.jsonl$/, "");
  if (!records.some(isSpoken)) throw new DamagedError(`${file} is no session of Claude Code: no line of it is a message.`);
  const below = join(dirname(file), name, "subagents");
  const others: { id: string; records: readonly JsonObject[] }[] = [];
  if (await isFolder(below))
    for await (const path of filesBelow(below, (one) => /^agent-.*\.jsonl$/.test(one))) {
      if (typeof path !== "string") throw path;
      const id = basename(path).replace(/^agent-|\.jsonl$/g, "");
      others.push({ id, records: linesIn(await contentsOf(path, budget)) });
    }
  const first = records.find(isSpoken) ?? {};
  const answer = records.find((record) => textIn(record, "type") === "assistant" && isReal(record));
  const model = textIn(objectIn(answer, "message"), "model");
  return {
    format: "claude-code",
    name,
    file,
    agent: { name: "claude-code", version: textIn(first, "version") || "unknown" },
    model: model === "" ? "" : `anthropic/${model}`,
    tools: [],
    items: claudeItems(records, others),
    digest: digestOf(budget),
    facts: {
      session: textIn(first, "sessionId"),
      cwd: textIn(first, "cwd"),
      gitBranch: textIn(first, "gitBranch"),
    },
  };
}

const isReal = (record: JsonObject): boolean => textIn(objectIn(record, "message"), "model") !== "<synthetic>";
