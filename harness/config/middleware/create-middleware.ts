import { CannotError, messageOf } from "../../errors.ts";
import type { AnyMiddleware, AnyMiddlewareDefinition } from "../../contract/middleware.ts";
import { importRecorded } from "../code/import-recorded.ts";
import { importDefinition } from "./load-user-middleware.ts";
import type { ResolvedConfig, ResolvedMiddleware } from "../../contract/resolved-config.ts";

/**
 * The middleware of a resolved configuration, outermost first: of one just loaded or of one that a trace recorded. A user's file is loaded
 * from where it was while it is unchanged, else, with `trust`, from its recorded text (code out of a trace: only for traces one trusts).
 * Throws `CannotError` when this Forge has not the recorded middleware, or has another version of it.
 */
export function createMiddleware(
  config: Pick<ResolvedConfig, "middleware">,
  known: Readonly<Record<string, AnyMiddlewareDefinition>>,
  o: { trust: boolean },
): Promise<AnyMiddleware[]> {
  return Promise.all(
    config.middleware.map(async (recorded) => {
      const definition = recorded.source
        ? await importRecorded(recorded.source, { trust: o.trust, kind: "middleware" }, importDefinition)
        : [`${recorded.name}@${recorded.version}`, recorded.name].flatMap((name) => (Object.hasOwn(known, name) ? [known[name]] : []))[0];
      const have = definition?.name === recorded.name ? definition.version : undefined;
      if (!definition || have !== recorded.version)
        throw new CannotError(
          `The configuration needs middleware "${recorded.name}" version ${recorded.version}, and this Forge has ${have === undefined ? "none of this name" : `version ${have}`}; use the Forge that recorded it.`,
        );
      return made(definition, recorded);
    }),
  );
}

/** As ours takes them: one that came later has its default. A user's own schema may have made them of something else, and they stay as they are. */
function optionsOf({ options: schema }: AnyMiddlewareDefinition, { name, options, source }: ResolvedMiddleware): unknown {
  if (source) return options;
  const { data, error } = schema.safeParse(options);
  const [issue] = error?.issues ?? [];
  if (!issue) return data;
  throw new CannotError(
    `The middleware "${name}" does not take the recorded options ${JSON.stringify(options).slice(0, 200)}: ${[...(issue.path.length > 0 ? [issue.path.join(".")] : []), issue.message].join(": ")}. Use the Forge that recorded it.`,
  );
}

/** What is recorded may be anything: a middleware that cannot begin with it is not there for this run. */
function made(definition: AnyMiddlewareDefinition, recorded: ResolvedMiddleware): AnyMiddleware {
  const options = optionsOf(definition, recorded);
  try {
    return definition.create(options);
  } catch (error) {
    throw new CannotError(
      `The middleware "${recorded.name}" does not take the options ${JSON.stringify(options).slice(0, 200)}: ${messageOf(error)}.`,
    );
  }
}
