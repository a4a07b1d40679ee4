/**
 * The address of a server without the user and password that stand in it, and these as the value of an `authorization` header: no client takes them in
 * the address itself. What is no URL comes back as it is.
 */
export function splitCredentials(address: string): { readonly url: string; readonly authorization?: string } {
  if (!URL.canParse(address)) return { url: address };
  const url = new URL(address);
  if (url.username === "" && url.password === "") return { url: address };
  const pair = `${decoded(url.username)}:${decoded(url.password)}`;
  url.username = "";
  url.password = "";
  return { url: url.href, authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a percent sign that encodes nothing
  }
}
