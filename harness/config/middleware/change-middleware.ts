import { ConfigError } from "../../errors.ts";
import type { ConfigRegistry } from "../config-registry.ts";
import { keyPath } from "../read/describe-issue.ts";
import { didYouMean } from "../../text/did-you-mean.ts";
import { resolveMiddleware } from "./resolve-middleware.ts";
import type { MiddlewareEntry, Placed } from "../stack/stack-config.ts";

/** A configuration's middleware made into an arm of its own: some left out, some options set. Everything else stays as it is. */
export interface MiddlewareChange {
  /** What the changed configuration is called. */
  readonly name: string;
  /** Names that resolved middlewares have. */
  readonly without?: readonly string[];
  readonly set?: readonly OptionValue[];
}

/** One option of one middleware. */
export interface OptionValue {
  /** `loop-detection.fileSoft`: the middleware's name and the key of its option. */
  readonly target: string;
  /** Plain JSON. */
  readonly value: unknown;
  /** Where the user said so, for messages. */
  readonly label: string;
}

type Resolved = Awaited<ReturnType<typeof resolveMiddleware>>;

/**
 * Carries out a change on middleware that is already looked up; an option that is set is checked against the middleware's schema together with those
 * that the configuration gives.
 * @throws ConfigError with the option, the value, what was expected and where it was said
 */
export async function changeMiddleware(
  all: Resolved,
  { name, without = [], set = [] }: MiddlewareChange,
  registry: Pick<ConfigRegistry, "middleware" | "loadUserMiddleware">,
): Promise<Resolved> {
  const entries = new Map(all.map(({ entry, resolved }) => [resolved.name, entry]));
  for (const gone of without) {
    if (!entries.delete(gone)) throw new ConfigError(`${name}: there is no middleware "${gone}" to leave out, ${theyAre(gone, all)}`);
  }
  for (const option of set) {
    const { middleware, key } = targetOf(option, all);
    const entry = entries.get(middleware);
    if (entry) entries.set(middleware, withOption(entry, middleware, key, option));
  }
  return resolveMiddleware([...entries.values()], registry);
}

/** A middleware's name may hold dots, its option's key none. */
function targetOf({ target, label }: OptionValue, all: Resolved): { middleware: string; key: string } {
  const dot = target.lastIndexOf(".");
  const [middleware, key] = [target.slice(0, dot), target.slice(dot + 1)];
  if (dot < 1 || key === "")
    throw new ConfigError(`${label}: expected a middleware's name, a dot and an option, such as loop-detection.fileSoft=3,5,8`);
  if (!all.some(({ resolved }) => resolved.name === middleware))
    throw new ConfigError(`${label}: the configuration has no middleware "${middleware}", ${theyAre(middleware, all)}`);
  return { middleware, key };
}

const theyAre = (written: string, all: Resolved): string =>
  didYouMean(
    written,
    all.map(({ resolved }) => resolved.name),
    "it has",
  );

/** The entry with one option more; a mistake in it is told by its name and where it was said, any other one by where it stands. */
function withOption(
  entry: Placed<MiddlewareEntry>,
  middleware: string,
  key: string,
  { value, label }: OptionValue,
): Placed<MiddlewareEntry> {
  const { from, path } = entry;
  const own = [...path, key];
  return {
    value: { ...entry.value, options: { ...entry.value.options, [key]: value } },
    path,
    from: {
      ...from,
      place: (at, onKey) =>
        keyPath(at).startsWith(keyPath(own)) ? label : `${from.place(at, onKey)}, with ${label} as ${middleware}.${key}`,
    },
  };
}
