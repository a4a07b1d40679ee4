import { directions } from "../directions.ts";
import type { Draw } from "../draw.ts";
import type { Family, Level, TaskDraft } from "../family.ts";
import { callerFile, changeLines, drawMigration, moduleFile, registry, type Migration, type Move } from "../long-horizon/migration.ts";
import { verifyMigration } from "../long-horizon/verify-migration.ts";
import { bash } from "../plan-parts.ts";
import { writeFile } from "../text.ts";

/** Many small changes after a list, none of which may be forgotten. */
export const longHorizon: Family = {
  name: "long-horizon",
  summary: "move a tree of modules over after a list of more than thirty steps, with rules at its end that change some of them",
  split: "validation",
  tags: ["refactoring", "python", "long"],
  draw,
};

interface Step {
  readonly say: string;
  readonly script: string;
}

/** What is done wrongly on purpose; nothing, for the solution. */
interface Lapse {
  /** Follows the list without the rules at its end. */
  readonly stopsReading?: boolean;
  /** This module's change only looks right. */
  readonly almost?: string;
  /** This module is not reached any more. */
  readonly forgets?: string;
}

function draw(d: Draw, level: Level): TaskDraft {
  const migration = drawMigration(d, level);
  const { folder, moves, list, frozenTeam } = migration;
  const callers = level === "hard";
  const someMove = d.pick(moves.filter(({ frozen }) => !frozen));
  const solve = script(steps(migration, callers, {}));
  const asked = askedFor(migration, callers);
  const files = (after: boolean): Record<string, string> => ({
    ...Object.fromEntries(
      moves.map((move) => [
        `${folder}/${move.name}.py`,
        moduleFile(move, { body: move.now, renamed: after, version: after ? move.version : 1 }),
      ]),
    ),
    "registry.json": registry(migration, after),
    "CHANGES.md": after ? `# Changes\n\n${changeLines(migration)}\n` : "# Changes\n",
  });
  const [begun, finished] = [files(false), files(true)];
  const lapse = script(steps(migration, callers, frozenTeam === undefined ? { forgets: someMove.name } : { stopsReading: true }));
  return {
    instruction: [
      `\`MIGRATION.md\` says what is to become of each module in \`${folder}/\`. Carry all of it out, to its end; the boxes need not be ticked.`,
      Object.values(asked)
        .map((line) => `- ${line}`)
        .join("\n"),
    ].join("\n\n"),
    ...(level === "easy" && { directions: directions(begun, finished) }),
    app: {
      "MIGRATION.md": list,
      [`${folder}/__init__.py`]: "",
      ...begun,
      ...(callers && { "call.py": callerFile(migration, false) }),
    },
    checks: asked,
    verify: verifyMigration(migration, callers),
    solve,
    wrong: {
      ...(frozenTeam !== undefined && { "stops-before-the-end": lapse }),
      "forgets-one-module": script(steps(migration, callers, { forgets: someMove.name })),
      ...(level === "easy"
        ? { "forgets-the-registry": script(steps(migration, callers, {}).slice(0, -2)) }
        : { "one-change-almost": script(steps(migration, callers, { almost: someMove.name })) }),
    },
    plan: {
      steps: [
        { say: "I read the list and the tree.", calls: [bash(`cat MIGRATION.md registry.json ${folder}/*.py`)], check: false },
        ...steps(migration, callers, {}).map(({ say, script: command }) => ({ say, calls: [bash(command)], check: false })),
        {
          say: "I look at the result.",
          calls: [bash(`python3 -c 'import json; json.load(open("registry.json"))' && cat CHANGES.md`)],
          check: true,
        },
      ],
      answer: "Every entry of `MIGRATION.md` has been carried out.",
      slip: [{ say: "I carry out the list.", calls: [bash(lapse)], check: false }],
      claims: ["CHANGES.md"],
    },
  };
}

function askedFor({ moves, frozenTeam }: Migration, callers: boolean): Record<string, string> {
  const changes = moves.some((move) => move.changes);
  return {
    ...(changes && { behaviour: "Each function does what its entry says." }),
    names: `Each function has its new name${changes ? "" : " and does what it did"}; its old name still works, or is gone, as its entry says.`,
    versions: "Each module's `VERSION` is what the whole list says it is.",
    registry: "`registry.json` names each module's present function and version, and is otherwise as it was.",
    changes:
      "`CHANGES.md` has, below its heading, one line for each module whose function has a new name, `- MODULE VERSION: NEW_NAME`, in alphabetical order.",
    ...(frozenTeam !== undefined && {
      frozen: "What the list exempts stays as it is but for its version, in its file and in the registry.",
    }),
    ...(callers && { caller: "`call.py` goes on working: `python3 call.py MODULE ARGUMENTS` calls each module's present function." }),
  };
}

/** All that is to be done, one small thing a step. */
function steps(migration: Migration, callers: boolean, lapse: Lapse): Step[] {
  const { folder, moves } = migration;
  const seen: Migration = lapse.stopsReading
    ? { ...migration, moves: moves.map((move) => ({ ...move, version: move.listed, frozen: false })) }
    : migration;
  const ofModules = seen.moves
    .filter(({ name }) => name !== lapse.forgets)
    .flatMap((move) => stepsOf(move, `${folder}/${move.name}.py`, lapse.almost === move.name));
  return [
    ...ofModules,
    ...(callers ? [{ say: "I let the caller use the new names.", script: writeFile("call.py", callerFile(seen, true)) }] : []),
    { say: "I write the registry.", script: writeFile("registry.json", registry(seen, true)) },
    { say: "I write down what has changed.", script: writeFile("CHANGES.md", `# Changes\n\n${changeLines(seen)}`) },
  ];
}

function stepsOf(move: Move, file: string, almost: boolean): Step[] {
  const { name, newName, frozen, version, changes } = move;
  if (frozen)
    return [{ say: `${name} is frozen.`, script: writeFile(file, moduleFile(move, { body: move.now, renamed: false, version })) }];
  const body = changes ? (almost ? move.almost : move.after) : move.now;
  const write = (renamed: boolean, number: number): string => writeFile(file, moduleFile(move, { body, renamed, version: number }));
  return [
    ...(changes ? [{ say: `I change what ${name} does.`, script: write(false, 1) }] : []),
    { say: `I call it ${newName}.`, script: write(true, 1) },
    { say: `I set its version to ${version}.`, script: write(true, version) },
  ];
}

const script = (all: readonly Step[]): string => all.map((step) => step.script).join("");
