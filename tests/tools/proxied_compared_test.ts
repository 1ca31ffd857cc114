/** What a tool that adds, copies or moves elements was asked for, argument by argument, and what is said where it did otherwise. */
import assert from "node:assert/strict";
import { container, type Element, find, widget } from "../../sandbox/tool_servers/start.ts";
import { type Args, served } from "./_served.ts";

const SERVERS = ["mcp-adapter-default-server", "emcp-tools-server", "elementor-mcp-server"] as const;
const world = () => served({ servers: SERVERS, atomic: true, race_ms: 0 });
type At = Awaited<ReturnType<typeof world>>;

/** A draft with a container that holds a heading and a spacer, and an empty container. */
function draft(at: At) {
  const [heading, spacer] = [widget("heading", { title: "One" }), widget("spacer")];
  const [into, other] = [container({}, [heading, spacer]), container()];
  const { id } = at.tools.page({ title: "Page", elements: [into, other] });
  return { id, into: into.id, other: other.id, heading: heading.id, spacer: spacer.id };
}
type Draft = ReturnType<typeof draft>;

/** The tool does this instead, and answers that. */
function does(at: At, { id }: Draft, tool: string, change: (elements: Element[]) => Args): void {
  const fault = { kind: "result", applied: false } as const;
  at.tools.inject({
    ...fault,
    get result() {
      const page = structuredClone(at.tools.state.pages.get(id)!);
      const payload = change(page.elements);
      at.tools.state.pages.set(id, page);
      const text = JSON.stringify(payload);
      return { isError: false, content: [{ type: "text" as const, text }], structuredContent: payload };
    },
  }, { path: tool });
}

const proofOf = async (at: At, tool: string, { id }: Draft, args: Args) =>
  (await at.gw.proven(`builder-mcp-${tool}`, { site_id: "acme", post_id: id, ...args })).proof;

const adds =
  (element: Element, parent: (page: Element[]) => Element[], at: number) => (elements: Element[]) => {
    parent(elements).splice(at, 0, element);
    return { element_id: element.id };
  };

Deno.test("an element stands at the place that was asked for", async () => {
  await using at = await world();
  for (const position of [0, 1, 2, -1, 99, "1"]) {
    const page = draft(at);
    const call = { parent_id: page.into, widget_type: "heading", settings: { title: "Two" }, position };
    assert.deepEqual(await proofOf(at, "add-free-widget", page, call).then(plain), [true, ""]);
    assert.deepEqual(await proofOf(at, "add-container", page, { position }).then(plain), [true, ""]);
    const moved = { element_id: page.heading, target_parent_id: page.other, position };
    assert.deepEqual(await proofOf(at, "move-element", page, moved).then(plain), [true, ""]);
  }
});

Deno.test("an element that stands elsewhere, or is another one, is not verified", async () => {
  await using at = await world();
  const inside = (page: Draft) => (elements: Element[]) => find(elements, page.into)!.elements;
  const two = () => widget("heading", { title: "Two" });
  const call = (page: Draft) => ({
    parent_id: page.into,
    widget_type: "heading",
    settings: { title: "Two" },
    position: 0,
  });
  const rows: readonly (readonly [(page: Draft) => ReturnType<typeof adds>, RegExp])[] = [
    [(page) => adds(two(), inside(page), 2), /position: element "\w+" is not at 0 among those beside it/],
    [
      (page) => adds(widget("button", { title: "Two" }), inside(page), 0),
      /widget_type: .* is of another type/,
    ],
    [(page) => adds(two(), (all) => find(all, page.other)!.elements, 0), /is not in "\w+"/],
    [
      (page) => adds(widget("heading", { title: "Three" }), inside(page), 0),
      /title: is not stored as it was sent/,
    ],
  ];
  for (const [change, says] of rows) {
    const page = draft(at);
    does(at, page, "add-free-widget", change(page));
    const proof = await proofOf(at, "add-free-widget", page, call(page));
    assert.equal(proof.verified, false, String(says));
    assert.match(proof.warnings.join(), says);
  }
  const page = draft(at);
  does(at, page, "move-element", (elements) => {
    inside(page)(elements).reverse();
    return { success: true };
  });
  const move = { element_id: page.heading, target_parent_id: page.into, position: 0 };
  const proof = await proofOf(at, "move-element", page, move);
  assert.deepEqual([proof.verified, proof.warnings.length], [false, 1]);
  assert.match(proof.warnings[0]!, /position/);
});

