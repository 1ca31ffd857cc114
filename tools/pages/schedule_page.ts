/** schedule_page: the moment a page draft goes live by itself. */
import { numericId } from "../../core/ids.ts";
import { atSite, bothTimes, checkSchedule, scheduleAt } from "../../rules/schedule.ts";
import { pages } from "../../platforms/_content/pages.ts";
import { compared, tool } from "../../registry/tool.ts";
import { lastChange, liveWarnings, quoted, revealed, STATE_FINAL, stateChanges } from "./_plans.ts";

export default tool("schedule_page", {
  check({ page_id, scheduled_at }, { now }) {
    numericId(page_id, "page_id");
    checkSchedule(scheduled_at, now());
  },
  async plan({ page_id, scheduled_at }, ctx) {
    const client = await ctx.use(pages);
    const moment = await scheduleAt(scheduled_at, ctx.now(), () => client.timeZone());
    const page = await client.check(page_id, "schedule", moment);
    return {
      summary: `Schedule the page ${quoted(page.title)} on ${ctx.site.name} to go live at ${moment.utc}${
        atSite(moment, page.time_zone)
      }${lastChange(page)}`,
      final: STATE_FINAL,
      changes: stateChanges(page, "scheduled", moment.utc),
      shows: () => revealed(page),
      revision: moment.zone === undefined ? page.parts : { ...page.parts, time_zone: moment.zone },
      warnings: liveWarnings(page),
      state: { moment, page },
    };
  },
  async run({ page_id }, ctx, { state, changes }) {
    ctx.annotate({ result_id: page_id, changes });
    const { moment, page } = state;
    const { parts, ...done } = await (await ctx.use(pages)).schedule(page_id, moment, page);
    return compared({ ...done, ...bothTimes(moment, page.time_zone) }).leaving(parts);
  },
});
