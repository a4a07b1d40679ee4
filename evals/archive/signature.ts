import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { ConfigError, DamagedError } from "../../harness/errors.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import { signatureName } from "./archive-format.ts";

/** What is signed is told apart from anything else that the key may sign. */
const purpose = "forge job archive v1\n";

const signatureSchema = z.strictObject({
  v: z.literal(1),
  algorithm: z.literal("ed25519"),
  /** SubjectPublicKeyInfo, DER, in base64. */
  publicKey: z.string(),
  /** Over `purpose` and the bytes of the manifest, in base64. */
  signature: z.string(),
});

const cure = "Make one with: openssl genpkey -algorithm ed25519 -out key.pem";

/** An ed25519 key from a PEM file. @throws ConfigError for a file that has none. */
export async function readPrivateKey(path: string): Promise<KeyObject> {
  const pem = await readPem("--sign", path);
  if (pem.includes("ENCRYPTED"))
    throw new ConfigError(`--sign: ${path} is protected by a passphrase, which Forge cannot take; give an unprotected copy.`);
  return ed25519("--sign", path, () => createPrivateKey(pem));
}

/** Of a private key's file the public part is taken. */
export async function readPublicKey(path: string): Promise<KeyObject> {
  const pem = await readPem("--key", path);
  return ed25519("--key", path, () => createPublicKey(pem));
}

/** SHA-256 over the public key: what names a key to a person. */
export function fingerprint(key: KeyObject): string {
  return sha256(publicBytes(key));
}

/** The bytes of `signature.json` for a manifest. */
export function signatureText(manifest: string, key: KeyObject): string {
  const signature = sign(null, Buffer.from(purpose + manifest), key).toString("base64");
  return textOf({ v: 1, algorithm: "ed25519", publicKey: publicBytes(key).toString("base64"), signature });
}

/** Checks a signature against the manifest's bytes; answers the key's fingerprint. @throws DamagedError where it does not fit. */
export function checkSignature(text: string, manifest: string): string {
  let key: KeyObject;
  let signature: Buffer;
  try {
    const found = signatureSchema.parse(JSON.parse(text));
    key = createPublicKey({ key: Buffer.from(found.publicKey, "base64"), format: "der", type: "spki" });
    signature = Buffer.from(found.signature, "base64");
    const again = { ...found, publicKey: publicBytes(key).toString("base64"), signature: signature.toString("base64") };
    if (key.asymmetricKeyType !== "ed25519" || textOf(again) !== text) throw new Error("not as it is written");
  } catch {
    throw new DamagedError(`${signatureName} is not a signature by an ed25519 key.`);
  }
  if (!verify(null, Buffer.from(purpose + manifest), key, signature))
    throw new DamagedError("The signature does not fit the manifest: one of the two was changed after it was signed.");
  return fingerprint(key);
}

const textOf = ({ v, algorithm, publicKey, signature }: z.infer<typeof signatureSchema>): string =>
  `${JSON.stringify({ v, algorithm, publicKey, signature }, null, 2)}\n`;

function publicBytes(key: KeyObject): Buffer {
  return (key.type === "private" ? createPublicKey(key) : key).export({ format: "der", type: "spki" });
}

async function readPem(option: string, path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    throw new ConfigError(`${option}: ${path} cannot be read. ${cure}.`);
  }
}

function ed25519(option: string, path: string, read: () => KeyObject): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch {
    throw new ConfigError(`${option}: ${path} holds no ${option === "--sign" ? "private" : "public"} key in PEM form. ${cure}.`);
  }
  if (key.asymmetricKeyType !== "ed25519")
    throw new ConfigError(
      `${option}: ${path} holds a key of type ${String(key.asymmetricKeyType)}, and archives are signed with ed25519. ${cure}.`,
    );
  return key;
}
