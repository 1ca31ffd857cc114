/** How long the pages of approvals take on the server: the list of 500 requests, and one with a text of 200 KiB. */
import assert from "node:assert/strict";
import { approver, ask, asking, edit } from "../tests/tools/_approvals.ts";
import { inFolder } from "./gateway.ts";
import { type Line, ms } from "./table.ts";
import { worked } from "./timing.ts";

const REQUESTS = 500;
/** As many as one token may have that wait. */
const PER_TOKEN = 100;
const TEXT_BYTES = 200 * 1024;
const LIST = "/admin/approvals";

/** A text of that size in paragraphs, of which every so many is another with that word. */
function text(word: string, every: number): string {
  const parts: string[] = [];
  for (let at = 0, bytes = 0; bytes < TEXT_BYTES; at++) {
    const said = at % every === 0 ? word : "repair";
    const part =
      `<p>Paragraph ${at}: we ${said} bicycles of every kind, from nine to five. Bring yours in.</p>\n`;
    parts.push(part);
    bytes += part.length;
  }
  return parts.join("");
}

/** A text of which no paragraph is as it was. */
const other = () => text("sell", 1).replaceAll("bicycles", "boats").replaceAll("five", "noon");

/** The rows: the gateway is in this process, its store a file, its site a stand-in that answers at once. */
export function approvalRows(rounds: number): Promise<Line[]> {
  return inFolder(async (folder) => {
    const names = Array.from({ length: REQUESTS / PER_TOKEN }, (_, at) => `asks${at}`);
    const tokens = Object.fromEntries(
      names.map((name) => [name, { confirm_policy: "human", max_risk: 3 } as const]),
    );
    await using at = await asking({ realClock: true, settings: { kvPath: `${folder}/store` }, tokens });
    const { browser } = await approver(at);
    for (const name of names) {
      for (let n = 0; n < PER_TOKEN; n++) {
        await ask(at, edit(at, { title: `${name} ${n}` }), "update_draft", name);
      }
    }
    const lines: Line[] = [];
    const measure = async (name: string, path: string, aim: string) => {
      const { took, work } = await worked(rounds, () => browser.open(path));
      const page = browser.page!;
      assert.equal(page.status, 200, page.text);
      const bytes = new TextEncoder().encode(page.text).length;
      lines.push({
        name,
        figure: ms(took),
        beside: `${ms(work)} of the processors; ${Math.ceil(bytes / 1000)} KB`,
        aim,
      });
    };
    await measure(`the list of ${REQUESTS} requests`, LIST, "100 ms");
    await measure("the list, narrowed, its second page", `${LIST}?site=open&tier=1&page=2`, "100 ms");
    at.edit(at.draft, { content: text("repair", 1) });
    const texts = {
      "of which one part of 50 differs": text("sell", 50),
      "of which every part differs": other(),
    };
    for (const [what, content_html] of Object.entries(texts)) {
      const { approval: { id } } = await ask(at, edit(at, { content_html }));
      await measure(`a request with 200 KiB, ${what}`, `${LIST}/${id}`, "300 ms");
      await measure("the same side by side", `${LIST}/${id}?view=side`, "300 ms");
      await measure("the same, whole", `${LIST}/${id}?whole=1`, "");
    }
    return lines;
  });
}
