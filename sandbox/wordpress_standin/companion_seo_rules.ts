/** The arguments of the companion plugin's SEO routes on the stand-in. */
import type { ParamRules } from "./params.ts";

/** The names of fields. */
export const ROBOTS = ["noindex", "nofollow", "noarchive", "nosnippet", "noimageindex"];
export const CARD = ["title", "description", "image"];
export const TEXTS = ["title", "description", "focus_keyword", "canonical"] as const;
/** Arguments of the routes. */
export const ID: ParamRules = { id: { type: "integer" } };
export const META: ParamRules = {
  ...ID,
  ...Object.fromEntries(TEXTS.map((name) => [name, { type: "string" }])),
  robots: { type: "object" },
  og: { type: "object" },
  twitter: { type: "object" },
  allow_published: { type: "boolean", fallback: false },
};
export const SCHEMA: ParamRules = {
  ...ID,
  schema: { type: "any", required: true },
  entry_id: { type: "string" },
  allow_published: { type: "boolean", fallback: false },
};
export const REDIRECT: ParamRules = {
  source: { type: "string", required: true },
  destination: { type: "string", required: true },
  status: { type: "integer", fallback: 301 },
};
