/** A page of all components, as docs/DESIGN.md names them: for whoever builds a page. Nothing on it does anything. */
import type { Hono } from "hono";
import type { Child } from "hono/jsx";
import type { Person } from "../../identity/visitors.ts";
import { DaysChart } from "../chart.tsx";
import { Area, Choices, Field, Form, Select, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { Empty, Section, Stats, Tabs, Tag, Time } from "../parts.tsx";
import { showPage } from "../respond.tsx";
import { Table } from "../table.tsx";
import { asPerson, type PagesParts } from "./frame.tsx";

const PATH = "/admin/design";
const COLOURS = [
  "ground",
  "raised",
  "hair",
  "line",
  "text",
  "soft",
  "accent",
  "done",
  "wait",
  "problem",
] as const;
const NOTICES = ["done", "note", "warning", "problem"] as const;
const HEIGHTS = [3, 9, 4, 12, 7, 0, 1, 6, 8, 15, 11, 4, 2, 5];

/** Adds `/admin/design`. */
export function designPages(app: Hono, parts: PagesParts): void {
  app.get(PATH, (c) =>
    asPerson(parts, c, async (person) => {
      return await showPage(
        c,
        { title: "Design", visitor: person, wide: true, times: true },
        <>
          <p>Every component that pages are made of. Nothing here does anything.</p>
          <Tabs
            label="Views"
            tabs={[
              { href: PATH, label: "Components", current: true },
              { href: "/admin", label: "Overview", current: false },
            ]}
          />
          <Colours />
          <Words />
          <Forms person={person} />
          <Figures now={parts.ports.now()} />
        </>,
      );
    }));
}

function Colours(): Child {
  return (
    <Section id="colours" title="Colours">
      <ul class="swatches">
        {COLOURS.map((name) => (
          <li>
            <span class={`swatch swatch-${name}`}></span> {name}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Words(): Child {
  return (
    <Section id="wording" title="Words">
      <h3>A heading of the third rank</h3>
      <p>
        A paragraph with a <a href={PATH}>link</a>, <code>code</code>, and one word on how something does:
        {" "}
        <Tag tone="good">works</Tag> <Tag tone="wait">waits</Tag> <Tag tone="bad">fails</Tag> <Tag>plain</Tag>
      </p>
      {NOTICES.map((kind) => (
        <Notice kind={kind}>
          <p>A notice of the kind “{kind}”.</p>
        </Notice>
      ))}
      <code class="command">npx -y deno@2.9 task admin gateway health</code>
      <code class="secret">what is shown once</code>
      <details>
        <summary>What is folded away</summary>
        <p>It is here.</p>
      </details>
    </Section>
  );
}

function Forms({ person }: { readonly person: Person }): Child {
  return (
    <Section id="forms" title="Forms">
      <Form visitor={person} action="/admin/design/nothing">
        <Field name="name" label="A field" hint="What it is for" />
        <Field name="wrong" label="A field with a fault" value="x" error="Write at least two letters" />
        <Area name="words" label="Several lines" />
        <Select name="one" label="One of several" options={[{ value: "a", label: "the first" }]} />
        <Choices
          name="some"
          legend="Some of several"
          choices={[
            { value: "a", label: "the first", checked: true },
            { value: "b", label: "the second", hint: "What it means" },
          ]}
        />
        <Submit>What the page is for</Submit>
        <Submit quiet>Something beside it</Submit>
      </Form>
    </Section>
  );
}

function Figures({ now }: { readonly now: number }): Child {
  const days = HEIGHTS.map((value, at) => ({
    day: new Date(now - (HEIGHTS.length - 1 - at) * 86_400_000).toISOString().slice(0, 10),
    value,
  }));
  return (
    <Section id="figures" title="Figures">
      <Stats
        all={[
          { label: "A figure", value: 12 },
          { label: "With a link", value: 3, href: PATH, hint: "one more than yesterday" },
        ]}
      />
      <div class="charts">
        <DaysChart title="Calls" unit={["call", "calls"]} days={days} />
        <DaysChart title="Refused calls" unit={["refused call", "refused calls"]} days={days} bad />
      </div>
      <Table
        caption="A table, which is a list of cards on a phone"
        columns={["Name", "State", "When"]}
        rows={[["acme", <Tag tone="good">works</Tag>, <Time at={now} />], [
          "bolt",
          <Tag tone="bad">fails</Tag>,
          "",
        ]]}
        empty=""
      />
      <Empty title="Nothing is here yet" action={{ href: "/admin", label: "What to do first" }}>
        What would stand here, and how it comes to be.
      </Empty>
    </Section>
  );
}
