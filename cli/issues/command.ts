import type { Command } from "commander";
import { withHelp } from "../shared/command-help.ts";
import { withOptions } from "../shared/option-table.ts";
import {
  acceptOptions,
  applyOptions,
  editOptions,
  exportOptions,
  listOptions,
  rejectOptions,
  showOptions,
  type AcceptFlags,
  type ApplyFlags,
  type EditFlags,
  type ExportFlags,
  type RejectFlags,
  type StoreFlags,
} from "./options.ts";

const named = "its number, or the beginning of its id";

export function registerIssues(program: Command): void {
  const issues = program
    .command("issues")
    .summary("review, accept or reject suggested changes")
    .description(
      "What forge analyze found: look at the evidence, and accept, edit or reject a change. Alone, on a terminal, it takes keys.",
    )
    .action(async (options: StoreFlags) => {
      const { reviewIssues } = await import("./review-issues.ts");
      await reviewIssues(options);
    });
  withHelp(withOptions(issues, listOptions), {
    details:
      "Only an accepted patch changes a configuration. A patch extends the configuration that was run, and is a file that --config takes.",
    examples: [
      ["forge issues", "one after the other, with a key for each decision"],
      ["forge issues show 1", "evidence, the change, what it would win"],
      ["forge issues accept 1", "writes files that forge bench --config takes"],
    ],
  });
  const list = issues
    .command("list")
    .description("a line an issue: open ones first, then by predicted gain")
    .action(async (options: StoreFlags) => {
      const { listIssues } = await import("./show-issues.ts");
      await listIssues(options);
    });
  withHelp(withOptions(list, listOptions), { examples: [["forge issues list"], ["forge issues list --json"]] });
  const show = issues
    .command("show")
    .description("one issue: counts, contrast, evidence, the change as a diff, prediction and leak check")
    .argument("<issue>", named)
    .action(async (issue: string, options: StoreFlags) => {
      const { showIssue } = await import("./show-issues.ts");
      await showIssue(issue, options);
    });
  withHelp(withOptions(show, showOptions), { examples: [["forge issues show 1"]] });
  const accept = issues
    .command("accept")
    .description("write the patch as a file that --config takes; records who, when, and the harness hash before and after")
    .argument("<issue>", named)
    .action(async (issue: string, options: AcceptFlags) => {
      const { acceptIssues } = await import("./decide-issues.ts");
      await acceptIssues(issue, options);
    });
  withHelp(withOptions(accept, acceptOptions), {
    examples: [["forge issues accept 1"], ["forge issues accept 1 --base mine.yaml", "over your own file"]],
  });
  const edit = issues
    .command("edit")
    .description("put another patch in its place, by your editor or from a file")
    .argument("<issue>", named)
    .action(async (issue: string, options: EditFlags) => {
      const { editIssue } = await import("./decide-issues.ts");
      await editIssue(issue, options);
    });
  withHelp(withOptions(edit, editOptions), { examples: [["forge issues edit 1 --patch mine.yaml"]] });
  const reject = issues
    .command("reject")
    .description("record why a change is rejected; it is not proposed again")
    .argument("<issue>", named)
    .action(async (issue: string, options: RejectFlags) => {
      const { rejectIssues } = await import("./decide-issues.ts");
      await rejectIssues(issue, options);
    });
  withHelp(withOptions(reject, rejectOptions), { examples: [['forge issues reject 2 --reason "the tests are at fault"']] });
  const apply = issues
    .command("apply")
    .description("add an accepted patch to a configuration's file, after showing the diff")
    .argument("<issue>", named)
    .action(async (issue: string, options: ApplyFlags) => {
      const { apply: applyIssue } = await import("./apply-issue.ts");
      process.exitCode = await applyIssue(issue, options);
    });
  withHelp(withOptions(apply, applyOptions), {
    examples: [["forge issues apply 1 --to forge.yaml"]],
    exitCodes: "0 applied, or nothing to change · 1 you declined",
  });
  const exported = issues
    .command("export")
    .description("all issues as Markdown")
    .action(async (options: ExportFlags) => {
      const { exportIssues } = await import("./show-issues.ts");
      await exportIssues(options);
    });
  withHelp(withOptions(exported, exportOptions), { examples: [["forge issues export > issues.md"]] });
}
