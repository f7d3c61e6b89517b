import { z } from "zod";
import { email, oneTimeToken, passkeyAnswer, password } from "../../responses/person.ts";
import { type Endpoint, open } from "../endpoint.ts";
import { entryShown, knockOf, recordEntry, replyToEntry } from "./let-in.ts";
import { ownOrigin } from "./session-cookie.ts";
import { sentShown } from "./sign-up.ts";

const TAG = "Sessions";

const logIn = open({
  method: "POST",
  path: "/v1/auth/log-in",
  status: 200,
  tag: TAG,
  summary: "Log in by e-mail address and password",
  description: "Sets the session's cookie, or asks for the second factor.",
  faults: ["invalid_login", "insufficient_role", "cross_site", "overloaded"],
  body: z.object({ email, password }),
  answer: entryShown,
  async handle({ house, body, request }) {
    const door = { house, request };
    return replyToEntry(
      door,
      await house.door.logIn.byPassword(body.email, body.password, knockOf(door, body.email)),
    );
  },
});

const secondFactor = open({
  method: "POST",
  path: "/v1/auth/second-factor",
  status: 200,
  tag: TAG,
  summary: "Finish a log-in by a code of the authenticator app, or by a recovery code",
  faults: ["invalid_login", "not_found", "insufficient_role", "cross_site"],
  body: z.object({ ticket: oneTimeToken, code: z.string().min(1).max(64) }),
  answer: entryShown,
  async handle({ house, body, request }) {
    const door = { house, request };
    const entry = await house.door.logIn.bySecondFactor(body.ticket, body.code, {
      address: request.ip,
      deviceFor: (address) => knockOf(door, address).device,
    });
    return replyToEntry(door, entry);
  },
});

const forgot = open({
  method: "POST",
  path: "/v1/auth/forgot",
  status: 202,
  tag: TAG,
  summary: "Ask for a link to choose a new password",
  description: "The answer is the same whether or not the address is known.",
  faults: ["cross_site"],
  body: z.object({ email }),
  answer: sentShown,
  async handle({ house, body, request }) {
    await house.door.logIn.forget(body.email, knockOf({ house, request }, body.email));
    return { sent: house.door.postman.way };
  },
});

const reset = open({
  method: "POST",
  path: "/v1/auth/reset",
  status: 200,
  tag: TAG,
  summary: "Choose a new password by the link from a mail",
  description: "Ends all sessions, then logs in as `log-in` does. The second factor is still asked for.",
  faults: ["not_found", "insufficient_role", "cross_site", "overloaded"],
  body: z.object({ token: oneTimeToken, password }),
  answer: entryShown,
  async handle({ house, body, request }) {
    const door = { house, request };
    const entry = await house.door.logIn.reset(body.token, body.password, knockOf(door));
    const accountId = await house.people.homeOf(entry.person.id);
    if (accountId !== undefined) await recordEntry(door, entry.person, accountId, "password.reset");
    return replyToEntry(door, entry);
  },
});

const passkeyOptions = open({
  method: "POST",
  path: "/v1/auth/passkey-options",
  status: 200,
  tag: TAG,
  summary: "What a browser needs to ask for a passkey",
  faults: ["cross_site"],
  body: z.object({}),
  bodyOptional: true,
  answer: z.object({
    ticket: z.string().describe("Comes back with the answer, once, within 5 minutes."),
    options: z.record(z.string(), z.unknown()).describe("WebAuthn's request options, as JSON."),
  }),
  handle: async ({ house, request }) =>
    house.door.logIn.askForPasskey(ownOrigin(house, request), knockOf({ house, request })),
});

const passkey = open({
  method: "POST",
  path: "/v1/auth/passkey",
  status: 200,
  tag: TAG,
  summary: "Log in by passkey",
  description: "A passkey counts as both factors.",
  faults: ["invalid_login", "insufficient_role", "cross_site"],
  body: z.object({ ticket: oneTimeToken, response: passkeyAnswer }),
  answer: entryShown,
  async handle({ house, body, request }) {
    const door = { house, request };
    const origin = ownOrigin(house, request);
    return replyToEntry(
      door,
      await house.door.logIn.byPasskey(origin, body.ticket, body.response, knockOf(door)),
    );
  },
});

export const logInEndpoints: readonly Endpoint[] = [
  logIn,
  secondFactor,
  passkeyOptions,
  passkey,
  forgot,
  reset,
];
