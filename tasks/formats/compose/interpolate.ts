/**
 * Fills variables into one text of a compose file: `$NAME`, `${NAME}`, `${NAME:-default}`, `${NAME-default}`, `${NAME:?why}`, `${NAME:+other}`;
 * `$$` is a dollar. What is not set is empty and told to `missing`; a `?` whose variable is not set to `required`, with its message.
 */
export function interpolate(
  text: string,
  variables: Readonly<Record<string, string>>,
  tell: { missing: (name: string) => void; required: (name: string, why: string) => void },
): string {
  return text.replace(
    /\$(?:\$|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?:(:?[-?+])([^}]*))?\})/g,
    (whole, bare: string | undefined, braced: string | undefined, operator: string | undefined, word = "") => {
      const name = bare ?? braced;
      if (name === undefined) return "$";
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      const counts = value !== undefined && !(operator?.startsWith(":") === true && value === "");
      const kind = operator?.at(-1);
      if (kind === "+") return counts ? String(word) : "";
      if (counts) return value;
      if (kind === "-") return String(word);
      if (kind === "?") tell.required(name, String(word));
      else if (value === undefined) tell.missing(name);
      return kind === "?" ? whole : "";
    },
  );
}
