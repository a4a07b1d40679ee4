import { sha256 } from "../../hash/sha256.ts";
import type { Json } from "../../json.ts";

/** Hash of one component of a request (params, system, tools, a message): over its JSON in the order its keys were written. */
export const componentHash = (value: Json | object): string => sha256(JSON.stringify(value));

export const emptyRoot: string = sha256("forge:messages");

/** `root_i = H(root_{i-1} ‖ H(msg_i))`: an added message costs one hash however long the conversation is. */
export const nextRoot = (root: string, messageHash: string): string => sha256(root + messageHash);

export const requestHash = (o: { params: object; seed: number | undefined; systemHash: string; toolsHash: string; root: string }): string =>
  sha256(componentHash({ params: o.params, seed: o.seed }) + o.systemHash + o.toolsHash + o.root);
