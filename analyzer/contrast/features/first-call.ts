import { actsOf } from "../../detectors/acts/acts-of.ts";
import type { Act } from "../../detectors/acts/act.ts";
import type { AnalyzedRun } from "../../runs/analyzed-run.ts";
import { editsFiles, fails, looksAtFiles, shellPrograms } from "../commands.ts";
import { type OwnFeature, placeOfOutput, placeOfCall, type Place } from "../feature.ts";

const refusals = ["unknown_tool", "bad_arguments", "unparsed"];
const isRefused = ({ step: { error, unreadable } }: Act): boolean =>
  unreadable !== undefined || (error !== undefined && refusals.includes(error));

const first = (described: Omit<OwnFeature, "scope" | "find">, find: (call: Act, run: AnalyzedRun) => Place | undefined): OwnFeature => ({
  ...described,
  scope: "first reply",
  find(run) {
    const [call] = actsOf(run);
    return call && call.step.turn === run.replies[0]?.turn ? find(call, run) : undefined;
  },
});

/** Tool and form of the call in the first reply, and what came back. */
export const firstCall: readonly OwnFeature[] = [
  first(
    {
      name: "first-call-refused",
      needsEffects: true,
      shown: { says: "The first call is refused before it runs.", explains: { kind: "malformed-call", lever: "tool-call-repair" } },
      lacking: { says: "The first call is not refused." },
    },
    (call) => (isRefused(call) ? placeOfOutput(call, call.step.error ?? "unreadable") : undefined),
  ),
  first(
    {
      name: "first-call-fails",
      needsEffects: true,
      shown: { says: "The first call runs and fails.", explains: { kind: "wrong-place", lever: "local-context-onboarding" } },
      lacking: { says: "The first call runs and does not fail." },
    },
    (call) => (fails(call) && !isRefused(call) ? placeOfOutput(call, call.step.error ?? "failed") : undefined),
  ),
  first(
    {
      name: "first-call-other-tool",
      needsEffects: false,
      shown: { says: "The first call is not of the shell.", explains: { kind: "malformed-call", lever: "other-tool" } },
      lacking: { says: "The first call is of the shell.", explains: { kind: "wrong-place", lever: "other-tool" } },
    },
    (call) => (call.role === "shell" ? undefined : placeOfCall(call, call.step.tool.slice(0, 40))),
  ),
  first(
    {
      name: "first-call-edits",
      needsEffects: true,
      shown: { says: "The first call changes files.", explains: { kind: "wrong-cause", lever: "local-context-onboarding" } },
      lacking: { says: "The first call changes no file." },
    },
    (call) => (editsFiles(call) ? placeOfCall(call) : undefined),
  ),
  first(
    {
      name: "first-call-looks",
      needsEffects: false,
      shown: { says: "The first call only looks at what is there.", explains: { kind: "over-thinking", lever: "prompt-section" } },
      lacking: {
        says: "The first call does not look at what is there.",
        explains: { kind: "wrong-cause", lever: "local-context-onboarding" },
      },
    },
    (call) => (looksAtFiles(call) && !editsFiles(call) ? placeOfCall(call) : undefined),
  ),
  first(
    {
      name: "first-call-script",
      needsEffects: false,
      shown: { says: "The first call is a script of several commands.", explains: { kind: "wrong-cause", lever: "prompt-section" } },
      lacking: { says: "The first call is a single command.", explains: { kind: "no-check", lever: "prompt-section" } },
    },
    (call) => (shellPrograms(call).length > 1 ? placeOfCall(call) : undefined),
  ),
];
