/** What can be changed: something is begun again from a step, and jobs and audits are made. */
import { json } from "../core/answers.ts";
import { bodyOf, type FieldFault, invalid, notFound, Refusal } from "./answers.ts";
import { iso, type Kind, rerun, RERUNNABLE, type Running, statusOf, STEPS } from "./runs.ts";
import { type Audit, type Brief, CONTENT_TYPES, type Job, nextEnding, type TopicMapState } from "./state.ts";
import { isWritten } from "./views.ts";

const PASTED_BYTES_MAX = 200 * 1024;
const SOURCES = ["published_url", "competitor_url", "pasted_text"];

const wants = (path: string, message: string): FieldFault => ({ path, message });
const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** Begins again from a step. */
export function rerunIt(
  state: TopicMapState,
  one: (Job | Audit | Brief) & Running,
  bytes: Uint8Array,
): Response {
  const { from_step } = bodyOf(bytes);
  const names = STEPS[one.kind];
  if (typeof from_step !== "string" || !names.includes(from_step)) {
    throw invalid(wants("from_step", `expected one of ${names.join(", ")}`));
  }
  const now = state.now();
  const status = statusOf(one, now);
  if (!RERUNNABLE[one.kind].includes(status)) {
    const message = `Only what is ${RERUNNABLE[one.kind].join(" or ")} can be rerun`;
    throw new Refusal(409, "invalid_state", message, { current_status: status });
  }
  if ("written" in one) one.written = isWritten(one, now);
  const reset_steps = rerun(one, from_step, now, nextEnding(state, one.kind));
  if ("approval_status" in one) one.approval_status = "pending";
  if ("updated_at" in one) one.updated_at = iso(now);
  return json({ id: one.id, status: "queued", from_step, reset_steps }, 202);
}

function begun(state: TopicMapState, kind: Kind): Running {
  return { kind, earlier: [], run: { from: 0, at: state.now(), ending: nextEnding(state, kind) } };
}

const made = (state: TopicMapState, kind: Kind, workspace_id: string) => ({
  id: `${kind}_new_${++state.made}`,
  workspace_id,
  created_at: iso(state.now()),
});

function jobFaults(body: Record<string, unknown>): FieldFault[] {
  const { keyword, content_type, depth, tone, custom_variables = {} } = body;
  const type = CONTENT_TYPES.data.find(({ key }) => key === content_type);
  const given = custom_variables as Record<string, unknown>;
  const missing = (type?.templateFields ?? []).filter(({ key, required }) => required && !isText(given[key]));
  return [
    ...(isText(keyword) && keyword.length <= 200 ? [] : [wants("keyword", "expected 1 to 200 characters")]),
    ...(type ? [] : [wants("content_type", "is unknown")]),
    ...(depth === undefined || (type?.depths as readonly unknown[] | undefined)?.includes(depth)
      ? []
      : [wants("depth", "the type does not have it")]),
    ...(tone === undefined || (type?.tones as readonly unknown[] | undefined)?.includes(tone)
      ? []
      : [wants("tone", "the type does not have it")]),
    ...missing.map(({ key }) => wants(`custom_variables.${key}`, "is required")),
  ];
}

/** Makes a job; the brief it is written from must be approved. */
export function createJob(state: TopicMapState, workspace: string, bytes: Uint8Array): Response {
  const body = bodyOf(bytes);
  const faults = jobFaults(body);
  if (faults.length > 0) throw invalid(...faults);
  const here = <T extends { id: string; workspace_id: string }>(all: readonly T[], id: unknown) =>
    all.find((one) => one.id === id && one.workspace_id === workspace);
  if (body["content_brief_id"] !== undefined) {
    const brief = here(state.briefs, body["content_brief_id"]);
    if (!brief) throw notFound("content brief");
    if (brief.approval_status !== "approved") {
      throw new Refusal(409, "brief_not_approved", "The brief is not approved", {
        current_status: brief.approval_status,
      });
    }
  }
  const map = body["topical_map_id"];
  if (map !== undefined && !here(state.maps, map)) throw notFound("topical map");
  const keyword = String(body["keyword"]);
  const job: Job = {
    ...made(state, "job", workspace),
    ...begun(state, "job"),
    title: keyword,
    keyword,
    content_type: String(body["content_type"]),
    content_brief_id: textOf(body["content_brief_id"]),
    topical_map_id: textOf(map),
    depth: textOf(body["depth"]),
    tone: textOf(body["tone"]),
    language: textOf(body["language"]),
    custom_variables: (body["custom_variables"] ?? {}) as Record<string, string>,
    review_items: [],
    written: false,
    updated_at: iso(state.now()),
  };
  state.jobs.push(job);
  return json({ id: job.id, status: "queued" }, 201);
}

/** Makes an audit. */
export function createAudit(state: TopicMapState, workspace: string, bytes: Uint8Array): Response {
  const { source_type, source_url, pasted_content, competitor_urls = [] } = bodyOf(bytes);
  const faults: FieldFault[] = [];
  if (!SOURCES.includes(String(source_type))) faults.push(wants("source_type", "is unknown"));
  const pasted = source_type === "pasted_text";
  if (pasted ? !isText(pasted_content) : pasted_content !== undefined) {
    faults.push(wants("pasted_content", "goes with pasted_text, and with nothing else"));
  }
  if (pasted ? source_url !== undefined : !/^https?:\/\//.test(String(source_url))) {
    faults.push(wants("source_url", "expected an address, and none with pasted_text"));
  }
  if (!Array.isArray(competitor_urls) || competitor_urls.length > 5) {
    faults.push(wants("competitor_urls", "expected at most 5"));
  }
  if (faults.length > 0) throw invalid(...faults);
  if (new TextEncoder().encode(String(pasted_content ?? "")).byteLength > PASTED_BYTES_MAX) {
    throw new Refusal(413, "payload_too_large", "The pasted content is over 200 KB");
  }
  const audit: Audit = {
    ...made(state, "audit", workspace),
    ...begun(state, "audit"),
    source_type: String(source_type),
    source_url: textOf(source_url),
    topical_map_id: null,
    competitor_urls: competitor_urls as string[],
    findings: 3,
  };
  state.audits.push(audit);
  return json({ id: audit.id, status: "queued" }, 201);
}
