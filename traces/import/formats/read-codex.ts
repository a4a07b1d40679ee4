import { basename } from "node:path";
import { DamagedError } from "../../../harness/errors.ts";
import type { JsonObject } from "../../../harness/json.ts";
import { codexItems } from "./codex-items.ts";
import { eachSession } from "./each-session.ts";
import type { ImportedSession, TraceReader } from "../imported-session.ts";
import { linesIn } from "./lines-in.ts";
import { objectIn, textIn } from "./lenient-fields.ts";
import { contentsOf, digestOf, filesBelow, filesOf, headOf, isFile, isFolder, readingBudget, someFile } from "./session-files.ts";

/** Sessions of Codex: `~/.codex/sessions/<year>/<month>/<day>/rollout-….jsonl`, lines of `response_item`, `event_msg` and the like. */
export const codexReader: TraceReader = {
  format: "codex",
  takes: "a session of Codex (rollout-….jsonl), or a folder with some",
  async recognizes(place) {
    if (await isFile(place)) return place.endsWith(".jsonl") && looksRight(linesIn(await headOf(place).catch(() => ""), beginning));
    if (!(await isFolder(place))) return false;
    return someFile(filesBelow(place, isSessionName), async (file) => looksRight(linesIn(await headOf(file), beginning)));
  },
  read: (place) =>
    eachSession(filesOf(place, isSessionName), async (file) => {
      const budget = readingBudget();
      const records = linesIn(await contentsOf(file, budget));
      return file === place || looksRight(records.slice(0, beginning)) ? sessionOf(file, records, digestOf(budget)) : undefined;
    }),
};

const isSessionName = (name: string): boolean => /^rollout-.*\.jsonl$/.test(name);
const isItem = (record: JsonObject): boolean =>
  textIn(record, "type") === "response_item" && textIn(objectIn(record, "payload"), "type") !== "";
/** Lines that tell whose a file is. */
const beginning = 50;
const looksRight = (records: readonly JsonObject[]): boolean =>
  records.some((record) => isItem(record) || textIn(record, "type") === "session_meta");

function sessionOf(file: string, records: readonly JsonObject[], digest: string): ImportedSession {
  if (!records.some(isItem)) throw new DamagedError(`${file} is no session of Codex: no line of it is a response_item.`);
  const payloadOf = (type: string): JsonObject =>
    objectIn(
      records.find((record) => textIn(record, "type") === type),
      "payload",
    );
  const meta = payloadOf("session_meta");
  const model = textIn(payloadOf("turn_context"), "model");
  return {
    format: "codex",
    name: basename(file).replace(/\.jsonl$/, ""),
    file,
    digest,
    agent: { name: "codex", version: textIn(meta, "cli_version") || "unknown" },
    model: [textIn(meta, "model_provider"), model].filter((part) => part !== "").join("/"),
    tools: [],
    items: codexItems(records),
    facts: { session: textIn(meta, "id"), cwd: textIn(meta, "cwd"), originator: textIn(meta, "originator") },
  };
}