Deno.test("an element whose place is left out stands at the end", async () => {
  await using at = await world();
  const own = draft(at);
  assert.deepEqual(await proofOf(at, "add-container", own, {}).then(plain), [true, ""]);
  const page = draft(at);
  does(at, page, "add-container", adds(container(), (all) => all, 0));
  const proof = await proofOf(at, "add-container", page, {});
  assert.equal(proof.verified, false);
  assert.match(proof.warnings.join(), /^position: element "\w+" is not the last/);
});

Deno.test("where a person adds another element meanwhile, the place cannot be compared", async () => {
  await using at = await world();
  const page = draft(at);
  does(at, page, "add-container", (elements) => {
    elements.unshift(container());
    return adds(container(), (all) => all, 2)(elements);
  });
  const proof = await proofOf(at, "add-container", page, { position: 1 });
  assert.equal(proof.verified, null);
  assert.match(proof.verified_reason!, /^position: other elements beside it/);
});

Deno.test("arguments that are no texts are compared too, or named where they do not show", async () => {
  await using at = await world();
  const tabs = [{ tab_title: "One", tab_content: "First" }];
  const image = { id: 7, url: "https://example.test/a.jpg" };
  const rows:
    readonly (readonly [tool: string, sent: Args, stored: Args, verified: boolean | null, says: RegExp])[] = [
      ["add-accordion", { tabs }, { tabs: [{ _id: "a", ...tabs[0] }] }, true, /^$/],
      ["add-accordion", { tabs }, { tabs: [] }, false, /tabs: is not stored as it was sent/],
      ["add-accordion", { tabs }, {}, null, /do not show tabs/],
      ["add-counter", { ending_number: 5 }, { ending_number: "5" }, true, /^$/],
      ["add-counter", { ending_number: 5 }, { ending_number: 6 }, false, /ending_number: is not stored/],
      ["add-counter", { ending_number: 5 }, { other: 5 }, null, /do not show ending_number/],
      ["add-image", { image }, { image: { ...image, alt: "" } }, true, /^$/],
      ["add-image", { image }, { image: { id: 8 } }, false, /image: is not stored as it was sent/],
      [
        "add-icon-box",
        { title_text: "A box", position: "left" },
        { title_text: "A box" },
        null,
        /do not show position/,
      ],
      [
        "add-atomic-heading",
        { title: "Hello you", tag: "h1" },
        {
          title: { $$type: "html", value: { content: "Hello you" } },
          tag: { $$type: "string", value: "h1" },
        },
        true,
        /^$/,
      ],
      [
        "add-atomic-heading",
        { tag: "h1" },
        { tag: { $$type: "string", value: "h2" } },
        null,
        /do not show tag/,
      ],
      [
        "add-custom-js",
        { js: "start(now);", wrap_dom_ready: true },
        { html: "<script>start(now);</script>" },
        null,
        /wrap_dom_ready/,
      ],
      [
        "add-container",
        { settings: { justify_content: "center", styles: { a: 1 } } },
        { flex_justify_content: "center" },
        null,
        /show styles/,
      ],
      ["add-container", { full_bleed: true }, {}, null, /do not show full_bleed/],
    ];
  for (const [tool, sent, stored, verified, says] of rows) {
    const page = draft(at);
    const made = widget("of-any-type", stored);
    does(at, page, tool, adds(made, (elements) => find(elements, page.into)!.elements, 2));
    const site_id = tool === "add-custom-js" ? "open" : "acme";
    const proof = await proofOf(at, tool, page, { site_id, parent_id: page.into, ...sent });
    const said = `${proof.verified_reason ?? ""}${proof.warnings}`;
    assert.deepEqual([tool, proof.verified, says.test(said)], [tool, verified, true], said);
  }
});

Deno.test("a copy stands behind what it is a copy of, and shows the same", async () => {
  await using at = await world();
  const ofHeading = (page: Draft) => ({ element_id: page.heading });
  const own = draft(at);
  assert.equal((await proofOf(at, "duplicate-element", own, ofHeading(own))).verified, true);
  const rows = [
    [widget("heading", { title: "Other" }), 1, /does not show what the element shows/],
    [widget("heading", { title: "One" }), 2, /position/],
  ] as const;
  for (const [copy, place, says] of rows) {
    const page = draft(at);
    does(at, page, "duplicate-element", (elements) => {
      adds(copy, (all) => find(all, page.into)!.elements, place)(elements);
      return { new_element_id: copy.id };
    });
    const proof = await proofOf(at, "duplicate-element", page, ofHeading(page));
    assert.equal(proof.verified, false, String(says));
    assert.match(proof.warnings.join(), says);
  }
});

