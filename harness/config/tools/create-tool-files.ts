import type { ResolvedConfig } from "../../contract/resolved-config.ts";
import { CannotError } from "../../errors.ts";
import { importRecorded } from "../code/import-recorded.ts";
import { importTool, type ImportedTool } from "./load-user-tool.ts";

/**
 * The user's own tools of a resolved configuration: of one just loaded or of one that a trace recorded. A file is loaded from where it was while it is
 * unchanged, else, with `trust`, from its recorded text. Throws `CannotError` for one that has changed.
 */
export function createToolFiles(config: Pick<ResolvedConfig, "toolFiles">, o: { readonly trust: boolean }): Promise<ImportedTool[]> {
  return Promise.all(
    (config.toolFiles ?? []).map(async ({ name, source }) => {
      const tool = await importRecorded(source, { ...o, kind: "tool" }, importTool);
      if (tool.definition.name === name) return tool;
      throw new CannotError(
        `The tool ${source.path} was recorded as "${name}" and is now named "${tool.definition.name}"; name it as it was.`,
      );
    }),
  );
}
