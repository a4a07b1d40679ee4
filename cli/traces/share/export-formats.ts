import type { ExportedRun } from "../../../traces/export/exported-run.ts";

/** What a run became, by file name: the first is the run itself, others belong to it. */
export type ExportedFiles = ReadonlyMap<string, string | Uint8Array>;
export type ExportFormat = keyof typeof exportFormats;

export const isExportFormat = (name: string): name is ExportFormat => Object.hasOwn(exportFormats, name);

/** Each loads what it needs when it is asked for. */
export const exportFormats = {
  atif: {
    async write(run: ExportedRun): Promise<ExportedFiles> {
      const { atifOfRun } = await import("../../../traces/export/atif/atif-of-run.ts");
      const { trajectory, files } = atifOfRun(run);
      return new Map<string, string | Uint8Array>([["trajectory.json", `${JSON.stringify(trajectory, null, 2)}\n`], ...files]);
    },
  },
  otlp: {
    async write(run: ExportedRun): Promise<ExportedFiles> {
      const { otlpOfRun } = await import("../../../traces/export/otlp/otlp-of-run.ts");
      return new Map([["traces.json", `${JSON.stringify(otlpOfRun(run))}\n`]]);
    },
  },
  markdown: {
    async write(run: ExportedRun): Promise<ExportedFiles> {
      const { runMarkdown } = await import("../../../reports/markdown/run.ts");
      const { runStory } = await import("../../../reports/content/run-story.ts");
      return new Map([["run.md", runMarkdown(runStory(run))]]);
    },
  },
  html: {
    async write(run: ExportedRun): Promise<ExportedFiles> {
      const { runPage } = await import("../../../reports/html/run-page.ts");
      const { runStory } = await import("../../../reports/content/run-story.ts");
      return new Map([["run.html", runPage(runStory(run))]]);
    },
  },
} as const;
