import type { ConfigFile } from "../../harness/config/schema.ts";
import { article } from "./article.ts";
import { bare } from "./bare.ts";
import { standard } from "./standard.ts";

/** Configurations by name, for `extends` and `--config`. A preset whose meaning changes gets another version, said in its file. */
export const presets: Readonly<Record<string, ConfigFile>> = { bare, article, standard };
