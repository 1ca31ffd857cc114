/** A registered site for unit tests. */
import { FLAGS, type Site } from "../../../core/model.ts";
import { TEXT_FIELDS } from "../../connectors.ts";

/** A cms site "acme" at https://acme.example with nothing linked, and what is given. */
export function site(given: Partial<Site>): Site {
  return {
    ...Object.fromEntries(TEXT_FIELDS.map((field) => [field, null])),
    id: "acme",
    name: "Acme",
    platform: "cms",
    base_url: "https://acme.example",
    project_id: null,
    flags: Object.fromEntries(FLAGS.map((flag) => [flag, false])),
    confirm_policy: "flag",
    credentials: ["cms"],
    credentials_version: 1,
    available_builders: ["block"],
    default_builder: "block",
    seo: { enabled: false, channel: "rest" },
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z",
    ...given,
  } as Site;
}
