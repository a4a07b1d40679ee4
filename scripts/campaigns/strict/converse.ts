import { z } from "zod";
import type { Effort } from "../../../harness/contract/model-row.ts";
import { messageOf } from "../../../harness/errors.ts";
import { eventfulModel, forbidden } from "../../../test/servers/eventful-model.ts";
import { startStrictProviders } from "../../../test/servers/strict/strict-providers.ts";
import { type Case, type Found, listen, markOfCase } from "./case.ts";
import { type ForgeParts, sourceParts } from "./forge-parts.ts";

/**
 * Holds the conversation of each case inside this process: the real configuration, model, loop and middlewares, with tools that need no machine. Solved is a
 * case whose model has written the script, seen what it prints, and come to an end.
 */
export async function converse(cases: readonly Case[], parts: ForgeParts = sourceParts): Promise<Found[]> {
  const heard = listen();
  const server = await startStrictProviders(eventfulModel(), heard.hear);
  const found: Found[] = [];
  try {
    for (const one of cases) {
      const ran: string[] = [];
      const why = await hold(one, { parts, env: server.env, ran }).catch(messageOf);
      const solved = why === undefined && ran.some((command) => command.includes("> greet.sh"));
      found.push({ ...one, solved, ...heard.of(one), ...(why === undefined ? {} : { why }) });
    }
    return found;
  } finally {
    await server.close();
  }
}

interface Place {
  readonly parts: ForgeParts;
  readonly env: Readonly<Record<string, string>>;
  /** Gets the commands that the model runs. */
  readonly ran: string[];
}

async function hold(one: Case, { parts, env, ran }: Place): Promise<string | undefined> {
  const { configRegistry, systemClock: clock, nobody: user } = parts;
  const effort = one.effort === "unset" ? {} : { effort: one.effort as Effort }; // a build may know others
  const flags = { model: { name: one.model, ...effort }, prompt: { case: markOfCase(one) } };
  const sources = parts.benchSources({ cwd: "/", config: one.preset, defaultModel: one.model, flags });
  const config = await parts.loadConfig(sources, configRegistry);
  const tools = parts.createFixtureTools({
    bash: ({ args }) => (ran.push(String(args["command"])), "Hello, world!"),
    read: () => ({ content: [{ type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" }] }),
    list_dir: () => "STYLE.txt",
  });
  const ports = {
    model: await parts.createModel(config.model, env, { clock }),
    tools: { ...tools, schemas: config.tools },
    sandbox: parts.createFixtureSandbox({}),
    clock,
    random: parts.randomPort(1),
    user,
    sink: { emit: () => undefined, flush: async () => undefined },
  };
  const middleware = [...(await parts.assembleMiddleware(config, { trust: false })), guardOf(parts).create({})];
  const { outcome } = await parts.runAgent(config, ports, { task: "Write greet.sh." }, { middleware });
  if (outcome.type === "done") return undefined;
  return outcome.type === "error" ? outcome.message : outcome.type;
}

/** Denies a call with a message to the model, and sends the run on once when it wants to end. */
const guardOf = ({ middleware }: ForgeParts) =>
  middleware("guard", "1", z.strictObject({}), () => ({
    async tool(call, next, run) {
      if (call.args["command"] !== forbidden) return next(call);
      run.inject("That file stays closed. Go on without it.", "a closed file");
      return { status: "denied", content: [{ type: "text", text: "Denied." }], effects: { edited: [] } };
    },
    async finish(run) {
      const again = run.log.interventions.some((done) => done.middleware === "guard" && done.change === "resume");
      return again ? undefined : { message: "Look once more whether it greets.", why: "once more" };
    },
  }));
