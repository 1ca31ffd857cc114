/** The parts of the page of one's own account. */
import type { Child } from "hono/jsx";
import { PEOPLE_LIMITS } from "../../core/model.ts";
import { Field, Form, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { Time } from "../parts.tsx";
import { Table } from "../table.tsx";
import type { AccountHolder } from "../../identity/visitors.ts";
import type { PersonSession, SignIn } from "../../store/store.ts";
import { canHavePasskeys } from "../../identity/sign_in/hosts.ts";
import { browserOf, time } from "./words.ts";

/** Where the page is. */
export const ACCOUNT_PATH = "/admin/account";

/** What is wrong, by field. */
export type AccountFaults = Readonly<
  Partial<Record<"current" | "passphrase" | "again" | "passkey", string>>
>;

/** What the page shows. */
export interface AccountShown {
  readonly person: AccountHolder;
  readonly signIn: SignIn;
  readonly sessions: readonly PersonSession[];
  readonly faults: AccountFaults;
  readonly baseUrl: string;
}

/** The passphrase, set or changed. */
export function Passphrase({ person, signIn, faults }: AccountShown): Child {
  return (
    <section aria-labelledby="passphrase-title">
      <h2 id="passphrase-title">{signIn.passphrase ? "Change your passphrase" : "Set a passphrase"}</h2>
      <Form visitor={person} action={`${ACCOUNT_PATH}/passphrase`}>
        {signIn.passphrase && (
          <Field
            name="current"
            label="Your passphrase now"
            type="password"
            autocomplete="current-password"
            error={faults.current}
          />
        )}
        <Field
          name="passphrase"
          label="New passphrase"
          type="password"
          autocomplete="new-password"
          hint={`At least ${PEOPLE_LIMITS.PASSPHRASE_CHARACTERS_MIN} characters. A few words in a row are good.`}
          error={faults.passphrase}
        />
        <Field
          name="again"
          label="The new passphrase again"
          type="password"
          autocomplete="new-password"
          error={faults.again}
        />
        <Submit>Save the passphrase</Submit>
      </Form>
    </section>
  );
}

/** The passkeys, added and removed. */
export function Passkeys({ person, signIn, faults, baseUrl }: AccountShown): Child {
  const rows = signIn.passkeys.map(({ id, name, created_at, last_used_at }) => [
    name,
    <Time at={created_at} />,
    last_used_at === null ? "never" : <Time at={last_used_at} />,
    <Form visitor={person} action={`${ACCOUNT_PATH}/passkeys/remove`}>
      <input type="hidden" name="passkey" value={id} />
      <Submit quiet label={`Remove the passkey ${name}`}>Remove</Submit>
    </Form>,
  ]);
  return (
    <section aria-labelledby="passkeys-title">
      <h2 id="passkeys-title">Passkeys</h2>
      {faults.passkey && (
        <Notice kind="problem">
          <p>{faults.passkey}.</p>
        </Notice>
      )}
      <Table
        caption="Devices that sign you in without a passphrase"
        columns={["Name", "Added", "Last used", "Remove"]}
        rows={rows}
        empty="You have no passkey."
      />
      {canHavePasskeys(baseUrl)
        ? (
          <Form
            visitor={person}
            action={`${ACCOUNT_PATH}/passkeys`}
            passkey={{ does: "create", options: `${ACCOUNT_PATH}/passkeys/options` }}
          >
            <Field name="name" label="What to call it" hint="Such as: phone, laptop" maxlength={60} />
            <Submit>Add a passkey</Submit>
          </Form>
        )
        : (
          <p class="hint">
            Passkeys need a gateway with a host name, over https; this one is reached at {baseUrl}.
          </p>
        )}
    </section>
  );
}

/** The sessions, and their end. */
export function Sessions({ person, sessions }: AccountShown): Child {
  const rows = sessions.map(({ id, method, agent, created_at, seen_at }) => [
    `${browserOf(agent)}${id === person.session.id ? " (this one)" : ""}`,
    <>
      <Time at={created_at} />
      <span class="hint">by {method}</span>
    </>,
    <Time at={seen_at} />,
    <Form visitor={person} action={`${ACCOUNT_PATH}/sessions/end`}>
      <input type="hidden" name="session" value={id} />
      <Submit quiet label={`End the session of ${time(created_at)}`}>End</Submit>
    </Form>,
  ]);
  return (
    <section aria-labelledby="sessions-title">
      <h2 id="sessions-title">Sessions</h2>
      <Table
        caption="Browsers in which you are signed in"
        columns={["Browser", "Signed in", "Last used", "End"]}
        rows={rows}
        empty="There is none."
      />
      <Form visitor={person} action={`${ACCOUNT_PATH}/sessions/end-all`}>
        <Submit quiet>Sign out everywhere</Submit>
      </Form>
    </section>
  );
}
