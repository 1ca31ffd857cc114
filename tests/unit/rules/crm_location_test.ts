/** Which records of the CRM are another location's, and which only use a name that elsewhere means a location. */
import assert from "node:assert/strict";
import { namesAnotherLocation } from "../../../rules/crm_location.ts";

const own = { id: "r1", locationId: "own" };
const ROWS: readonly (readonly [name: string, value: unknown, foreign: boolean])[] = [
  ["a record of the own location", { contacts: [own] }, false],
  ["a record of another", { contacts: [own, { id: "r2", locationId: "rival" }] }, true],
  ["the other spelling", [{ a: { location_id: "rival" } }], true],
  ["an altId beside its kind", { invoices: [{ _id: "i", altId: "rival", altType: "location" }] }, true],
  ["an own altId beside its kind", { invoices: [{ _id: "i", altId: "own", altType: "location" }] }, false],
  ["an altId of an agency", { altId: "agency", altType: "company" }, false],
  // The vendor's issues #38 (2025-06-24: altId is in the messages of a conversation) and #212 (a WhatsApp message).
  ["a carrier's id of a message", { messages: [{ ...own, altId: "wamid.HBgL", type: 19 }] }, false],
  ["a carrier's id alone", { messages: [{ id: "m", altId: "SM57d2" }] }, false],
  // Receipts of the payment service are handed on as they are; Square's name its own places.
  ["a payment's receipt", { data: [{ ...own, chargeSnapshot: { location_id: "L8E4V" } }] }, false],
  ["a receipt in a payment of another", {
    data: [{ id: "p", locationId: "rival", chargeSnapshot: { location_id: "own" } }],
  }, true],
  ["what visitors typed", { submissions: [{ id: "s", others: { locationId: "Vienna" } }] }, false],
  ["a record within an envelope that names the own one", {
    locationId: "own",
    contacts: [{ id: "c", locationId: "rival" }],
  }, true],
  ["no id at all", { locationId: "", location_id: 7, altId: null, altType: "location" }, false],
];
for (const [name, value, foreign] of ROWS) {
  Deno.test(`${name} is ${foreign ? "" : "not "}taken for another location's data`, () => {
    assert.equal(namesAnotherLocation(value, "own", 8), foreign);
  });
}
