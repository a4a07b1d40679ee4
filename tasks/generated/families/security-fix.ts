import type { Family } from "../family.ts";
import { drawHoledProgram } from "../security-fix/holed-program.ts";
import { notes } from "../security-fix/notes.ts";
import { shelf } from "../security-fix/shelf.ts";
import { states } from "../security-fix/states.ts";
import { texts } from "../security-fix/texts.ts";

/** Programs that strangers can misuse: by queries, commands, paths, and data that is carried out. */
export const securityFix: Family = {
  name: "security-fix",
  summary: "close the holes of a program that answers strangers' requests (SQL, shell, paths, pickles and eval), and keep it useful",
  split: "train",
  tags: ["security", "python"],
  draw: drawHoledProgram([notes, shelf, states, texts]),
};
