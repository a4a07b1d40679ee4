import type { BlastRows } from "../../../content/blast-rows.ts";
import { runAt } from "../addresses.ts";

/** The two views of a blast radius, and the places that say most. */
export function BlastTable({ config, rows }: { readonly config: string; readonly rows: BlastRows }) {
  const [name = "", ...columns] = rows.head;
  return (
    <section aria-label="What it would have done">
      <h2>
        What <code>{config}</code> would have done
      </h2>
      {rows.summary.map((line) => (
        <p key={line} class="lead">
          {line}
        </p>
      ))}
      {rows.rows.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Where each changed middleware would act">
          <table class="stack">
            <caption>Where each changed middleware would act, of the runs where that can be known</caption>
            <thead>
              <tr>
                <th scope="col">{name}</th>
                {columns.map((column) => (
                  <th scope="col" key={column}>
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.rows.map(([first = "", ...cells]) => (
                <tr key={first}>
                  <th scope="row">
                    <bdi>{first}</bdi>
                  </th>
                  {cells.map((text, i) => (
                    <td key={i} data-label={columns[i]}>
                      {text}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {[...rows.notKnown, ...rows.errors].map((line) => (
        <p class="note" key={line}>
          {line}
        </p>
      ))}
      {rows.places.length > 0 && (
        <>
          <h3>The most telling places</h3>
          <ol class="places">
            {rows.places.map(({ where, what, next }, i) => (
              <li key={i}>
                <a href={addressOf(where)}>
                  <bdi>{where}</bdi>
                </a>
                <p>{what}</p>
                <p class="note">
                  In the recording: <code>{next}</code>
                </p>
              </li>
            ))}
          </ol>
        </>
      )}
      {rows.leftOut.map((line) => (
        <p class="note" key={line}>
          {line}
        </p>
      ))}
    </section>
  );
}

/** `where` is `run:seq`. */
function addressOf(where: string): string {
  const [, place = where, seq] = /^(.*):(\d+)$/s.exec(where) ?? [];
  return runAt(place, seq === undefined ? undefined : Number(seq));
}
