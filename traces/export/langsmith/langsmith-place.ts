import { ConfigError } from "../../../harness/errors.ts";

/** Which LangSmith is asked, with which key, and in which of its workspaces. Nothing is ever sent without one. @throws ConfigError */
export function langsmithPlace(env: NodeJS.ProcessEnv): { readonly url: string; readonly key: string; readonly workspace?: string } {
  const key = env["LANGSMITH_API_KEY"]?.trim() ?? "";
  if (key === "")
    throw new ConfigError(
      "LANGSMITH_API_KEY is not set, so nothing was sent to LangSmith; set it, and LANGSMITH_ENDPOINT for a server of your own.",
    );
  const given = env["LANGSMITH_ENDPOINT"]?.trim() || "https://api.smith.langchain.com";
  const url = given.replace(/\/+$/, "");
  if (!/^https?:\/\/[^\s]+$/.test(url) || !URL.canParse(url))
    throw new ConfigError(`LANGSMITH_ENDPOINT: expected an address such as https://api.smith.langchain.com, got ${JSON.stringify(given)}.`);
  const { username, password } = new URL(url);
  if (username !== "" || password !== "")
    throw new ConfigError("LANGSMITH_ENDPOINT: an address with a password in it would be shown; leave it out, the key is enough.");
  const workspace = env["LANGSMITH_WORKSPACE_ID"]?.trim() ?? "";
  return { url, key, ...(workspace === "" ? {} : { workspace }) };
}
