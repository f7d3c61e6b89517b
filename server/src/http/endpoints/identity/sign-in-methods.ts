import { z } from "zod";
import { listPage, pageOf, pageQuery } from "../../responses/list-page.ts";
import {
  current,
  newPasskeyAnswer,
  oneTimeToken,
  passkeyShown,
  passkeyToWire,
  shownName,
} from "../../responses/person.ts";
import { control, type Endpoint } from "../endpoint.ts";
import { personOf, visitorOf } from "./person-of.ts";
import { ownOrigin } from "./session-cookie.ts";

const TAG = "Yourself";
const PROOF = "It takes a log-in less than 15 minutes old, or the current password.";
const proof = z.object({ current });

const passkeyOptions = control({
  method: "POST",
  path: "/v1/me/passkeys/options",
  power: "self.change",
  deed: null,
  status: 200,
  tag: TAG,
  summary: "What a browser needs to make a passkey",
  description: PROOF,
  faults: ["conflict", "recent_login_needed"],
  body: proof,
  bodyOptional: true,
  answer: z.object({
    ticket: z.string().describe("Comes back with what the browser made, once, within 5 minutes."),
    options: z.record(z.string(), z.unknown()).describe("WebAuthn's creation options, as JSON."),
  }),
  async handle(visit) {
    const { house, request } = visit;
    const person = await house.door.own.prove(visitorOf(visit));
    return house.door.passkeys.offer(ownOrigin(house, request), person);
  },
});

const addPasskey = control({
  method: "POST",
  path: "/v1/me/passkeys",
  power: "self.change",
  deed: { action: "passkey.add" },
  status: 201,
  tag: TAG,
  summary: "Add a passkey",
  faults: ["conflict", "not_found"],
  body: z.object({ ticket: oneTimeToken, response: newPasskeyAnswer, name: shownName }),
  answer: passkeyShown,
  async handle(visit) {
    const { house, body, request } = visit;
    const { id, email } = personOf(visit);
    const passkey = await house.door.passkeys.add(ownOrigin(house, request), id, body);
    house.door.own.notify(email, "A passkey was added to your account");
    return passkeyToWire(passkey);
  },
});

const listPasskeys = control({
  method: "GET",
  path: "/v1/me/passkeys",
  power: "self.read",
  status: 200,
  tag: TAG,
  summary: "Your passkeys",
  faults: [],
  query: pageQuery,
  answer: pageOf(passkeyShown),
  handle: (visit) =>
    listPage(
      visit.query,
      (limit, cursor) => visit.house.door.passkeys.list(personOf(visit).id, limit, cursor),
      passkeyToWire,
      (text) => /^[A-Za-z0-9_-]{1,2048}$/.test(text),
    ),
});

const renamePasskey = control({
  method: "PATCH",
  path: "/v1/me/passkeys/:id",
  power: "self.change",
  deed: { action: "passkey.rename" },
  status: 200,
  tag: TAG,
  summary: "Rename a passkey",
  faults: ["not_found"],
  body: z.object({ name: shownName }),
  answer: passkeyShown,
  handle: async (visit) =>
    passkeyToWire(
      await visit.house.door.passkeys.rename(personOf(visit).id, visit.params.id ?? "", visit.body.name),
    ),
});

const removePasskey = control({
  method: "DELETE",
  path: "/v1/me/passkeys/:id",
  power: "self.change",
  deed: { action: "passkey.remove" },
  status: 204,
  tag: TAG,
  summary: "Remove a passkey",
  description: `${PROOF} The last way to log in can't be removed.`,
  faults: ["not_found", "conflict", "recent_login_needed"],
  body: proof,
  bodyOptional: true,
  answer: z.null(),
  async handle(visit) {
    const { own, passkeys } = visit.house.door;
    const person = await own.prove(visitorOf(visit));
    await passkeys.remove(person.id, visit.params.id ?? "");
    own.notify(person.email, "A passkey was removed from your account");
    return null;
  },
});

const beginTotp = control({
  method: "POST",
  path: "/v1/me/totp",
  power: "self.change",
  deed: { action: "second_factor.begin" },
  status: 200,
  tag: TAG,
  summary: "Begin to set up the second factor",
  description: `The secret is shown this once. ${PROOF}`,
  faults: ["conflict", "recent_login_needed"],
  body: proof,
  bodyOptional: true,
  answer: z.object({ secret: z.string(), uri: z.string().describe("For the QR code.") }),
  async handle(visit) {
    const { own, secondFactor } = visit.house.door;
    return secondFactor.propose(await own.prove(visitorOf(visit)));
  },
});

const recoveryCodes = z.object({
  recovery_codes: z.array(z.string()).describe("Ten, each good once. Shown this once."),
});

const confirmTotp = control({
  method: "POST",
  path: "/v1/me/totp/confirm",
  power: "self.change",
  deed: { action: "second_factor.confirm" },
  status: 200,
  tag: TAG,
  summary: "Confirm the second factor by a code: from now on it is asked for",
  faults: ["conflict"],
  body: z.object({ code: z.string().min(1).max(64) }),
  answer: recoveryCodes,
  async handle(visit) {
    const { own, secondFactor } = visit.house.door;
    const { id, email } = personOf(visit);
    await own.countProof(id, visit.request.ip);
    const codes = await secondFactor.confirm(id, visit.body.code);
    own.notify(email, "A second factor was added to your account");
    return { recovery_codes: codes };
  },
});

const removeTotp = control({
  method: "DELETE",
  path: "/v1/me/totp",
  power: "self.change",
  deed: { action: "second_factor.remove" },
  status: 204,
  tag: TAG,
  summary: "Remove the second factor",
  description: PROOF,
  faults: ["conflict", "recent_login_needed"],
  body: proof,
  bodyOptional: true,
  answer: z.null(),
  async handle(visit) {
    const { own, secondFactor } = visit.house.door;
    const person = await own.prove(visitorOf(visit));
    await secondFactor.remove(person.id);
    own.notify(person.email, "The second factor was removed from your account");
    return null;
  },
});

const renewRecoveryCodes = control({
  method: "POST",
  path: "/v1/me/totp/recovery-codes",
  power: "self.change",
  deed: { action: "second_factor.recovery_codes" },
  status: 200,
  tag: TAG,
  summary: "Make new recovery codes: the old ones end",
  description: PROOF,
  faults: ["conflict", "recent_login_needed"],
  body: proof,
  bodyOptional: true,
  answer: recoveryCodes,
  async handle(visit) {
    const { own, secondFactor } = visit.house.door;
    const person = await own.prove(visitorOf(visit));
    return { recovery_codes: await secondFactor.renewRecoveryCodes(person.id) };
  },
});

export const meSecurityEndpoints: readonly Endpoint[] = [
  passkeyOptions,
  addPasskey,
  listPasskeys,
  renamePasskey,
  removePasskey,
  beginTotp,
  confirmTotp,
  removeTotp,
  renewRecoveryCodes,
];
