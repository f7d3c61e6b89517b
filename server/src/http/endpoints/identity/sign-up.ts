import { newToken } from "@trunkline/core/secret.ts";
import { SIGN_UP_MODES } from "@trunkline/core/service-settings.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import { scorePassword } from "../../../identity/people/password.ts";
import { displayNameSchema, emailSchema, oneTimeTokenSchema, passwordSchema } from "../../responses/person.ts";
import { type Endpoint, publicEndpoint } from "../endpoint.ts";
import {
  authAttemptOf,
  openSession,
  readLongLivedCookie,
  recordSessionEvent,
  replyWithCookies,
  setLongLivedCookie,
} from "./browser-session.ts";

const TAG = "Sessions";

/** What the dashboard's pages need to know of the service before a log-in. */
export const logInFeaturesSchema = z.object({
  mail: z.boolean().describe("Whether mail is sent. If not, links are in the service's log."),
  sign_up: z.enum(SIGN_UP_MODES).describe("Who may open an account."),
  wallet: z.boolean().describe("Whether one can log in by wallet."),
  public_models: z.boolean().describe("Whether the catalogue of models is public."),
  public_status: z.boolean().describe("Whether the status page is public."),
});

export function logInFeaturesOf(services: Services): z.output<typeof logInFeaturesSchema> {
  return {
    mail: services.notify.mailer.channel === "mail",
    sign_up: services.settings.current.signUp,
    wallet: services.token !== undefined,
    public_models: services.settings.current.publicModels,
    public_status: services.settings.current.publicStatus,
  };
}

/** Where an e-mail went: to the mailbox, or to the service's log. */
export const sentResponseSchema = z.object({ sent: z.enum(["mail", "log"]) });

const readLogInFeatures = publicEndpoint({
  method: "GET",
  path: "/v1/auth/features",
  status: 200,
  tag: TAG,
  summary: "How one can log in here",
  faults: [],
  response: logInFeaturesSchema,
  handle: async ({ services }) => logInFeaturesOf(services),
});

const signUp = publicEndpoint({
  method: "POST",
  path: "/v1/auth/sign-up",
  status: 202,
  tag: TAG,
  summary: "Ask for an account",
  description:
    "The account is made when the link in the mail is opened. The answer is the same whether or not the address is known.",
  faults: ["sign_up_closed", "cross_site", "overloaded"],
  body: z.object({
    email: emailSchema,
    password: passwordSchema.optional().describe("10 to 256 characters. Without one, log in by passkey."),
    name: displayNameSchema,
    organisation: displayNameSchema.optional().describe("What your organisation is called."),
  }),
  response: sentResponseSchema,
  async handle({ services, body, request }) {
    const browser = readLongLivedCookie(request, "trunkline_sign_up") ?? newToken();
    const { email, name, organisation, password } = body;
    await services.identity.signUp.begin(
      { email, name, organisation, password },
      browser,
      authAttemptOf({ services, request }),
    );
    const cookie = setLongLivedCookie(services, request, "trunkline_sign_up", browser);
    return replyWithCookies(202, { sent: services.notify.mailer.channel }, [cookie]);
  },
});

const resumeSignUp = publicEndpoint({
  method: "POST",
  path: "/v1/auth/resume-sign-up",
  status: 200,
  tag: TAG,
  summary: "Learn what became of the sign-up that was begun in this browser",
  description: "Once the operator has approved it, this logs in.",
  faults: ["not_found", "cross_site"],
  body: z.object({}),
  response: z.object({
    state: z.enum(["waiting", "approved"]),
    email: z.string(),
    has_password: z.boolean().optional().describe("Once it is approved."),
  }),
  async handle({ services, request }) {
    const exchange = { services, request };
    const browser = readLongLivedCookie(request, "trunkline_sign_up");
    const progress = await services.identity.waitingSignUps.resume(browser, authAttemptOf(exchange));
    if (progress.state === "waiting") return progress;
    const { email, passwordHash } = progress.person;
    const answer = { state: "approved", email, has_password: passwordHash !== undefined };
    return replyWithCookies(200, answer, await openSession(exchange, progress.person, "sign_up"));
  },
});

const verifyEmail = publicEndpoint({
  method: "POST",
  path: "/v1/auth/verify",
  status: 200,
  tag: TAG,
  summary: "Use the link from a mail that confirms an address",
  description:
    "Of a new account: it is made, and logged in. Opened in another browser than the sign-up's, the account has no password yet.",
  faults: ["not_found", "sign_up_closed", "cross_site"],
  body: z.object({ token: oneTimeTokenSchema }),
  response: z.object({ done: z.enum(["sign_up", "email"]), has_password: z.boolean() }),
  async handle({ services, body, request }) {
    const exchange = { services, request };
    const { done, person } = await services.identity.signUp.verify(
      body.token,
      readLongLivedCookie(request, "trunkline_sign_up"),
      authAttemptOf(exchange),
    );
    const answer = { done, has_password: person.passwordHash !== undefined };
    if (done === "sign_up") return replyWithCookies(200, answer, await openSession(exchange, person, "sign_up"));
    const accountId = await services.identity.people.homeOf(person.id);
    if (accountId !== undefined) await recordSessionEvent(exchange, person, accountId, "email.change");
    return answer;
  },
});

const firstLogin = publicEndpoint({
  method: "POST",
  path: "/v1/auth/first-login",
  status: 200,
  tag: TAG,
  summary: "Become the operator's first owner, by the link that the start printed",
  faults: ["not_found", "conflict", "cross_site", "overloaded"],
  body: z.object({
    token: oneTimeTokenSchema,
    email: emailSchema,
    name: displayNameSchema,
    password: passwordSchema,
  }),
  response: z.object({ second_factor: z.literal(false) }),
  async handle({ services, body, request }) {
    const exchange = { services, request };
    const { token, ...applicant } = body;
    const person = await services.identity.signUp.completeFirstLogin(
      token,
      { ...applicant, organisation: undefined },
      authAttemptOf(exchange),
    );
    return replyWithCookies(200, { second_factor: false }, await openSession(exchange, person, "first_login"));
  },
});

const checkPasswordStrength = publicEndpoint({
  method: "POST",
  path: "/v1/auth/password-strength",
  status: 200,
  tag: TAG,
  summary: "How hard a password is to guess",
  description: "Nothing of it is kept. Passwords below 3 are refused.",
  faults: ["cross_site"],
  body: z.object({
    password: passwordSchema,
    email: z.string().max(254).optional(),
    name: z.string().max(100).optional(),
  }),
  response: z.object({ score: z.number().int().min(0).max(4), advice: z.string().nullable() }),
  async handle({ services, body, request }) {
    await services.identity.attemptLimiter.check("strength", authAttemptOf({ services, request }));
    const { score, advice } = await scorePassword(body.password, body);
    return { score, advice: advice ?? null };
  },
});

export const signUpEndpoints: readonly Endpoint[] = [
  readLogInFeatures,
  signUp,
  resumeSignUp,
  verifyEmail,
  firstLogin,
  checkPasswordStrength,
];
