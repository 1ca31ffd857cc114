/** Ordinary writes by sites' own tools, with words in them that are read as orders elsewhere: none of them is refused. */
import { type Ordinary, RECORDS } from "./_ordinary_records.ts";
import type { Args } from "./_served.ts";

const widget = (widget_type: string, settings: Args): Ordinary => ({
  tool: "builder-mcp-add-free-widget",
  args: { widget_type, settings },
});
const text = (editor: string) => widget("text-editor", { editor });
const heading = (title: string) => widget("heading", { title });
const html = (code: string) => widget("html", { html: code });
const block = (markup: string): Ordinary => ({ tool: "builder-mcp-add-block", args: { markup } });
const settings = (more: Args): Ordinary => ({
  tool: "builder-mcp-update-page-settings",
  args: { settings: more },
});
const form = (...form_fields: Args[]) => widget("form", { form_name: "Contact", form_fields });
const JSON_LD = {
  "@context": "https://schema.org",
  "@type": "Event",
  name: "Open day",
  eventStatus: "https://schema.org/EventScheduled",
  eventAttendanceMode: "https://schema.org/OfflineEventAttendanceMode",
  offers: { "@type": "Offer", availability: "https://schema.org/InStock" },
};

const PROSE: readonly Ordinary[] = [
  heading("How to publish your first post"),
  heading("Publish or perish"),
  heading("Status: Published"),
  heading("status: publish"),
  heading("Delete your account"),
  heading("What does post_status=publish mean?"),
  heading("post_status=publish"),
  heading("wp post update 5 --post_status=publish"),
  heading("[Status: open] Tickets"),
  heading("{Status: live}"),
  heading("a=b=c=d"),
  text("Status: Live\nOwner: Ann\nPublish date: Monday"),
  text("<p>Set the status to <b>publish</b>, then click delete.</p>"),
  text("<p>post_status = 'publish'</p>"),
  text("Our shops are public; the status of your order is private."),
  widget("button", { text: "Delete", link: { url: "https://example.com/?status=publish" } }),
  widget("button", { text: "Publish now", link: { url: "/publish?post_status=publish" } }),
  widget("button", { text: "Live", link: { url: "#status" }, _element_id: "status" }),
  widget("icon-list", {
    icon_list: [{ text: "Live", selected_icon: { value: "fas fa-trash", library: "fa-solid" } }],
  }),
  widget("icon-box", { title_text: "Status", description_text: "Published every week" }),
  widget("accordion", {
    tabs: [{ tab_title: "Status", tab_content: "Live" }, { tab_title: "Delete", tab_content: "<p>Yes</p>" }],
  }),
  widget("alert", {
    alert_title: "Trash",
    alert_description: "Your draft is in the trash; publish it again.",
  }),
  widget(
    "testimonial",
    { testimonial_content: "They publish fast", testimonial_name: "Ann", testimonial_job: "Publisher" },
  ),
  widget("counter", { title: "Published books", ending_number: 120 }),
  widget("price-list", { price_list: [{ title: "Status", item_description: "Private", price: "$5" }] }),
  widget("button", {
    text: "Open",
    link: { url: "#elementor-action%3Aaction%3Dpopup%3Aopen%26settings%3DeyJpZCI6IjUifQ%3D%3D" },
  }),
  widget("price-table", { features: [{ item_text: "Public profile: yes" }, { item_text: "Private: no" }] }),
  widget("tabs", {
    tabs: [{ tab_title: "Live", tab_content: "status: publish" }, {
      tab_title: "a = b",
      tab_content: "x = y",
    }],
  }),
  widget(
    "animated-headline",
    { before_text: "We", rotating_text: "publish\ndelete\ndrop", after_text: "books" },
  ),
  widget("text-editor", { editor: "<table><tr><td>post_status</td><td>publish</td></tr></table>" }),
  widget("call-to-action", { call_to_action: "Drop us a line", title: "Publish with us" }),
];

const STYLE: readonly Ordinary[] = [
  settings({
    custom_css:
      "[data-status=\"live\"] { visibility: visible } .publish::after { content: 'status: publish'; }",
  }),
  settings({ custom_css: ".trash { visibility: hidden }\n.status { color: red }" }),
  settings({ custom_css: "status: live;\nvisibility: collapse" }),
  widget("heading", { title: "T", _css_classes: "order-status publish", visibility: "visible" }),
  widget("heading", { title: "T", sticky: "top", sticky_on: ["desktop"], sticky_offset: 10 }),
  widget("heading", { title: "T", hide_mobile: "hidden-mobile", drop_cap: "yes", _animation: "none" }),
  widget("image", {
    image: { url: "https://example.com/publish.jpg", alt: "Status: private" },
    visibility: "hidden",
  }),
  widget("post-info", { icon_list: [{ type: "date", show_publish_date: "yes", text_prefix: "Published" }] }),
  widget("heading", { title: "T", blend_mode: "multiply", background_slideshow_mode: "fade" }),
  widget("heading", { title: "T", status_label: "Live", status_color: "#0a0", status_icon: "public" }),
];

