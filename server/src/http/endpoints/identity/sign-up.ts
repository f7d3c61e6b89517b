import { SIGN_UP } from "@trunkline/core/service-settings.ts";
import { newToken } from "@trunkline/core/token.ts";
import { z } from "zod";
import type { House } from "../../../app/services.ts";
import { judgePassword } from "../../../identity/people/judge-password.ts";
import { email, oneTimeToken, password, shownName } from "../../responses/person.ts";
import { type Endpoint, open } from "../endpoint.ts";
import { knockOf, letIn, recordEntry, replyWithCookies } from "./let-in.ts";
import { markOf, setMark } from "./session-cookie.ts";

const TAG = "Sessions";

/** What the pages have to know of the service before anybody is logged in. */
export const doorFeatures = z.object({
  mail: z.boolean().describe("Whether mail is sent. If not, links are in the service's log."),
  sign_up: z.enum(SIGN_UP).describe("Who may open an account."),
  wallet: z.literal(false).describe("Whether one can log in by wallet."),
});

export function doorFeaturesOf(house: House): z.output<typeof doorFeatures> {
  return { mail: house.door.postman.way === "mail", sign_up: house.settings.current.signUp, wallet: false };
}

/** Where a letter went: to the mailbox, or to the operator's log. */
export const sentShown = z.object({ sent: z.enum(["mail", "log"]) });

const readFeatures = open({
  method: "GET",
  path: "/v1/auth/features",
  status: 200,
  tag: TAG,
  summary: "How one can log in here",
  faults: [],
  answer: doorFeatures,
  handle: async ({ house }) => doorFeaturesOf(house),
});

const signUp = open({
  method: "POST",
  path: "/v1/auth/sign-up",
  status: 202,
  tag: TAG,
  summary: "Ask for an account",
  description:
    "The account is made when the link in the mail is opened. The answer is the same whether or not the address is known.",
  faults: ["sign_up_closed", "cross_site", "overloaded"],
  body: z.object({
    email,
    password: password.optional().describe("10 to 256 characters. Without one, log in by passkey."),
    name: shownName,
    organisation: shownName.optional().describe("What your organisation is called."),
  }),
  answer: sentShown,
  async handle({ house, body, request }) {
    const browser = markOf(request, "trunkline_sign_up") ?? newToken();
    const { organisation, password: chosen, ...who } = body;
    await house.door.signUp.begin(
      { ...who, organisation, password: chosen },
      browser,
      knockOf({ house, request }),
    );
    const cookie = setMark(house, request, "trunkline_sign_up", browser);
    return replyWithCookies(202, { sent: house.door.postman.way }, [cookie]);
  },
});

const verify = open({
  method: "POST",
  path: "/v1/auth/verify",
  status: 200,
  tag: TAG,
  summary: "Use the link from a mail that confirms an address",
  description:
    "Of a new account: it is made, and logged in. Opened in another browser than the sign-up's, the account has no password yet.",
  faults: ["not_found", "sign_up_closed", "cross_site"],
  body: z.object({ token: oneTimeToken }),
  answer: z.object({ done: z.enum(["sign_up", "email"]), has_password: z.boolean() }),
  async handle({ house, body, request }) {
    const door = { house, request };
    const { done, person } = await house.door.signUp.verify(
      body.token,
      markOf(request, "trunkline_sign_up"),
      knockOf(door),
    );
    const answer = { done, has_password: person.passwordHash !== undefined };
    if (done === "sign_up") return replyWithCookies(200, answer, await letIn(door, person, "sign_up"));
    const accountId = await house.people.homeOf(person.id);
    if (accountId !== undefined) await recordEntry(door, person, accountId, "email.change");
    return answer;
  },
});

const firstLogin = open({
  method: "POST",
  path: "/v1/auth/first-login",
  status: 200,
  tag: TAG,
  summary: "Become the operator's first owner, by the link that the start printed",
  faults: ["not_found", "conflict", "cross_site", "overloaded"],
  body: z.object({ token: oneTimeToken, email, name: shownName, password }),
  answer: z.object({ second_factor: z.literal(false) }),
  async handle({ house, body, request }) {
    const door = { house, request };
    const { token, ...applicant } = body;
    const person = await house.door.signUp.firstLogin(
      token,
      { ...applicant, organisation: undefined },
      knockOf(door),
    );
    return replyWithCookies(200, { second_factor: false }, await letIn(door, person, "first_login"));
  },
});

const passwordStrength = open({
  method: "POST",
  path: "/v1/auth/password-strength",
  status: 200,
  tag: TAG,
  summary: "How hard a password is to guess",
  description: "Nothing of it is kept. Passwords below 3 are refused.",
  faults: ["cross_site"],
  body: z.object({
    password,
    email: z.string().max(254).optional(),
    name: z.string().max(100).optional(),
  }),
  answer: z.object({ score: z.number().int().min(0).max(4), advice: z.string().nullable() }),
  async handle({ house, body, request }) {
    await house.door.turnstile.pass("strength", knockOf({ house, request }));
    const { score, advice } = await judgePassword(body.password, body);
    return { score, advice: advice ?? null };
  },
});

export const authEndpoints: readonly Endpoint[] = [
  readFeatures,
  signUp,
  verify,
  firstLogin,
  passwordStrength,
];
