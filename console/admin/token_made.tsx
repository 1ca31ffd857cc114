/** What is shown once of a new token: its text to copy, and how each client is set up with it. */
import type { Child } from "hono/jsx";
import type { Token } from "../../core/model.ts";
import { Section } from "../parts.tsx";
import { clientSetups } from "./client_setups.ts";

/** The address of the tools; of a token for one site that site's, so that a call need not name it. */
export function mcpAddress(baseUrl: string, { allowed_sites: [one, ...others] }: Token): string {
  const isOne = one !== undefined && one !== "*" && others.length === 0;
  return `${baseUrl}/mcp${isOne ? `?site=${encodeURIComponent(one)}` : ""}`;
}

/** A text to copy: a click selects all of it, and with scripts a button copies it. */
export function Copied(
  { what, text, secret = false }: { readonly what: string; readonly text: string; readonly secret?: boolean },
): Child {
  return (
    <div class="copied">
      <button type="button" class="quiet small" data-copy hidden>{`Copy the ${what}`}</button>
      {secret ? <code class="secret">{text}</code> : <pre><code>{text}</code></pre>}
    </div>
  );
}

/** The clients to choose from, one shown at a time, without scripts too. */
export function ClientTabs(
  { baseUrl, token, text }: { readonly baseUrl: string; readonly token: Token; readonly text: string },
): Child {
  const clients = clientSetups(baseUrl, mcpAddress(baseUrl, token), text);
  return (
    <Section id="clients" title="Set up where it is used">
      <div class="switched">
        {clients.map(({ id, name }, at) => (
          <>
            <input id={`client-${id}`} type="radio" name="client" value={id} checked={at === 0} />
            <label for={`client-${id}`}>{name}</label>
          </>
        ))}
        {clients.map(({ id, name, steps, code }) => (
          <div class="panel" role="group" aria-label={name} data-client={id}>
            <p>{steps}</p>
            <Copied what={code.what} text={code.text} />
          </div>
        ))}
      </div>
    </Section>
  );
}
