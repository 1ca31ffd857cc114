/** schedule_draft: the moment a draft goes live by itself. */
import { atSite, bothTimes, checkSchedule, scheduleAt } from "../../rules/schedule.ts";
import { compared, tool } from "../../registry/tool.ts";
import {
  checkType,
  contentOf,
  lastChange,
  liveWarnings,
  quoted,
  revealed,
  STATE_FINAL,
  stateChanges,
} from "./_plans.ts";

export default tool("schedule_draft", {
  check({ post_id, type, scheduled_at }, ctx) {
    ctx.checkId(post_id, "post_id");
    checkType(type, ctx);
    checkSchedule(scheduled_at, ctx.now());
  },
  async plan({ post_id, type, scheduled_at }, ctx) {
    const client = await contentOf(ctx, type);
    const moment = await scheduleAt(scheduled_at, ctx.now(), () => client.timeZone());
    const post = await client.check(post_id, "schedule", moment, type);
    return {
      summary: `Schedule ${quoted(post.title)} on ${ctx.site.name} to go live at ${moment.utc}${
        atSite(moment, post.time_zone)
      }${lastChange(post)}`,
      final: STATE_FINAL,
      changes: stateChanges(post, "scheduled", moment.utc),
      shows: () => revealed(post),
      revision: moment.zone === undefined ? post.parts : { ...post.parts, time_zone: moment.zone },
      warnings: liveWarnings(post),
      state: { moment, post },
    };
  },
  async run({ post_id, type }, ctx, { state, changes }) {
    ctx.annotate({ result_id: post_id, changes });
    const { moment, post } = state;
    const { parts, ...done } = await (await contentOf(ctx, type)).schedule(post_id, moment, post, type);
    return compared({ ...done, ...bothTimes(moment, post.time_zone) }).leaving(parts);
  },
});
