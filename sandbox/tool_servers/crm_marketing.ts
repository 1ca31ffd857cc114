/** Tools of payments, blogs, mails and social media: records of the hosted tools' own. */
import { Refusal } from "../highlevel/lists.ts";
import { byId, change, type CrmAsked, type CrmRun, newId, paged, type Row } from "./crm_state.ts";

const iso = ({ now }: CrmAsked) => new Date(now()).toISOString();
const holds = (row: Row, words = "") => JSON.stringify(row).toLowerCase().includes(words.toLowerCase());

function refuseTaken({ records, body, path }: CrmAsked): void {
  const taken = records.blog_posts.some(({ urlSlug, _id }) =>
    urlSlug === body["urlSlug"] && _id !== path["postId"]
  );
  if (taken) throw new Refusal(400, "urlSlug is taken");
}

function socialPost({ records, path }: CrmAsked): Row {
  return byId(records.social_posts, path["id"], "Post");
}

/** What a social post becomes: one that is neither a draft nor has a date goes out at once. */
function socialStatus({ status, scheduleDate }: Row): string {
  if (status === "draft" || status === "in_review") return status;
  return scheduleDate === undefined ? "published" : "scheduled";
}

/** By tool. */
export const MARKETING: Readonly<Record<string, CrmRun>> = {
  "payments_get-order-by-id": ({ records, path }) => byId(records.orders, path["orderId"], "Order"),
  "payments_list-transactions": ({ records, query }) => {
    const rows = records.transactions.filter((one) =>
      holds(one, query["search"]) &&
      (query["contactId"] === undefined || one["contactId"] === query["contactId"])
    );
    return { data: paged(rows, query), totalCount: rows.length };
  },
  "blogs_check-url-slug-exists": ({ records, query }) => ({
    exists: records.blog_posts.some(({ urlSlug, _id }) =>
      urlSlug === query["urlSlug"] && _id !== query["postId"]
    ),
  }),
  "blogs_get-all-blog-authors-by-location": ({ records, query }) => ({
    authors: paged(records.authors, query),
  }),
  "blogs_get-all-categories-by-location": ({ records, query }) => ({
    categories: paged(records.categories, query),
  }),
  "blogs_get-blog-post": ({ records, query }) => {
    const rows = records.blog_posts.filter((one) =>
      one["blogId"] === query["blogId"] && holds(one, query["searchTerm"]) &&
      (query["status"] === undefined || one["status"] === query["status"])
    );
    return { blogs: paged(rows, query), count: rows.length };
  },
  "blogs_get-blogs": ({ records, query }) => ({
    data: paged(records.blogs.filter((one) => holds(one, query["searchTerm"])), query),
  }),
  "blogs_create-blog-post"(asked) {
    const { records, body } = asked;
    byId(records.blogs, body["blogId"], "Blog");
    refuseTaken(asked);
    const { locationId: _, ...fields } = body;
    const data = { _id: newId("post"), ...fields, updatedAt: iso(asked) };
    records.blog_posts.push(data);
    return { data };
  },
  "blogs_update-blog-post"(asked) {
    const { records, path, body } = asked;
    const post = byId(records.blog_posts, path["postId"], "Blog post");
    refuseTaken(asked);
    const { locationId: _, ...fields } = body;
    return { updatedBlogPost: change(post, { ...fields, updatedAt: iso(asked) }) };
  },
  "emails_fetch-template": ({ records, query }) => {
    const rows = records.templates.filter((one) => holds(one, query["search"]));
    return { builders: paged(rows, query), total: [{ total: rows.length }] };
  },
  "emails_create-template"(asked) {
    const { records, body } = asked;
    const { locationId: _, type, title, name = title, ...fields } = body;
    const template = { id: newId("template"), name, templateType: type, ...fields, updatedAt: iso(asked) };
    records.templates.push(template);
    return { redirect: template.id };
  },
  "social-media-posting_get-account": ({ records }) => ({
    results: { accounts: records.social_accounts, groups: [] },
  }),
  "social-media-posting_get-social-media-statistics": ({ records, body }) => {
    const wanted = body["profileIds"] as string[];
    const known = records.social_accounts.filter(({ id }) => wanted.includes(String(id)));
    const posts = records.social_posts.filter(({ accountIds }) =>
      known.some(({ id }) => (accountIds as unknown[]).includes(id))
    );
    return { results: { totals: { posts: posts.length, accounts: known.length } } };
  },
  "social-media-posting_get-post": (asked) => ({ results: { post: socialPost(asked) } }),
  "social-media-posting_get-posts": ({ records, body }) => {
    const { type = "all", skip, limit } = body as Record<string, string>;
    const rows = records.social_posts.filter(({ status }) =>
      type === "all" || type === "recent" || status === type
    );
    return {
      results: { posts: paged(rows, { skip: String(skip), limit: String(limit) }), count: rows.length },
    };
  },
  "social-media-posting_create-post"(asked) {
    const { records, body } = asked;
    for (const id of body["accountIds"] as string[]) byId(records.social_accounts, id, "Account");
    const post = { _id: newId("social"), ...body, status: socialStatus(body), createdAt: iso(asked) };
    records.social_posts.push(post);
    return { results: { post } };
  },
  "social-media-posting_edit-post"(asked) {
    const post = socialPost(asked);
    change(post, { ...asked.body, status: socialStatus({ ...post, ...asked.body }) });
    return { results: { post } };
  },
};
