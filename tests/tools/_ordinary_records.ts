/** Ordinary writes by the CRM's own tools: contacts, messages and posts that speak of statuses, publishing and deleting. */
import type { Args } from "./_served.ts";

/** A write, by the name it is served under. */
export interface Ordinary {
  readonly tool: string;
  readonly args: Args;
}

const contact = (more: Args): Ordinary => ({
  tool: "contacts_update-contact",
  args: { contactId: "contact-1", ...more },
});
const mail = (html: string, more: Args = {}): Ordinary => ({
  tool: "conversations_send-a-new-message",
  args: {
    contactId: "contact-1",
    type: "Email",
    subType: "Email",
    status: "pending",
    subject: "News",
    html,
    ...more,
  },
});
const sms = (message: string): Ordinary => ({
  tool: "conversations_send-a-new-message",
  args: { contactId: "contact-1", type: "SMS", subType: "SMS", status: "pending", message },
});

export const RECORDS: readonly Ordinary[] = [
  contact({ tags: ["status", "published author", "delete request"] }),
  contact({ tags: ["status", "live"] }),
  contact({ customFields: [{ key: "notes", value: "status: live\nowner: ann\ndelete: yes" }] }),
  contact({ customFields: [{ key: "notes", value: "[Call back] Status: open. Publish: yes" }] }),
  contact({
    customFields: [{ key: "website", value: "https://example.com/?post_status=publish&x=%7B%22a%22%3A1%7D" }],
  }),
  contact({ customFields: [{ key: "to_do", value: "publish=today, delete=never" }] }),
  contact({
    customFields: [{ key: "status", field_value: "Open" }, { key: "order_status", value: "Shipped" }],
  }),
  contact({ customFields: [{ key: "task", value: "Delete the old header image" }] }),
  contact({ customFields: [{ key: "shipping_method", value: "Drop shipping" }] }),
  contact({
    customFields: [{ key: "pickup_method", value: "Drop off" }, { key: "paper_method", value: "erase" }],
  }),
  contact({ customFields: [{ key: "go_live", value: "2026-05-01" }] }),
  contact({ customFields: [{ key: "next_action", value: "Delete the draft, then publish" }] }),
  contact({ customFields: [{ key: "follow_up_action", value: "Drop by next week" }] }),
  {
    tool: "contacts_create-contact",
    args: {
      companyName: "Publish & Sons",
      address1: "5 Trash Lane",
      state: "CA",
      email: "ann@publish.example",
    },
  },
  {
    tool: "opportunities_update-opportunity",
    args: { id: "opp-0", status: "won", name: "Publish their site" },
  },
  { tool: "opportunities_update-opportunity", args: { id: "opp-0", status: "lost" } },
  { tool: "opportunities_update-opportunity", args: { id: "opp-0", status: "open" } },
  mail("<p>You asked us to delete your account. Status: published.</p>", { subject: "Delete your account" }),
  mail("{{contact.first_name}}, your order status: shipped, publish date: on Monday"),
  mail("{% if contact.status == 'live' %}Live{% endif %}"),
  mail("[View online] Status: open. Publish: yes"),
  mail("Name: Ann\nStatus: live\nPublish: yes"),
  sms("{{contact.first_name}}, order status: shipped"),
  sms("{Hi|Hello} there, the status: published"),
  sms("status=publish"),
  sms("Your post is live: https://example.com/?status=publish"),
  {
    tool: "emails_create-template",
    args: {
      type: "html",
      importProvider: "mailchimp",
      title: "Publish on Monday",
      templateSource: "<p>Status: live. Delete me.</p>",
    },
  },
  {
    tool: "blogs_create-blog-post",
    args: { title: "How to publish", rawHTML: "<p>status: published</p>", description: "Delete or publish" },
  },
  {
    tool: "blogs_create-blog-post",
    args: { title: "Status: live", rawHTML: '<p data-status="live">Publish</p>' },
  },
  {
    tool: "social-media-posting_create-post",
    args: {
      accountIds: ["account-0"],
      type: "post",
      userId: "user-0",
      status: "draft",
      summary: "We publish today! Status: live. #publish",
    },
  },
];
