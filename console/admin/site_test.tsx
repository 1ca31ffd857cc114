/** The test of a site's connection: asks by the tools that every caller asks by, and shows what they answer in words. */
import type { Child } from "hono/jsx";
import { GatewayError } from "../../core/errors.ts";
import type { Site } from "../../core/model.ts";
import { isFields } from "../../core/values.ts";
import { seen } from "../../core/unseen.ts";
import type { AdminPorts } from "../../admin/ports.ts";
import type { Person } from "../../identity/visitors.ts";
import { Notice } from "../notice.tsx";
import { Tag } from "../parts.tsx";
import { Table } from "../table.tsx";

/** A check of diagnose_site. */
interface ShownCheck {
  readonly name: string;
  readonly ok: boolean | null;
  readonly detail: string;
  readonly next_step: string | null;
}

/** What a tool said, or why it was refused. */
type Told<T> = { readonly found: T } | { readonly message: string };

/** What the two tools said. */
export interface Tested {
  readonly ping: Told<Readonly<Record<string, unknown>>>;
  readonly checks: Told<readonly ShownCheck[]>;
}

async function told<T>(ask: () => Promise<T>): Promise<Told<T>> {
  try {
    return { found: await ask() };
  } catch (thrown) {
    if (thrown instanceof GatewayError) return { message: thrown.message };
    throw thrown;
  }
}

/** Asks; what is refused is part of the answer. */
export async function testSite({ operate }: AdminPorts, { caller }: Person, site: Site): Promise<Tested> {
  const args = { site_id: site.id };
  const ping = await told(async () => {
    const answer = await operate("ping_site", args, caller.user);
    return isFields(answer) ? answer : {};
  });
  const checks = await told(async () => {
    const answer = await operate("diagnose_site", args, caller.user);
    return isFields(answer) && Array.isArray(answer["checks"]) ? answer["checks"] as ShownCheck[] : [];
  });
  return { ping, checks };
}

/** What came of it: what is wrong first. */
export function TestResults(
  { tested: { ping, checks }, settings }: {
    readonly tested: Tested;
    /** Where the site's settings are changed. */
    readonly settings: string;
  },
): Child {
  return (
    <>
      {"message" in ping
        ? (
          <Notice kind="problem">
            <p>{`It does not work: ${seen(ping.message)}.`}</p>
          </Notice>
        )
        : (
          <Notice kind="done">
            <p>{`The site answers${latency(ping.found)}.`}</p>
          </Notice>
        )}
      {"message" in checks
        ? <p>{`What works there could not be asked: ${seen(checks.message)}.`}</p>
        : <Checks checks={checks.found} settings={settings} />}
    </>
  );
}

const latency = ({ latency_ms: ms, authenticated }: Readonly<Record<string, unknown>>) =>
  `${typeof ms === "number" ? `, after ${ms} ms` : ""}${
    authenticated === true ? ", and takes the credentials" : ""
  }`;

const WORDS = new Map<boolean | null, string>([[true, "works"], [false, "to do"], [null, "not known"]]);

/** What is to do stands open; what works, and what could not be told meanwhile, is folded away where there is any. */
function Checks(
  { checks, settings }: { readonly checks: readonly ShownCheck[]; readonly settings: string },
): Child {
  const [open, folded] = [checks.filter(({ ok }) => ok === false), checks.filter(({ ok }) => ok !== false)];
  if (open.length === 0) return <CheckTable checks={checks} caption="What was found" settings={settings} />;
  return (
    <>
      <CheckTable checks={open} caption="What was found, what is to do" settings={settings} />
      {folded.length > 0 && (
        <details class="part">
          <summary>{`What else was looked at (${folded.length})`}</summary>
          <CheckTable checks={folded} caption="What works, or could not be told" settings={settings} />
        </details>
      )}
    </>
  );
}

/** The command by which a site's settings are changed; here they are a page. */
const BY_COMMAND = "deno task admin site update ";

/** What is to be done next; where a command changes the site's settings, their page stands in its place. */
function NextStep({ text, settings }: { readonly text: string; readonly settings: string }): Child {
  const at = text.indexOf(BY_COMMAND);
  if (at < 0) return seen(text);
  const before = text.slice(0, at);
  const isWith = before.endsWith(" with ");
  const after = text.indexOf(", ", at);
  const rest = after < 0 || text.includes("--", after) ? "" : text.slice(after);
  return (
    <>
      {seen(isWith ? `${before.slice(0, -" with ".length)} in ` : before)}
      <a href={settings}>{isWith ? "the site's settings" : "change the site's settings"}</a>
      {seen(rest)}
    </>
  );
}

function CheckTable(
  { checks, caption, settings }: {
    readonly checks: readonly ShownCheck[];
    readonly caption: string;
    readonly settings: string;
  },
): Child {
  return (
    <Table
      caption={caption}
      columns={["Check", "State", "Found", "Next step"]}
      rows={checks.map(({ name, ok, detail, next_step }) => [
        name.replaceAll("_", " "),
        <Tag tone={ok === true ? "good" : ok === false ? "wait" : "plain"}>{WORDS.get(ok)}</Tag>,
        seen(detail),
        next_step === null
          ? <span class="soft">none</span>
          : <NextStep text={next_step} settings={settings} />,
      ])}
      empty="No check fits this site."
    />
  );
}
