import { ROLES } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId } from "@trunkline/core/id.ts";
import { ALL_PERMISSIONS, hasPermission } from "@trunkline/core/permissions.ts";
import { z } from "zod";
import {
  emailSchema,
  oneTimeTokenSchema,
  passkeyAssertionSchema,
  passwordSchema,
  personResponseSchema,
  toPersonResponse,
} from "../../responses/person.ts";
import { controlEndpoint, type Endpoint, publicEndpoint, Reply } from "../endpoint.ts";
import {
  authAttemptOf,
  clearSessionCookie,
  logInReply,
  logInResponseSchema,
  recordSessionEvent,
  serviceOrigin,
  signedInPerson,
} from "./browser-session.ts";
import { logInFeaturesOf, logInFeaturesSchema, sentResponseSchema } from "./sign-up.ts";

const TAG = "Sessions";

const logIn = publicEndpoint({
  method: "POST",
  path: "/v1/auth/log-in",
  status: 200,
  tag: TAG,
  summary: "Log in by e-mail address and password",
  description: "Sets the session's cookie, or asks for the second factor.",
  faults: ["invalid_login", "insufficient_role", "sso_required", "cross_site", "overloaded"],
  body: z.object({ email: emailSchema, password: passwordSchema }),
  response: logInResponseSchema,
  async handle({ services, body, request }) {
    const exchange = { services, request };
    return logInReply(
      exchange,
      await services.identity.logIn.byPassword(body.email, body.password, authAttemptOf(exchange, body.email)),
    );
  },
});

const confirmSecondFactor = publicEndpoint({
  method: "POST",
  path: "/v1/auth/second-factor",
  status: 200,
  tag: TAG,
  summary: "Finish a log-in by a code of the authenticator app, or by a recovery code",
  faults: ["invalid_login", "not_found", "insufficient_role", "sso_required", "cross_site"],
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
    await services.identity.logIn.requestPasswordReset(body.email, authAttemptOf({ services, request }, body.email));
    return { sent: services.notify.mailer.channel };
  },
});

const resetPassword = publicEndpoint({
  method: "POST",
  path: "/v1/auth/reset",
  status: 200,
  tag: TAG,
  summary: "Choose a new password by the link from a mail",
  description: "Ends all sessions, then logs in as `log-in` does. The second factor is still asked for.",
  faults: ["not_found", "insufficient_role", "sso_required", "cross_site", "overloaded"],
  body: z.object({ token: oneTimeTokenSchema, password: passwordSchema }),
  response: logInResponseSchema,
  async handle({ services, body, request }) {
    const exchange = { services, request };
    const logInResult = await services.identity.logIn.resetPassword(body.token, body.password, authAttemptOf(exchange));
    const accountId = await services.identity.people.homeOf(logInResult.person.id);
    if (accountId !== undefined) await recordSessionEvent(exchange, logInResult.person, accountId, "password.reset");
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
    services.identity.logIn.beginPasskey(serviceOrigin(services, request), authAttemptOf({ services, request })),
});

const logInByPasskey = publicEndpoint({
  method: "POST",
  path: "/v1/auth/passkey",
  status: 200,
  tag: TAG,
  summary: "Log in by passkey",
  description: "A passkey counts as both factors.",
  faults: ["invalid_login", "insufficient_role", "sso_required", "cross_site"],
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

const sessionAccountSchema = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  operator: z.boolean(),
  sso_only: z.boolean().describe("Whether it is reached by single sign-on only."),
});

const readSession = controlEndpoint({
  method: "GET",
  path: "/v1/session",
  permission: "self.read",
  status: 200,
  tag: TAG,
  summary: "Who is logged in, where, and what they may do there",
  faults: [],
  response: z.object({
    person: personResponseSchema,
    account: sessionAccountSchema.extend({ provider: z.string() }),
    accounts: z.array(sessionAccountSchema),
    powers: z.array(z.string()),
    features: logInFeaturesSchema.extend({
      card: z.boolean(),
      clusters: z.boolean().describe("Whether accounts are placed on several PostgreSQL clusters."),
    }),
    announcement: z.string().describe("What the operator has to tell everyone; empty: nothing."),
  }),
  async handle(operationContext) {
    const { services, caller } = operationContext;
    const { id } = signedInPerson(operationContext);
    const [person, memberships] = await Promise.all([
      services.identity.profile.find(id),
      services.identity.people.membershipsOf(id),
    ]);
    // An identity provider must not learn where else its people are members.
    const reached = signedInPerson(operationContext).bySso
      ? memberships.filter(({ accountId }) => accountId === caller.accountId)
      : memberships;
    const accounts = reached.map(({ accountId, name, role, operator, ssoEnforced }) => ({
      id: accountId,
      name,
      role,
      operator,
      sso_only: ssoEnforced,
    }));
    const current = accounts.find((account) => account.id === caller.accountId);
    if (current === undefined) throw new Fault("invalid_session", "You are no member here any more. Log in again.");
    return {
      person: toPersonResponse(person),
      account: { ...current, provider: caller.provider },
      accounts,
      powers: ALL_PERMISSIONS.filter((permission) => hasPermission(caller, permission)),
      features: {
        ...logInFeaturesOf(services),
        card: services.card !== undefined,
        clusters: services.clusterDirectory !== undefined,
      },
      announcement: services.settings.current.announcement,
    };
  },
});

const logOut = controlEndpoint({
  method: "DELETE",
  path: "/v1/session",
  permission: "self.change",
  audit: { action: "session.end" },
  status: 204,
  tag: TAG,
  summary: "Log out",
  faults: [],
  response: z.null(),
  async handle(operationContext) {
    const { id, sessionId } = signedInPerson(operationContext);
    await operationContext.services.identity.sessions.end(id, sessionId);
    return new Reply(204, null, undefined, {
      "set-cookie": clearSessionCookie(operationContext.services, operationContext.request),
    });
  },
});

const switchAccount = controlEndpoint({
  method: "POST",
  path: "/v1/session/account",
  permission: "self.change",
  audit: null,
  status: 200,
  tag: TAG,
  summary: "Look at another of one's organisations",
  faults: ["not_found"],
  body: z.object({ account_id: z.string() }),
  response: z.object({ account_id: z.string() }),
  async handle(operationContext) {
    const { account_id: id } = operationContext.body;
    if (
      !isId(id) ||
      !(await operationContext.services.identity.sessions.lookAt(signedInPerson(operationContext).sessionId, id))
    ) {
      throw new Fault("not_found", "You belong to no such organisation.", { param: "account_id" });
    }
    return { account_id: id };
  },
});

export const sessionEndpoints: readonly Endpoint[] = [readSession, logOut, switchAccount];