const CODE: readonly Ordinary[] = [
  widget("code-highlight", { language: "php", code: "wp_insert_post( ['post_status' => 'publish'] );" }),
  widget("code-highlight", { language: "json", code: '{"title":"x","post_status":"publish"}' }),
  widget("code-highlight", { language: "json", code: '{"status": "publish",}' }),
  widget("code-highlight", {
    language: "sql",
    code: "UPDATE wp_posts SET post_status = 'publish' WHERE ID = 5",
  }),
  widget("code-highlight", { language: "bash", code: "wp post update 5 --post_status=publish" }),
  widget("code-highlight", { language: "yaml", code: "title: x\nstatus: publish\n" }),
  widget("code-highlight", { language: "markup", code: "<wp:status>publish</wp:status>" }),
  widget("code-highlight", { language: "javascript", code: "{ status: 'publish' }" }),
  html("<pre><code>wp post update 5 --post_status=publish</code></pre>"),
  html("<pre>&lt;wp:status&gt;publish&lt;/wp:status&gt;</pre>"),
  html("<script>const state = { status: 'live', publish: true };</script>"),
  html(`<script type="application/ld+json">${JSON.stringify(JSON_LD)}</script>`),
  html('<span data-status="live" class="status">Live</span><x-badge status="public"></x-badge>'),
  html("{{ status }}: {% if status == 'live' %}public{% endif %}"),
  html(`<img alt="x" src="data:image/png;base64,${btoa("\x89PNG\r\n".repeat(100))}">`),
  widget("shortcode", { shortcode: '[products status="live" orderby="date"]' }),
  widget("shortcode", { shortcode: '[contact-form-7 id="5" title="Publish"]' }),
  widget("shortcode", { shortcode: '[button action="delete" status="open"]Delete[/button]' }),
  block("<!-- wp:paragraph --><p>status: publish</p><!-- /wp:paragraph -->"),
  block(
    '<!-- wp:code --><pre class="wp-block-code"><code>{"post_status":"publish"}</code></pre><!-- /wp:code -->',
  ),
  block('<!-- wp:heading {"level":2,"className":"status publish"} --><h2>Publish</h2><!-- /wp:heading -->'),
  block(
    '<!-- wp:button {"text":"Publish","metadata":{"name":"Status"}} --><a>Publish</a><!-- /wp:button -->',
  ),
  settings({ schema: JSON.stringify(JSON_LD) }),
  settings({ schema: JSON_LD }),
  settings({ meta: 'O:8:"stdClass":1:{s:5:"title";s:7:"publish";}' }),
];

const FORMS: readonly Ordinary[] = [
  form({ custom_id: "status", field_type: "select", field_label: "Status", field_options: "Open\nClosed" }),
  form({ custom_id: "status", field_type: "hidden", field_value: "open" }),
  form({ name: "status", type: "select", label: "Status", options: ["Open", "Closed"], value: "Open" }),
  widget("posts", { orderby: "post_status", order: "asc", skin: "public" }),
  widget("form", { input_label_status: "", input_icon_status: "yes", form_messages_status: "success" }),
  settings({ texts: { "Delete this account": ["Konto löschen"] } }),
  form({ custom_id: "publish", field_type: "acceptance", field_label: "You may publish my photo" }),
  form({ custom_id: "delete", field_type: "checkbox", field_label: "Delete my data" }),
  form({ custom_id: "action", field_type: "radio", field_options: "Delete\nKeep" }),
  widget("form", { submit_actions: ["email", "redirect"], button_text: "Publish my review" }),
  widget("form", { conditions: [{ field: "status", operator: "==", value: "open" }] }),
];

const PAGES: readonly Ordinary[] = [
  { tool: "builder-mcp-create-page", args: { title: "Publish with us", status: "draft" } },
  { tool: "builder-mcp-create-page", args: { title: "Status page", status: "draft", content: [] } },
  {
    tool: "builder-mcp-build-page",
    args: {
      title: "Delete my account",
      status: "draft",
      structure: [{ type: "widget", widget_type: "heading", settings: { title: "Delete my account" } }],
    },
  },
  {
    tool: "builder-mcp-batch-update",
    args: {
      operations: [{
        element_id: "a",
        settings: { title: "Publish today", delete_icon: "x", status_text: "Private" },
      }],
    },
  },
  {
    tool: "builder-mcp-import-template",
    args: {
      template_json: [{
        elType: "widget",
        widgetType: "heading",
        settings: { title: "status: publish", _element_id: "status" },
      }],
    },
  },
];

export const ORDINARY: readonly Ordinary[] = [...PROSE, ...STYLE, ...CODE, ...FORMS, ...RECORDS, ...PAGES];
