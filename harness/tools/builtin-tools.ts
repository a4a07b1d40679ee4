import { bashOutput } from "./shell/bash-output.ts";
import { bash, type BashOptions } from "./shell/bash.ts";
import { edit } from "./files/edit.ts";
import { glob } from "./search/glob.ts";
import { grep } from "./search/grep.ts";
import { killShell } from "./shell/kill-shell.ts";
import { listDir } from "./files/list-dir.ts";
import { read } from "./files/read.ts";
import { todo } from "./todo.ts";
import type { Tool } from "./tool.ts";
import { write } from "./files/write.ts";

/** Every built-in tool by the name that a configuration and the model use. */
export const builtinTools: Readonly<Record<string, (o?: BashOptions) => Tool>> = {
  bash,
  bash_output: bashOutput,
  kill_shell: killShell,
  read,
  write,
  edit,
  glob,
  grep,
  list_dir: listDir,
  todo,
};
