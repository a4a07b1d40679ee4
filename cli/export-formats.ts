import type { ExportedRun } from "../traces/export/exported-run.ts";

/** What a run became, by file name: the first is the run itself, others belong to it. */
export type ExportedFiles = ReadonlyMap<string, string | Uint8Array>;
export type ExportFormat = keyof typeof exportFormats;

export const isExportFormat = (name: string): name is ExportFormat => Object.hasOwn(exportFormats, name);

/** Each loads what it needs when it is asked for. */
export const exportFormats = {
  atif: {
    async write(run: ExportedRun): Promise<ExportedFiles> {
      const { atifOfRun } = await import("../traces/export/atif/atif-of-run.ts");
      const { trajectory, files } = atifOfRun(run);
      return new Map<string, string | Uint8Array>([["trajectory.json", `${JSON.stringify(trajectory, null, 2)}\n`], ...files]);
    },
  },
} as const;
