/** topicmap_create_content_job: has a text written, of a type that there is, from a brief that is approved. */
import { GatewayError } from "../../core/errors.ts";
import type { ContentTypes, NewJob, TopicMap } from "../../platforms/topic_map/client.ts";
import topicMap from "../../platforms/topic_map/connector.ts";
import { compared, tool } from "../../registry/tool.ts";
import { checkArguments, checkNamed } from "../../rules/text.ts";
import { readBack } from "./_created.ts";
import { SPENDS } from "./_rerun.ts";

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);
/** Fields that not every service shows of a job. */
const HIDDEN = ["depth", "tone", "language"];

/** Refuses a type, depth, tone or custom_variables that the service does not take; answers the type. */
function checkType(job: NewJob, { data, depths, tones }: ContentTypes) {
  const type = data.find(({ key }) => key === job.content_type);
  if (!type) {
    const known = data.map(({ key }) => key).join(", ");
    throw bad(`content_type: there is no "${job.content_type}"; there are ${known || "none"}`);
  }
  const choices = {
    depth: type.depths.length ? type.depths : depths,
    tone: type.tones.length ? type.tones : tones,
  };
  for (const field of ["depth", "tone"] as const) {
    const value = job[field];
    if (value === undefined || choices[field].includes(value)) continue;
    throw bad(`${field}: "${type.key}" has no "${value}"; it has ${choices[field].join(", ") || "none"}`);
  }
  const given = new Map(Object.entries(job.custom_variables ?? {}));
  const missing = type.templateFields.filter(({ key, required }) => required && !given.get(key)?.trim());
  if (missing.length > 0) {
    const named = missing.map(({ key, label }) => `${key} (${label})`).join(", ");
    throw bad(`custom_variables: "${type.key}" also needs ${named}`);
  }
  return type;
}

/** The brief it is written from; refuses one that is not approved. */
async function briefOf(client: TopicMap, id: string) {
  const { title, approval_status, updated_at } = await client.brief(id);
  if (approval_status === "approved") return { title, parts: { approval_status, updated_at } };
  throw bad(
    `content_brief_id: the brief "${id}" is "${approval_status}", and only an approved one can be written from; ` +
      "a person approves it in the topic-planning application",
  );
}

export default tool("topicmap_create_content_job", {
  check({ keyword, ...rest }) {
    checkArguments({ keyword, ...rest });
    checkNamed(keyword, "keyword");
  },
  async plan(job, ctx) {
    const client = await ctx.use(topicMap);
    const { content_brief_id, topical_map_id } = job;
    const [type, brief, map] = await Promise.all([
      client.contentTypes({ kept: true }).then((types) => checkType(job, types)),
      content_brief_id === undefined ? null : briefOf(client, content_brief_id),
      topical_map_id === undefined ? null : client.map(topical_map_id, true),
    ]);
    const from = brief ? ` from the brief "${brief.title}"` : "";
    const within = map ? ` in the map "${map.name}"` : "";
    return {
      summary: `Have a ${type.name} on "${job.keyword}" written for ${ctx.site.name}${from}${within}`,
      changes: Object.entries(job).map(([field, to]) => ({ field, from: null, to })),
      revision: {
        content_type: type,
        ...(brief ? { content_brief_id: brief.parts } : {}),
        ...(map ? { topical_map_id: map.name } : {}),
      },
      warnings: [SPENDS],
      final: "A job cannot be deleted through the gateway",
    };
  },
  async run(job, ctx, { changes }) {
    const client = await ctx.use(topicMap);
    const { id, status } = await client.createJob(job);
    ctx.made({ what: "content job", id, name: job.keyword });
    ctx.annotate({ result_id: id, changes });
    const stands = await readBack({ ...job }, HIDDEN, () => client.job(id));
    return compared({ content_job_id: id, status, ...stands });
  },
});
