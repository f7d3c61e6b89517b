import { z } from "zod";
import {
  emailSchema,
  oneTimeTokenSchema,
  passkeyAssertionSchema,
  passwordSchema,
} from "../../responses/person.ts";
import { type Endpoint, publicEndpoint } from "../endpoint.ts";
import { authAttemptOf, logInReply, logInResponseSchema, recordSessionEvent } from "./let-in.ts";
import { serviceOrigin } from "./session-cookie.ts";
import { sentResponseSchema } from "./sign-up.ts";

const TAG = "Sessions";

const logIn = publicEndpoint({
  method: "POST",
  path: "/v1/auth/log-in",
  status: 200,
  tag: TAG,
  summary: "Log in by e-mail address and password",
  description: "Sets the session's cookie, or asks for the second factor.",
  faults: ["invalid_login", "insufficient_role", "cross_site", "overloaded"],
  body: z.object({ email: emailSchema, password: passwordSchema }),
  response: logInResponseSchema,
  async handle({ services, body, request }) {
    const exchange = { services, request };
    return logInReply(
      exchange,
      await services.identity.logIn.byPassword(
        body.email,
        body.password,
        authAttemptOf(exchange, body.email),
      ),
    );
  },
});

const confirmSecondFactor = publicEndpoint({
  method: "POST",
  path: "/v1/auth/second-factor",
  status: 200,
  tag: TAG,
  summary: "Finish a log-in by a code of the authenticator app, or by a recovery code",
  faults: ["invalid_login", "not_found", "insufficient_role", "cross_site"],
  body: z.object({ ticket: oneTimeTokenSchema, code: z.string().min(1).max(64) }),
  response: logInResponseSchema,
  async handle({ services, body, request }) {
    const exchange = { services, request };
    const logInResult = await services.identity.logIn.bySecondFactor(body.ticket, body.code, {
      address: request.ip,
      deviceFor: (address) => authAttemptOf(exchange, address).device,
    });
    return logInReply(exchange, logInResult);
  },
});

const requestPasswordReset = publicEndpoint({
  method: "POST",
  path: "/v1/auth/forgot",
  status: 202,
  tag: TAG,
  summary: "Ask for a link to choose a new password",
  description: "The answer is the same whether or not the address is known.",
  faults: ["cross_site"],
  body: z.object({ email: emailSchema }),
  response: sentResponseSchema,
  async handle({ services, body, request }) {
    await services.identity.logIn.requestPasswordReset(
      body.email,
      authAttemptOf({ services, request }, body.email),
    );
    return { sent: services.identity.mailer.channel };
  },
});

const resetPassword = publicEndpoint({
  method: "POST",
  path: "/v1/auth/reset",
  status: 200,
  tag: TAG,
  summary: "Choose a new password by the link from a mail",
  description: "Ends all sessions, then logs in as `log-in` does. The second factor is still asked for.",
  faults: ["not_found", "insufficient_role", "cross_site", "overloaded"],
  body: z.object({ token: oneTimeTokenSchema, password: passwordSchema }),
  response: logInResponseSchema,
  async handle({ services, body, request }) {
    const exchange = { services, request };
    const logInResult = await services.identity.logIn.resetPassword(
      body.token,
      body.password,
      authAttemptOf(exchange),
    );
    const accountId = await services.people.homeOf(logInResult.person.id);
    if (accountId !== undefined)
      await recordSessionEvent(exchange, logInResult.person, accountId, "password.reset");
    return logInReply(exchange, logInResult);
  },
});

const createPasskeyChallenge = publicEndpoint({
  method: "POST",
  path: "/v1/auth/passkey-options",
  status: 200,
  tag: TAG,
  summary: "What a browser needs to ask for a passkey",
  faults: ["cross_site"],
  body: z.object({}),
  bodyOptional: true,
  response: z.object({
    ticket: z.string().describe("Comes back with the answer, once, within 5 minutes."),
    options: z.record(z.string(), z.unknown()).describe("WebAuthn's request options, as JSON."),
  }),
  handle: async ({ services, request }) =>
    services.identity.logIn.beginPasskey(
      serviceOrigin(services, request),
      authAttemptOf({ services, request }),
    ),
});

const logInByPasskey = publicEndpoint({
  method: "POST",
  path: "/v1/auth/passkey",
  status: 200,
  tag: TAG,
  summary: "Log in by passkey",
  description: "A passkey counts as both factors.",
  faults: ["invalid_login", "insufficient_role", "cross_site"],
  body: z.object({ ticket: oneTimeTokenSchema, response: passkeyAssertionSchema }),
  response: logInResponseSchema,
  async handle({ services, body, request }) {
    const exchange = { services, request };
    const origin = serviceOrigin(services, request);
    return logInReply(
      exchange,
      await services.identity.logIn.byPasskey(origin, body.ticket, body.response, authAttemptOf(exchange)),
    );
  },
});

export const logInEndpoints: readonly Endpoint[] = [
  logIn,
  confirmSecondFactor,
  createPasskeyChallenge,
  logInByPasskey,
  requestPasswordReset,
  resetPassword,
];
