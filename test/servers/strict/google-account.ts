import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The file of a service account whose universe is no Google's: its key signs the token itself, and no server is asked for one. */
export function googleAccount(over: object = {}): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const private_key = privateKey.export({ type: "pkcs8", format: "pem" });
  const file = join(mkdtempSync(join(tmpdir(), "forge-google-")), "account.json");
  const client_email = "me@my-project.example";
  const account = { type: "service_account", project_id: "my-project", client_email, private_key, universe_domain: "loopback.example" };
  writeFileSync(file, JSON.stringify({ ...account, ...over }));
  return file;
}
