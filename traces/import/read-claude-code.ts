import { basename, dirname, join } from "node:path";
import { DamagedError } from "../../harness/errors.ts";
import type { JsonObject } from "../../harness/json.ts";
import { claudeItems } from "./claude-items.ts";
import { eachSession } from "./each-session.ts";
import { linesIn, type LineRecord } from "./lines-in.ts";
import type { ImportedSession, TraceReader } from "./imported-session.ts";
import { objectIn, textIn } from "./loose.ts";
import { contentsOf, filesBelow, filesOf, isFile, isFolder, readingBudget, someFile } from "./session-files.ts";

/**
 * Sessions of Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, with its subagents in `<session>/subagents/`, or (before that) in lines of the
 * session marked as a side chain. The format is not published; what is read here was seen in sessions of versions 1.0 to 2.1.
 */
export const claudeCodeReader: TraceReader = {
  format: "claude-code",
  takes: "a session of Claude Code (.jsonl), or a folder with some",
  async recognizes(place) {
    if (await isFile(place)) return place.endsWith(".jsonl") && looksRight(await contentsOf(place).catch(() => ""));
    if (!(await isFolder(place))) return false;
    return someFile(filesBelow(place, isSessionName, 3), async (file) => looksRight(await contentsOf(file)));
  },
  read: (place) =>
    eachSession(filesOf(place, isSessionName, 3), async (file) => {
      if (file === place) return sessionOf(file);
      return !/\/subagents\//.test(file.slice(place.length)) && looksRight(await contentsOf(file)) ? sessionOf(file) : undefined;
    }),
};

const isSessionName = (name: string): boolean => name.endsWith(".jsonl") && !name.startsWith("agent-");
const looksRight = (text: string): boolean =>
  linesIn(text, 50).some(({ record }) => isSpoken(record) && textIn(record, "sessionId") !== "");
const isSpoken = (record: JsonObject | undefined): boolean => ["user", "assistant"].includes(textIn(record, "type"));

async function sessionOf(file: string): Promise<ImportedSession> {
  const name = basename(file).replace(/\.jsonl$/, "");
  const budget = readingBudget();
  const records = linesIn(await contentsOf(file, budget));
  if (!records.some(({ record }) => isSpoken(record)))
    throw new DamagedError(`${file} is no session of Claude Code: no line of it is a message.`);
  const below = join(dirname(file), name, "subagents");
  const others: { id: string; records: readonly LineRecord[] }[] = [];
  if (await isFolder(below))
    for await (const path of filesBelow(below, (one) => /^agent-.*\.jsonl$/.test(one), 3)) {
      if (typeof path !== "string") throw path;
      const id = basename(path).replace(/^agent-|\.jsonl$/g, "");
      others.push({ id, records: linesIn(await contentsOf(path, budget)) });
    }
  const first = records.find(({ record }) => isSpoken(record))?.record ?? {};
  const answer = records.find(({ record }) => textIn(record, "type") === "assistant" && isReal(record))?.record;
  const model = textIn(objectIn(answer, "message"), "model");
  return {
    format: "claude-code",
    name,
    file,
    agent: { name: "claude-code", version: textIn(first, "version") || "unknown" },
    model: model === "" ? "" : `anthropic/${model}`,
    tools: [],
    items: claudeItems(records, others),
    facts: {
      session: textIn(first, "sessionId"),
      cwd: textIn(first, "cwd"),
      gitBranch: textIn(first, "gitBranch"),
    },
  };
}

const isReal = (record: JsonObject | undefined): boolean => textIn(objectIn(record, "message"), "model") !== "<synthetic>";
