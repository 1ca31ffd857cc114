/** The consent page of the stand-in: who signs in, and a box for each right. */
import { html } from "../core/answers.ts";
import type { Person } from "./grants.ts";

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const page = (title: string, body: string, status: number) =>
  html(
    `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title>` +
      `<h1>${escaped(title)}</h1>${body}`,
    status,
  );

/** The page; every box is ticked at first, and `openid` and `email` have none. */
export function consentPage(request: string, people: readonly Person[], scopes: readonly string[]): Response {
  const accounts = people.map(({ email }, at) =>
    `<p><label><input type="radio" name="account" value="${escaped(email)}"${at === 0 ? " checked" : ""}> ` +
    `${escaped(email)}</label></p>`
  );
  const boxes = scopes.map((scope) =>
    `<p><label><input type="checkbox" name="scope" value="${escaped(scope)}" checked> ` +
    `${escaped(scope)}</label></p>`
  );
  return page(
    "A stand-in for the sign-in of Google",
    `<form method="post" action="/consent"><input type="hidden" name="request" value="${request}">` +
      `${accounts.join("")}${boxes.join("")}` +
      '<button name="answer" value="allow" id="allow">Allow</button> ' +
      '<button name="answer" value="deny" id="deny">Cancel</button></form>',
    200,
  );
}

/** What is shown to the person and never sent on: the client itself is wrong. */
export const wrongPage = (what: string): Response => page(`Error 400: ${what}`, "", 400);
