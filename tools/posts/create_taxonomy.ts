/** create_taxonomy: a tag or category, unless one of that name is there. */
import { GatewayError } from "../../core/errors.ts";
import { numericId } from "../../core/ids.ts";
import { checkArguments, checkNamed } from "../../rules/text.ts";
import wordpress from "../../platforms/wordpress/connector.ts";
import { compared, tool } from "../../registry/tool.ts";
import { MADE_FINAL, quoted } from "./_plans.ts";

export default tool("create_taxonomy", {
  check({ taxonomy, name, parent_id, ...texts }) {
    checkArguments({ name, ...texts });
    checkNamed(name, "name");
    if (parent_id === undefined) return;
    numericId(parent_id, "parent_id");
    if (taxonomy === "tag") {
      throw new GatewayError("E_BAD_INPUT", "parent_id: a tag has no parent, leave it out");
    }
  },
  async plan({ taxonomy, ...fields }, ctx) {
    const { id } = await (await ctx.use(wordpress)).findTerm(taxonomy, fields.name, fields.parent_id);
    const place = `the ${taxonomy} ${quoted(fields.name)} on ${ctx.site.name}`;
    if (id !== null) {
      const summary = `Make nothing: ${place} is there already (id ${id})`;
      const rest = Object.keys(fields).filter((field) => field !== "name").join(", ");
      const warnings = rest === "" ? [] : [`${rest}: not set, for what is there already is left as it is`];
      return { summary, changes: [], revision: { id }, warnings, state: id };
    }
    const changes = Object.entries(fields).map(([field, to]) => ({ field, from: null, to }));
    return { summary: `Make ${place}`, changes, final: MADE_FINAL, revision: { id }, state: null };
  },
  async run({ taxonomy, parent_id, ...fields }, ctx, { changes, state: known }) {
    const client = await ctx.use(wordpress);
    const parent = parent_id === undefined ? undefined : numericId(parent_id, "parent_id");
    // A CMS makes a second one of a name under another parent or slug, which the plan said it would not.
    const { term, created } = known === null
      ? await client.makeTerm(taxonomy, { ...fields, parent_id: parent }, ctx.made)
      : { term: await client.readTerm(taxonomy, known), created: false };
    ctx.annotate({ result_id: term.id, changes });
    return compared({
      ...term,
      created,
      ...client.compareTerm(term, { ...fields, parent_id: parent }, created),
    });
  },
});
