import type { Draw } from "../draw.ts";
import type { Level } from "../family.ts";
import { text } from "../text.ts";
import { teams } from "../words.ts";
import { modules, type Module } from "./modules.ts";

/** What happens to one module. */
export interface Move extends Module {
  readonly newName: string;
  /** Whether the old name goes on working. */
  readonly keeps: boolean;
  /** As the list says, and as it is right: errata may correct the list. */
  readonly listed: number;
  readonly version: number;
  readonly owner: string;
  /** Left as it is, but for its version. */
  readonly frozen: boolean;
  readonly changes: boolean;
}

/** A tree of small modules and what is to become of it. */
export interface Migration {
  readonly folder: string;
  readonly frozenTeam: string | undefined;
  readonly moves: readonly Move[];
  readonly list: string;
}

const sizes = { easy: 1, medium: 11, hard: 13 } as const;

/** One module with a new name and version (easy); many with a rule of their own each, and rules at the end that change some of them (else). */
export function drawMigration(d: Draw, level: Level): Migration {
  const folder = d.pick(["units", "parts", "rules", "steps"]);
  const [frozenTeam, ...owners] = d.some(teams, 4);
  const names = d.some(["make", "to", "find", "give", "build", "get", "take", "form"], 8);
  const drawn = d.some(modules(d), sizes[level]);
  const frozen = level === "easy" ? [] : d.some(drawn, level === "hard" ? 2 : 1);
  const wrongVersions = level === "hard" ? d.some(drawn.filter((module) => !frozen.includes(module)), 2) : []; // prettier-ignore
  const moves = drawn.map((module, i): Move => {
    const listed = d.int(2, 9);
    const version = frozen.includes(module) ? 0 : wrongVersions.includes(module) ? listed + d.int(10, 40) : listed;
    return {
      ...module,
      newName: `${names[i % names.length]}_${module.name}`,
      keeps: d.chance(0.5),
      listed,
      version,
      owner: frozen.includes(module) ? (frozenTeam ?? "") : d.pick(owners),
      frozen: frozen.includes(module),
      changes: level !== "easy",
    };
  });
  const entry = (move: Move): string => text`
    ## ${move.name}

    ${[
      ...(move.changes ? [`- [ ] What it does: ${move.change}.`] : []),
      `- [ ] The function is called \`${move.newName}\`; the old name \`${move.name}\` ${move.keeps ? "stays and does the same" : "is gone"}.`,
      `- [ ] \`VERSION\` is ${move.listed}.`,
    ].join("\n")}
  `;
  const corrected = moves.filter(({ listed, version, frozen: still }) => !still && listed !== version);
  const last = [
    ...(frozen.length > 0 ? [`- Modules that belong to the team \`${frozenTeam}\` (see \`registry.json\`) are frozen: what this list says of them does not hold. Their \`VERSION\` is 0, and nothing else about them changes.`] : []), // prettier-ignore
    ...corrected.map(({ name, version }) => `- Correction: the \`VERSION\` of ${name} is ${version}.`),
  ];
  const list = [
    "# Moving over",
    `Each module below is a file of \`${folder}/\` with one function, which has the module's name so far.`,
    ...moves.map(entry),
    ...(last.length > 0 ? ["## For all", last.join("\n")] : []),
  ]
    .map((part) => part.trim())
    .join("\n\n");
  return { folder, frozenTeam: frozen.length > 0 ? frozenTeam : undefined, moves, list };
}

/** A module's file, for what has been done already. */
export function moduleFile(move: Move, done: { readonly body: string; readonly renamed: boolean; readonly version: number }): string {
  const name = done.renamed ? move.newName : move.name;
  return text`
    VERSION = ${done.version}


    def ${name}(${move.parameters}):
        ${done.body.replaceAll("\n    ", "\n")}
    ${done.renamed && move.keeps ? `\n\n${move.name} = ${move.newName}` : ""}
  `;
}

/** `registry.json` before and after. */
export function registry({ folder, moves }: Migration, after: boolean): string {
  const entries = [...moves]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((move) => {
      const called = after && !move.frozen ? move.newName : move.name;
      return [move.name, { entry: `${folder}.${move.name}:${called}`, owner: move.owner, version: after ? move.version : 1 }] as const;
    });
  return JSON.stringify(Object.fromEntries(entries), null, 2);
}

/** The lines about what has changed, in alphabetical order. */
export function changeLines({ moves }: Migration): string {
  return moves
    .filter(({ frozen }) => !frozen)
    .map(({ name, newName, version }) => `- ${name} ${version}: ${newName}`)
    .sort()
    .join("\n");
}

/** A program that uses all modules by name. */
export function callerFile({ folder, moves }: Migration, after: boolean): string {
  const called = (move: Move): string => (after && !move.frozen ? move.newName : move.name);
  return text`
    import json
    import sys

    ${moves
      .map((move) => `from ${folder}.${move.name} import ${called(move)}`)
      .sort()
      .join("\n")}

    TABLE = {
        ${moves
          .map((move) => `"${move.name}": ${called(move)},`)
          .sort()
          .join("\n")}
    }

    name, arguments = sys.argv[1], json.loads(sys.argv[2])
    print(json.dumps(TABLE[name](*arguments), sort_keys=True))
  `;
}
