import type { Family } from "./family.ts";
import { buildFix } from "./families/build-fix.ts";
import { concurrencyBug } from "./families/concurrency-bug.ts";
import { configEdit } from "./families/config-edit.ts";
import { failingTests } from "./families/failing-tests.ts";
import { gitBisect } from "./families/git-bisect.ts";
import { gitMerge } from "./families/git-merge.ts";
import { gitRestore } from "./families/git-restore.ts";
import { groupTotals } from "./families/group-totals.ts";
import { jsonReshape } from "./families/json-reshape.ts";
import { lastSentence } from "./families/last-sentence.ts";
import { liveService } from "./families/live-service.ts";
import { logAnswers } from "./families/log-answers.ts";
import { longHorizon } from "./families/long-horizon.ts";
import { moduleSpec } from "./families/module-spec.ts";
import { performance } from "./families/performance.ts";
import { pipeline } from "./families/pipeline.ts";
import { plantedBugC } from "./families/planted-bug-c.ts";
import { plantedBugJavascript } from "./families/planted-bug-javascript.ts";
import { plantedBugPython } from "./families/planted-bug-python.ts";
import { plantedBugShell } from "./families/planted-bug-shell.ts";
import { renameRefactor } from "./families/rename-refactor.ts";
import { securityFix } from "./families/security-fix.ts";
import { sqlReport } from "./families/sql-report.ts";

/** Every family, in the order of their names. To add one: write its file in `families/` and name it here. */
export const families: readonly Family[] = [
  buildFix,
  concurrencyBug,
  configEdit,
  failingTests,
  gitBisect,
  gitMerge,
  gitRestore,
  groupTotals,
  jsonReshape,
  lastSentence,
  liveService,
  logAnswers,
  longHorizon,
  moduleSpec,
  performance,
  pipeline,
  plantedBugC,
  plantedBugJavascript,
  plantedBugPython,
  plantedBugShell,
  renameRefactor,
  securityFix,
  sqlReport,
];
