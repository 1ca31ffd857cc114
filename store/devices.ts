/** Browsers in which somebody has signed in before: known by a text that says so, of which nothing is kept. */
import { lasts } from "../core/lasting.ts";
import { PEOPLE_LIMITS } from "../core/model.ts";
import type { DeviceStore } from "./people_types.ts";
import type { Signatures } from "./signatures.ts";
import { randomText } from "./tokens.ts";

/** A name of the browser's own, until when it is known, and the proof of both for one user. */
const TEXT = /^([\w-]{43})\.(\d{1,16})\.([\w-]{43})$/;
const BASE64URL = { alphabet: "base64url", omitPadding: true } as const;

/** The DeviceStore of a gateway. */
export class Devices implements DeviceStore {
  constructor(private readonly signatures: Signatures, private readonly now: () => number) {}

  create(user_id: string): string {
    const [device, until] = [randomText(), String(this.now() + PEOPLE_LIMITS.DEVICE_MS)];
    return `${device}.${until}.${
      this.signatures.sign(["device", user_id, device, until]).toBase64(BASE64URL)
    }`;
  }

  find(text: string, user_id: string): string | null {
    const [, device, until, proof] = TEXT.exec(text) ?? [];
    if (device === undefined || !lasts(Number(until), PEOPLE_LIMITS.DEVICE_MS, this.now())) return null;
    const bytes = Uint8Array.fromBase64(proof!, { alphabet: "base64url" });
    return this.signatures.isSigned(["device", user_id, device, until!], bytes) ? device : null;
  }
}