Deno.test("a copy of a container without what stands in it is none", async () => {
  await using at = await world();
  const ofContainer = ({ into }: Draft) => ({ element_id: into });
  const own = draft(at);
  assert.equal((await proofOf(at, "duplicate-element", own, ofContainer(own))).verified, true);
  const page = draft(at);
  does(at, page, "duplicate-element", (elements) => {
    const copy = container();
    elements.splice(1, 0, copy);
    return { new_element_id: copy.id };
  });
  assert.equal((await proofOf(at, "duplicate-element", page, ofContainer(page))).verified, false);
});

/** A template as one sends it. */
const template = (
  title: string,
): Element[] => [container({}, [widget("heading", { title }), widget("spacer")])];

Deno.test("the elements of a template are compared with those that were added", async () => {
  await using at = await world();
  const call = { template_json: template("Sent"), position: 0 };
  const rows: readonly (readonly [Element[] | null, number, boolean | null, RegExp])[] = [
    [null, 0, true, /^$/],
    [template("Sent"), 2, false, /position/],
    [template("Other"), 0, false, /title: is not stored as it was sent/],
    [
      [container({}, [widget("heading", { title: "Sent" })])],
      0,
      false,
      /3 elements were sent and 2 are stored/,
    ],
    [[container({}, [widget("button"), widget("spacer")])], 0, false, /types that were sent/],
    [[container(), widget("heading", { title: "Sent" }), widget("spacer")], 0, false, /within those/],
  ];
  for (const [stored, place, verified, says] of rows) {
    const page = draft(at);
    if (stored !== null) {
      does(at, page, "import-template", (elements) => {
        elements.splice(place, 0, ...stored);
        return { success: true, elements_count: 3 };
      });
    }
    const proof = await proofOf(at, "import-template", page, call);
    assert.equal(proof.verified, verified, `${says} ${proof.warnings}`);
    assert.match(proof.warnings.join(), says);
  }
  const long = Array.from({ length: 6 }, (_, n) => widget("heading", { title: `Title ${n}` }));
  const proof = await proofOf(at, "import-template", draft(at), { template_json: long });
  assert.match(proof.verified_reason!, /first 5 elements are as they were sent, 1 were not compared/);
});

Deno.test("what is applied of a template is compared with it", async () => {
  await using at = await world();
  const own = draft(at);
  const call = { template_id: 901, parent_id: own.other, position: 0 };
  assert.deepEqual(await proofOf(at, "apply-template", own, call).then(plain), [true, ""]);
  const page = draft(at);
  does(at, page, "apply-template", (elements) => {
    elements.push(...template("Another"));
    return { success: true, elements_added: 3 };
  });
  const proof = await proofOf(at, "apply-template", page, { template_id: 901 });
  assert.deepEqual([proof.verified, proof.warnings], [false, [
    "template_id: what was added does not show what the template shows",
  ]]);
});

const plain = (
  { verified, verified_reason, warnings }: {
    verified: boolean | null;
    verified_reason?: string;
    warnings: readonly string[];
  },
) => [
  verified,
  `${verified_reason ?? ""}${warnings}`,
];

Deno.test("what goes with a setting that is replaced whole is a warning", async () => {
  await using at = await served({ race_ms: 0 });
  const link = { url: "https://example.test/", is_external: "", nofollow: "on" };
  const button = widget("button", { text: "Go", link });
  const { id: post_id } = at.tools.page({ title: "Page", elements: [container({}, [button])] });
  const update = async (tool: string, args: Args) => {
    const { proof } = await at.gw.proven(`builder-mcp-${tool}`, { site_id: "acme", post_id, ...args });
    return [proof.verified, proof.warnings];
  };
  const element_id = button.id;
  const whole = { link: { ...link, is_external: "on" } };
  assert.deepEqual(await update("update-widget", { element_id, settings: whole }), [true, []]);
  const settings = { link: { is_external: "on" } };
  const sentence =
    `${element_id}, link: url, nofollow went with the change, for a setting that is an object is ` +
    "replaced whole; send all of it";
  assert.deepEqual(await update("update-widget", { element_id, settings }), [true, [sentence]]);
  await update("update-widget", { element_id, settings: whole });
  const operations = [{ element_id, settings }];
  assert.deepEqual(await update("batch-update", { operations }), [true, [sentence]]);
});
