import { z } from "zod";
import { middleware, type Run } from "../harness/contract/middleware.ts";
import { contextMessage, noContext, shortContext } from "./local-context/prompt.ts";
import { parseSnapshot } from "./local-context/parse-snapshot.ts";
import { createScript } from "./local-context/script.ts";

const name = "local-context";

const options = z
  .strictObject({
    timeoutMs: z
      .int()
      .min(100)
      .max(120_000)
      .default(15_000)
      .describe("milliseconds the script may take; what it printed until then is used"),
    depth: z.int().min(1).max(8).default(3).describe("levels of folders listed below the working folder"),
    entries: z.int().min(1).max(500).default(60).describe("files and folders listed at most"),
    maxBytes: z.int().min(256).max(16_384).default(2048).describe("bytes of the message at most; the file list is shortened first"),
    tools: z
      .array(z.string().regex(/^[\w.+-]+$/, "a command's name: letters, digits, . + - _"))
      .max(40)
      .default(["git", "python3", "pip", "pytest", "node", "npm", "go", "cargo", "java", "gcc", "make", "rg", "jq", "curl"])
      .describe("commands to look for"),
  })
  .describe(
    "Shows the model at the start where it is, so that it need not find out by trial: working folder, git state, languages, package manager, test command, tools that are there and that are not, and the files. One POSIX script in the sandbox, nothing outside the working folder.",
  );

/** Source: LangChain, "Improving Deep Agents with harness engineering" (2026), `LocalContextMiddleware`. */
export const localContext = middleware(name, "2", options, (o) => ({
  async start(run) {
    const { message, lack } = await lookAround(run, o);
    if (lack) run.intervene(lack.change, lack.why);
    return message === undefined ? undefined : { messages: [message] };
  },
}));

interface Look {
  readonly message?: string;
  /** What is missing of it, and why: an event, so that a run without its context can be told from one with it. */
  readonly lack?: { readonly change: string; readonly why: string };
}

async function lookAround(run: Run, o: z.infer<typeof options>): Promise<Look> {
  const { status, exitCode, stdout } = await run.exec(createScript(o), { timeoutMs: o.timeoutMs });
  const facts = parseSnapshot(stdout);
  const why =
    status === "timeout"
      ? `the script did not finish in ${o.timeoutMs} ms`
      : status === "killed"
        ? "the sandbox lost the script"
        : `the script ended early with exit code ${exitCode}`;
  if (facts === undefined) return { lack: { change: noContext, why } };
  const message = contextMessage(facts, o);
  return facts.complete ? { message } : { message, lack: { change: shortContext, why } };
}
