/** How the page of consent looks: plain, without scripts. */
import { html } from "hono/html";
import type { ShownClient } from "../guard/oauth/authorizing.ts";
import type { Choice, Offer } from "../guard/oauth/choice.ts";

/** What the page shows. */
export interface ConsentView {
  readonly client: ShownClient;
  readonly email: string;
  readonly offer: Offer;
  readonly choice: Choice;
  /** What is wrong, by field. */
  readonly missing: Readonly<Partial<Record<"sites" | "groups", string>>>;
  readonly problem: string | null;
  readonly hidden: Readonly<Record<string, string>>;
  readonly action: string;
}

/**
 * Nothing is loaded, nothing runs, nobody frames it. The answer leads on to the client, and browsers ask the policy
 * for each address on the way.
 */
export function pageHeaders(leads_to: string | null): Readonly<Record<string, string>> {
  const next = leads_to === null ? "" : ` ${leads_to}`;
  return {
    "content-security-policy":
      `default-src 'none'; base-uri 'none'; form-action 'self'${next}; frame-ancestors 'none'`,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "x-robots-tag": "noindex",
  };
}

type Html = ReturnType<typeof html>;

const document = async (title: string, content: Html) =>
  String(
    await html`
      <!DOCTYPE html>
      <html lang="en">
        <head>
          <meta charset="utf-8">
          <meta name="viewport" content="width=device-width, initial-scale=1">
          <title>${title}</title>
        </head>
        <body>
          <main><h1>${title}</h1>${content}</main>
        </body>
      </html>
    `,
  ).trimStart();

/** A request that leads nowhere, and why. */
export const faultPage = (why: string): Promise<string> =>
  document(
    "This request cannot be answered",
    html`
      <p>${why}.</p>
      <p>Nothing was granted, and you were sent nowhere. Go back to the program that led you here.</p>
    `,
  );

/** The question. */
export function consentPage(view: ConsentView): Promise<string> {
  const { client, email, offer, choice, missing, problem, hidden, action } = view;
  const fault = (text: string | null | undefined) => text ? html`<p role="alert">${text}</p>` : "";
  return document(
    `Let “${client.name}” in?`,
    html`
      ${fault(problem)}
      <p>${whoAsks(client)}</p>
      <p>It will call tools for ${email}, with no more than you tick here. Each change is shown to it first, and confirmed by it.</p>
      <form method="post" action="${action}">
        ${Object.entries(hidden).map(([name, value]) =>
          html`<input type="hidden" name="${name}" value="${value}">`
        )}
        <fieldset><legend>Sites</legend>${fault(missing.sites)}
          ${offer.sites.map(({ id, name }) => box("sites", id, `${name} (${id})`, choice.sites.includes(id)))}
        </fieldset>
        <fieldset><legend>Tools</legend>${fault(missing.groups)}
          ${offer.groups.map(({ name, tools }) =>
            box("groups", name, `${name}: ${tools.join(", ")}`, choice.groups.includes(name))
          )}
        </fieldset>
        <label>At most <select name="max_risk">
          ${offer.ceilings.map(({ risk, meaning }) => option(risk, meaning, choice.max_risk))}
        </select></label>
        <label>For <select name="days">
          ${offer.days.map((days) => option(days, days === 1 ? "one day" : `${days} days`, choice.days))}
        </select></label>
        <button name="answer" value="allow">Allow</button>
        <button name="answer" value="deny">Deny</button>
      </form>
    `,
  );
}

/** Who asks, as far as it is known. */
export function whoAsks(client: ShownClient): string {
  const who = client.proven_host === null
    ? `A program that calls itself “${client.name}” asks. Nobody has verified that name.`
    : `A program that ${client.proven_host} describes as “${client.name}” asks.`;
  return client.loopback
    ? `${who} The answer goes to a program on the machine you are at (${client.redirect_host}): allow it only if you just started one.`
    : `${who} The answer goes to ${client.redirect_host}: allow it only if you know that address.`;
}

const box = (name: string, value: string, label: string, checked: boolean): Html =>
  html`<div><label><input type="checkbox" name="${name}" value="${value}"${
    checked ? " checked" : ""
  }> ${label}</label></div>`;

const option = (value: number, label: string, chosen: number): Html =>
  html`
    <option value="${value}" ${value === chosen ? " selected" : ""}>${label}</option>
  `;
