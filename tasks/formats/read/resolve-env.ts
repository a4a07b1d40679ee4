import { ConfigError } from "../../../harness/errors.ts";

/** Environment variables by name, such as `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The variable that a whole value stands for, `${NAME}` or `${NAME:-otherwise}`; undefined for any other text. */
export function variableIn(value: string): { readonly name: string; readonly otherwise: string | undefined } | undefined {
  const [, name, otherwise] = /^\$\{([^}:]+)(?::-(.*))?\}$/s.exec(value) ?? [];
  return name === undefined ? undefined : { name, otherwise };
}

/**
 * Fills in `${NAME}` and `${NAME:-default}` where they are a whole value, as Harbor's runner does. `place` is file and table, for the message.
 * Throws `ConfigError` for a variable that is not set and has no default.
 */
export function resolveEnv(table: Readonly<Record<string, string>>, variables: Variables, place: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(table).map(([key, value]) => {
      const asked = variableIn(value);
      if (!asked) return [key, value];
      const found = (Object.hasOwn(variables, asked.name) ? variables[asked.name] : undefined) ?? asked.otherwise;
      if (found === undefined) {
        throw new ConfigError(
          `${place}.${key}: needs the environment variable ${asked.name}, which is not set. Export it, or write \${${asked.name}:-default}.`,
        );
      }
      return [key, found];
    }),
  );
}
