import { text } from "../text.ts";
import { moduleFile, registry, changeLines, type Migration } from "./migration.ts";

/** Python: calls each module with drawn arguments, and reads what lies beside it. */
export function verifyMigration(migration: Migration, callers: boolean): string {
  const { folder, moves, frozenTeam } = migration;
  const right = (frozen: boolean): object =>
    Object.fromEntries(
      moves
        .filter((move) => move.frozen === frozen)
        .map((move) => [
          move.name,
          {
            source: moduleFile(move, {
              body: move.frozen || !move.changes ? move.now : move.after,
              renamed: !move.frozen,
              version: move.version,
            }),
            name: move.frozen ? move.name : move.newName,
            old: move.frozen || move.keeps,
            version: move.version,
          },
        ]),
    );
  return text`
    MOVED = json.loads(${JSON.stringify(JSON.stringify(right(false)))})
    FROZEN = json.loads(${JSON.stringify(JSON.stringify(right(true)))})
    INPUTS = {
        ${moves.map(({ name, inputs }) => `"${name}": lambda: ${inputs},`).join("\n")}
    }
    EDGES = {
        ${moves.map(({ name, edges }) => `"${name}": ${edges},`).join("\n")}
    }
    DRIVER = r'''
    import importlib, json, sys

    found = {}
    for module, names, calls in json.load(sys.stdin):
        try:
            loaded = importlib.import_module("${folder}." + module)
        except Exception as error:
            found[module] = {"error": type(error).__name__}
            continue
        answers = {}
        for name in names:
            function, answers[name] = getattr(loaded, name, None), None
            if callable(function):
                answers[name] = []
                for call in calls:
                    try:
                        answers[name].append(function(*call))
                    except Exception as error:
                        answers[name].append("raised " + type(error).__name__)
        found[module] = {"version": getattr(loaded, "VERSION", None), "answers": answers}
    print("\n" + json.dumps(found))
    '''


    def asked_of(table):
        """What the modules' functions answer to fixed and drawn arguments, under both names, beside what is right."""
        calls = {module: EDGES[module] + [INPUTS[module]() for _ in range(30)] for module in table}
        names = {module: sorted({module, row["name"]}) for module, row in table.items()}
        # Names are all asked for, also those that must be gone.
        stdin = json.dumps([[module, names[module] + [NEW[module]] * (NEW[module] not in names[module]), calls[module]] for module in table])
        found = json.loads(output(["python3", "-c", DRIVER], cwd=copy_of_app(), stdin=stdin).splitlines()[-1])
        for module, row in table.items():
            expect("error" not in found[module], f"${folder}/{module}.py cannot be imported: {found[module].get('error')}")
            space = {}
            exec(row["source"], space)
            yield module, row, found[module], json.loads(json.dumps([space[row["name"]](*json.loads(json.dumps(call))) for call in calls[module]])), calls[module]


    NEW = json.loads(${JSON.stringify(JSON.stringify(Object.fromEntries(moves.map(({ name, newName }) => [name, newName]))))})


    ${
      moves.some((move) => move.changes)
        ? text`
            @check("behaviour")
            def _():
                for module, row, found, wanted, calls in asked_of(MOVED):
                    # Whichever of its names it has: names are another check.
                    got = found["answers"][row["name"]] or found["answers"][module]
                    expect(got is not None, f"{module} has no function")
                    for call, answer, right in zip(calls, got, wanted):
                        same(answer, right, f"{module}{tuple(call)}")
          `
        : ""
    }


    @check("names")
    def _():
        for module, row, found, wanted, _ in asked_of(MOVED):
            answers = found["answers"]
            expect(answers[row["name"]] is not None, f"{module}: {row['name']} is missing")
            ${migration.moves.some((move) => move.changes) ? "" : 'same(answers[row["name"]], wanted, f"{module}: what the new name answers")'}
            if row["old"]:
                same(answers[module], answers[row["name"]], f"{module}: what the old name answers")
            else:
                expect(answers[module] is None, f"{module}: the old name is still there")


    @check("versions")
    def _():
        for module, row, found, _, _ in asked_of({**MOVED, **FROZEN}):
            same(found["version"], row["version"], f"VERSION of {module}")


    @check("registry")
    def _():
        same(json.loads(read("registry.json")), json.loads(${JSON.stringify(registry(migration, true))}), "registry.json")


    @check("changes")
    def _():
        lines = [line.strip() for line in read("CHANGES.md").splitlines() if line.strip()]
        same(lines, ["# Changes", *${JSON.stringify(changeLines(migration).split("\n"))}], "lines of CHANGES.md")


    ${
      frozenTeam === undefined
        ? ""
        : text`
            @check("frozen")
            def _():
                for module, row, found, wanted, _ in asked_of(FROZEN):
                    same(found["answers"][module], wanted, f"what {module} answers")
                    same(found["version"], row["version"], f"VERSION of {module}")
                    expect(found["answers"][NEW[module]] is None, f"{module} has got a new name")
          `
    }


    ${
      callers
        ? text`
            @check("caller")
            def _():
                place = copy_of_app()
                for module, row in {**MOVED, **FROZEN}.items():
                    space, call = {}, EDGES[module][0]
                    exec(row["source"], space)
                    printed = output(["python3", "call.py", module, json.dumps(call)], cwd=place)
                    same(json.loads(printed), json.loads(json.dumps(space[row["name"]](*call))), f"call.py {module} {call}")
          `
        : ""
    }
  `;
}
