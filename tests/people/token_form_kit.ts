/** The form of a token as a browser fills it in and sends it. */
import { type PersonBrowser, unescaped } from "./kit.ts";

/** The fields of the form on a page as a browser would send them: texts, what is ticked, what is hidden. */
export function fieldsOn(text: string): URLSearchParams {
  const form = /<form[^>]*class="grant"[\s\S]*?<\/form>/.exec(text)?.[0] ?? "";
  const fields = new URLSearchParams();
  const of = (tag: string, name: string) => {
    const found = new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1];
    return found === undefined ? undefined : unescaped(found);
  };
  for (const [tag] of form.matchAll(/<input[^>]*>/g)) {
    const isBox = ["checkbox", "radio"].includes(of(tag, "type") ?? "");
    if (isBox && of(tag, "checked") === undefined) continue;
    fields.append(of(tag, "name")!, of(tag, "value") ?? "");
  }
  for (const [select, name] of form.matchAll(/<select[^>]* name="([^"]*)"[\s\S]*?<\/select>/g)) {
    const chosen = /<option[^>]*selected[^>]*>/.exec(select)?.[0] ?? /<option[^>]*>/.exec(select)![0];
    fields.append(name!, of(chosen, "value") ?? "");
  }
  return fields;
}

/** What sends the form that a page shows to that path, or another, with a button of it. */
export const pressing =
  (path: string) => async (browser: PersonBrowser, more: Record<string, string>, to = path) => {
    const fields = fieldsOn(browser.page!.text);
    for (const [name, value] of Object.entries(more)) fields.set(name, value);
    return await browser.post(to, fields);
  };
