/** Parts of answers that several tools share, in the form that manifests write results in. */

import { CRM_SHAPES } from "./crm_shapes.ts";
import { DATA_SHAPES } from "./data_shapes.ts";

/** What a write of a post or page answers; its status is `draft` after a draft was made. */
const CONTENT = { id: "id", status: "string", url: "string" };

/** A post or page in a list. */
const CONTENT_ROW = {
  ...CONTENT,
  title: "string",
  "scheduled_at~": "date-time",
  "modified_gmt~": "date-time",
  slug: "string",
  "author_id~": "id",
};

const CHANGE_SET_HEAD = {
  set_id: "string",
  "title?": "string",
  state: "string -- preparing, prepared, running, interrupted or ended",
  "cancelled_at?": "date-time",
  "stopped?": "string -- why it could not be planned",
};

const CHANGE_SET_ITEM = {
  item: "integer",
  "site_id~": "string",
  tool: "string",
  state: "string -- not_begun, running, done, failed, unknown or left_out",
  "request_id?": "string",
  "reason?": "string",
  "error?": { code: "string", message: "string", "upstream?": { status: "integer", "excerpt?": "string" } },
  "*": "any -- of the answer of its tool",
};

const SCHEMA_ENTRY = {
  post_id: "integer",
  type: "string",
  status: "string",
  title: "string",
  value_type: "one of string | array | none",
  value: "any -- the site's JSON-LD",
};

/** Shapes by the name that a manifest gives: `$name` for a value, `$with: name` for keys that stand among its own. */
export const SHAPES: Readonly<Record<string, unknown>> = {
  named: { "id~": "id", name: "string" },
  /** A page of a list. */
  page_of: { page: "integer", per_page: "integer", "total~": "integer", "total_pages~": "integer" },
  content: CONTENT,
  content_row: CONTENT_ROW,
  term: {
    id: "integer",
    name: "string",
    slug: "string",
    count: "integer",
    "parent_id~": "integer",
    description: "string",
  },
  version: {
    id: "id",
    "at~": "date-time",
    "by~": "string",
    "gateway~": "boolean -- whether this gateway made the change",
    "fields?~": ["string"],
    "kind?": "one of autosave",
    "message?": "string",
  },
  revision: { id: "id", "at?": "date-time", "by?": "string" },
  code_stored: {
    $: "What the site has stored otherwise than it was given",
    plugin: "string",
    rows: { "*": { of: "string", values: ["string"] } },
  },
  /** What a write to a preview branch says of it; of one to the deployed branch there is nothing of it. */
  preview_written: {
    "compare_url?": "string -- where a person sees what the preview branch changes",
    "preview_url?~":
      "string -- where this commit is shown once it is built; null while no deployment of it is known",
    "behind?": "integer -- how many commits of the deployed branch the preview lacks; left out for none",
    "note?": "string -- what is not known yet, and what the preview lacks",
  },
  route_written: {
    $with: "preview_written",
    route: "string",
    file_path: "string",
    "sha?": "string -- of the file; left out where it is not known",
    commit_sha: "string",
    branch: "string",
    target_branch: "one of preview | main",
    "unchanged?": "one of true",
  },
  seo_meta: {
    $: "The fields as the post holds them; null where that could not be read",
    post_id: "integer",
    post_type: "string",
    status: "string",
    provider: "string -- the SEO plugin",
    ...Object.fromEntries(
      ["title", "description", "focus_keyword", "canonical", "og_title", "og_description", "og_image"]
        .concat(["twitter_title", "twitter_description", "twitter_image"])
        .map((name) => [`${name}~`, "string"]),
    ),
    robots: { "*~": "boolean" },
    "unread?": ["string -- a field that could not be read"],
    "shown?": ["string -- a field that is known by the page only"],
    "unshown?": ["string -- a field that the site does not show"],
    "in_effect?": {
      $: "What visitors get of a field where that is another value",
      "*": "string | boolean | null",
    },
    "origins?": { $: "Where that value comes from", "*": "string" },
  },
  schema_entry: SCHEMA_ENTRY,
  made_by: { token: "string", "client?": "string", "person?": "string" },
  change_made: {
    request_id: "string",
    at: "date-time",
    tool: "string",
    by: "$made_by",
    undoable: "boolean",
    "undone_by?": "string",
    "undo_first?": ["string -- a later change of the same fields"],
    "replaced?": [{
      field: "string",
      from: "any -- the value of the field before",
      to: "any -- and after",
      "shortened?": {
        $: "Of a side of which only the beginning is shown: the bytes of all of it",
        "from?": "integer",
        "to?": "integer",
      },
    }],
    "*":
      "any -- what was changed, where it can be told: id, fields, set_id, item, and why it cannot be taken back",
  },
  change_set_head: CHANGE_SET_HEAD,
  /** A change set, whatever became of it. */
  change_set: {
    ...CHANGE_SET_HEAD,
    "counts?": { "*": "integer" },
    "items?": [CHANGE_SET_ITEM],
    "summary?": "string",
    "planned?": "integer -- how many items are planned so far",
    "of?": "integer",
    next: "string",
  },
  ...DATA_SHAPES,
  ...CRM_SHAPES,
  /** Stands for the rest of a list that is shown in part. */
  cut: { _truncated: "one of true", total: "integer", omitted: "integer" },
  topicmap_list: { "next_cursor~": "string", "note?": "string" },
  topicmap_map: {
    id: "string",
    workspace_id: "string",
    name: "string",
    seed_keyword: "string",
    pipeline_status: "string",
    cluster_count: "integer",
    keyword_count: "integer",
    created_at: "date-time",
    updated_at: "date-time",
  },
  topicmap_audit: {
    id: "string",
    workspace_id: "string",
    source_type: "string",
    "source_url~": "string",
    "quality_score~": "number",
    status: "string",
    created_at: "date-time",
  },
  topicmap_brief: {
    id: "string",
    workspace_id: "string",
    title: "string",
    target_keyword: "string",
    approval_status: "string",
    status: "string",
    "topical_map_id~": "string",
    created_at: "date-time",
  },
  topicmap_job: {
    id: "string",
    workspace_id: "string",
    title: "string",
    keyword: "string",
    content_type: "string",
    status: "string",
    created_at: "date-time",
  },
  topicmap_step: {
    name: "string",
    index: "integer",
    status: "string",
    "started_at?~": "date-time",
    "completed_at?~": "date-time",
    "error?~": "string",
    "score?~": "number",
  },
  topicmap_rerun: { id: "string", status: "string", from_step: "string", reset_steps: ["string"] },
  described_tool: {
    name: "string",
    title: "string",
    group: "string",
    tier: "integer",
    writes: "boolean",
    description: "string",
    input_schema: "object -- JSON Schema of the arguments",
    "answers?": "string -- its result as TypeScript; a key without a type is a text",
    platforms: ["string"],
    flags: ["string"],
    codes: ["string"],
    "sites?": ["string -- that offer it"],
  },
  set_change: {
    field: "string",
    from: "any -- the value now",
    to: "any -- the value after",
    "origin?": "string",
  },
};
