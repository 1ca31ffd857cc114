/** What a site's page says of its settings: what it is, what it is linked to, and what may be done there. */
import type { Child } from "hono/jsx";
import { FLAGS, type Site } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import { askedOf, FLAG_WORDS, POLICY_WORDS, textsOf } from "../../admin/site_form.ts";
import { Tag, Time } from "../parts.tsx";
import { Fact, Table } from "../table.tsx";
import type { PagesParts } from "./frame.tsx";
import { siteAddress } from "./sites_list.tsx";

/** What it is. */
export function Facts({ site, parts }: { readonly site: Site; readonly parts: PagesParts }): Child {
  const product = parts.ports.connectors.ofKind(site.platform)?.product ?? site.platform;
  return (
    <dl class="facts">
      <Fact name="Id">{site.id}</Fact>
      <Fact name="Platform">{`${product} (${site.platform})`}</Fact>
      <Fact name="Address">
        {site.base_url === null
          ? "none"
          : <a href={site.base_url} rel="noopener noreferrer">{site.base_url}</a>}
      </Fact>
      <Fact name="Project">{site.project_id ?? "none"}</Fact>
      <Fact name="Registered">
        <Time at={site.created_at} />
      </Fact>
      <Fact name="Settings changed">
        <Time at={site.updated_at} />
      </Fact>
    </dl>
  );
}

/** What it is linked to, by connector, and what it could be. */
export function Connections({ site, parts }: { readonly site: Site; readonly parts: PagesParts }): Child {
  const { connectors } = parts.ports;
  const all = askedOf({ connectors, platform: site.platform, site, withFlags: false }).slice(1);
  const texts = textsOf(site, all);
  const held = site.credentials as readonly string[];
  const rows = all.flatMap(({ title, fields }) => {
    const set = fields.flatMap(({ name, label, control }) => {
      const value = texts.getAll(name).join(", ").replaceAll("\n", ", ");
      if (value === "") return [];
      return [
        <div>
          {`${label}: ${control.form === "switch" ? "yes" : seen(value)}`}
          {control.form === "person" && (
            <>
              {" "}
              <a href="/admin/connections">connected accounts</a>
            </>
          )}
        </div>,
      ];
    });
    const kinds = new Set(
      fields.filter(({ name }) => name.startsWith("credentials.")).map(({ name }) => name.split(".")[1]!),
    );
    const secrets = [...kinds].filter((kind) => held.includes(kind)).map((kind) => (
      <div>{`The ${kind} credentials are set`}</div>
    ));
    return set.length + secrets.length === 0 ? [] : [[title, <>{set}{secrets}</>]];
  });
  const unset = Object.entries(connectors.integrations(site)).filter(([, is]) => !is).map(([name]) => name);
  return (
    <section>
      <h2>What it is linked to</h2>
      <Table
        caption="As it is set; nothing is asked"
        columns={["At", "What"]}
        rows={rows}
        empty="Nothing yet."
      />
      {unset.length > 0 && (
        <p>
          {`Not set up: ${unset.join(", ")}. `}
          <a href={`${siteAddress(site.id)}/edit`}>Set it up</a>
        </p>
      )}
    </section>
  );
}

/** Each flag with what it permits, and what a write needs. */
export function Permitted({ site }: { readonly site: Site }): Child {
  const { confirm_policy: policy, four_eyes = false, confirm_proxied = false } = site;
  return (
    <section>
      <h2>What may be done here</h2>
      <ul class="flags">
        {FLAGS.map((flag) => (
          <li>
            <Tag tone={site.flags[flag] ? "good" : "plain"}>
              {site.flags[flag] ? "allowed" : "not allowed"}
            </Tag>
            <span>
              <code>{flag}</code>
              <span class="hint">{FLAG_WORDS[flag]}</span>
            </span>
          </li>
        ))}
      </ul>
      <p>
        {`What a write needs (${policy}): ${POLICY_WORDS[policy]}`}
        {confirm_proxied && " What its own tools write is shown before it is sent."}
        {four_eyes && " Who approves must be another person than the one whose client asked."}
      </p>
    </section>
  );
}
