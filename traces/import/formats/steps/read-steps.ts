import { lstat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { CannotError } from "../../../../harness/errors.ts";
import { isObject, type Json } from "../../../../harness/json.ts";
import type { TraceReader } from "../../imported-session.ts";
import { eachSession } from "../each-session.ts";
import { member, textIn } from "../lenient-fields.ts";
import { bytesOf, digestOf, filesBelow, filesOf, isFile, isFolder, jsonIn, readingBudget, someFile } from "../session-files.ts";
import { checkSteps } from "./check-steps.ts";
import { labelFields } from "./steps-schema.ts";
import { stepsSession } from "./steps-session.ts";

/** Runs of any agent in the form that docs/steps-format.md describes: a JSON file a run. */
export const stepsReader: TraceReader = {
  format: "steps",
  takes: "a run as steps.json, or a folder with some (also NAME.steps.json)",
  async recognizes(place) {
    if (await isFile(place)) return place.endsWith(".json") && looksRight(await jsonIn(place).catch(() => null));
    return (await isFolder(place)) && someFile(filesBelow(place, isStepsName), async (file) => looksRight(await jsonIn(file)));
  },
  async *read(place) {
    if ((await lstat(place).catch(() => undefined))?.isSymbolicLink() === true)
      throw new CannotError(`${place} is a link, and links are not followed; name the file or folder that it leads to.`);
    yield* eachSession(filesOf(place, isStepsName), async (file) => {
      if (
        relative(place, dirname(file))
          .split("/")
          .some((part) => labelFields.includes(part))
      )
        return undefined;
      const budget = readingBudget();
      const raw = checkSteps(file, await bytesOf(file, budget));
      return stepsSession(raw, { file, name: nameOf(file, place), digest: digestOf(budget) });
    });
  },
};

const isStepsName = (name: string): boolean => name === "steps.json" || name.endsWith(".steps.json");
const looksRight = (value: Json): boolean =>
  isObject(value) && textIn(value, "task") !== "" && textIn(value, "instruction") !== "" && Array.isArray(member(value, "steps"));

/** After its folder, below the place; a file of another name after itself. */
function nameOf(file: string, place: string): string {
  const folder = file === place ? "" : relative(place, dirname(file));
  if (basename(file) === "steps.json") return folder === "" ? basename(dirname(resolve(file))) : folder;
  return join(folder, basename(file).replace(/(?:\.steps)?\.json$/, ""));
}
