import { ConfigError } from "../../harness/errors.ts";

/** Environment variables by name, such as `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Fills in `${NAME}` and `${NAME:-default}` where they are a whole value, as Harbor's runner does. `place` is file and table, for the message.
 * Throws `ConfigError` for a variable that is not set and has no default.
 */
export function resolveEnv(table: Readonly<Record<string, string>>, variables: Variables, place: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(table).map(([key, value]) => {
      const template = /^\$\{([^}:]+)(?::-(.*))?\}$/s.exec(value);
      if (template?.[1] === undefined) return [key, value];
      const found = variables[template[1]] ?? template[2];
      if (found === undefined) {
        throw new ConfigError(
          `${place}.${key}: wants the environment variable ${template[1]}, which is not set. Export it, or write \${${template[1]}:-default}.`,
        );
      }
      return [key, found];
    }),
  );
}
