import { editByHand } from "../config-edit/by-hand.ts";
import { setTool } from "../config-edit/set-tool.ts";
import type { Family } from "../family.ts";
import { drawRuleBook } from "../rule-book.ts";

const tool = drawRuleBook([setTool]);

/** One change in a configuration file, everything else byte for byte as it was: by hand (easy), or by a program for any such file. */
export const configEdit: Family = {
  name: "config-edit",
  summary: "set a value in an INI, TOML, YAML or nginx-like file, or write a program for it; all the rest of the file must stay",
  split: "train",
  tags: ["configuration", "text"],
  draw: (d, level) => (level === "easy" ? editByHand(d) : tool(d, level)),
};
