/** A table that turns into a list of cards on a narrow screen, and a list of facts. */
import type { Child } from "hono/jsx";

/** What a table shows; each row has a cell for every column. */
export interface TableParts {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Child[])[];
  /** Said in the place of a table without rows; where it is more than a sentence, what stands there. */
  readonly empty: Child;
}

/** The table; the first cell of a row names it. */
export function Table({ caption, columns, rows, empty }: TableParts): Child {
  if (rows.length === 0) {
    if (empty === "") return null;
    return typeof empty === "string" ? <p class="empty">{empty}</p> : empty;
  }
  // The roles are said, because a table that is laid out as cards loses those of its elements.
  return (
    <div class="table">
      <table role="table">
        <caption>{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">{columns.map((name) => <th scope="col" role="columnheader">{name}</th>)}</tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((cells) => (
            <tr role="row">
              {cells.map((cell, at) =>
                at === 0
                  ? <th scope="row" role="rowheader" data-column={columns[at]}>{cell}</th>
                  : <td role="cell" data-column={columns[at]}>{cell}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A name, and what stands under it, within `dl.facts`. */
export function Fact({ name, children }: { readonly name: string; readonly children?: Child }): Child {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Names, and what stands under each. */
export function FactList({ facts }: { readonly facts: readonly (readonly [string, Child])[] }): Child {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => <Fact name={name}>{value}</Fact>)}
    </dl>
  );
}
