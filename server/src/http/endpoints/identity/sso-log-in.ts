import { newToken } from "@trunkline/core/secret.ts";
import { z } from "zod";
import type { SsoLogIn } from "../../../identity/sso/sso-log-in.ts";
import { emailSchema, oneTimeTokenSchema } from "../../responses/person.ts";
import { type Endpoint, type PublicOperationContext, publicEndpoint, type Reply } from "../endpoint.ts";
import {
  authAttemptOf,
  openSession,
  readLongLivedCookie,
  recordSessionEvent,
  replyWithCookies,
  serviceOrigin,
  setLongLivedCookie,
} from "./browser-session.ts";

const TAG = "Sessions";

const NOWHERE = "http://here.invalid";

/** A page of the dashboard: a path, and nothing that a browser takes for another host. */
const returnToSchema = z
  .string()
  .max(512)
  .regex(/^\/(?![/\\])[^\s\\\p{Cc}]*$/u, "must be a path of the dashboard, such as /keys")
  .refine(
    (path) => URL.canParse(path, NOWHERE) && !new URL(path, NOWHERE).pathname.startsWith("//"),
    "must be a path of the dashboard, such as /keys",
  )
  .default("/")
  .describe("The page of the dashboard to open afterwards.");

const beginSso = publicEndpoint({
  method: "POST",
  path: "/v1/auth/sso",
  status: 200,
  tag: TAG,
  summary: "Begin to log in by single sign-on",
  description:
    "The organisation is found by the domain of `email`, or by its name for single sign-on. The browser is then sent to `url`.",
  faults: ["not_found", "invalid_login", "cross_site"],
  body: z
    .object({
      email: emailSchema.optional(),
      organisation: z.string().trim().min(1).max(64).optional(),
      return_to: returnToSchema,
    })
    .refine(({ email, organisation }) => (email === undefined) !== (organisation === undefined), {
      message: "Give either `email` or `organisation`.",
      path: ["email"],
    }),
  response: z.object({ url: z.string().describe("The page of the identity provider.") }),
  async handle({ services, body, request }) {
    const browser = readLongLivedCookie(request, "trunkline_sso") ?? newToken();
    const target = body.organisation === undefined ? { email: body.email ?? "" } : { organisation: body.organisation };
    const origin = serviceOrigin(services, request);
    const { url } = await services.identity.sso.logIns.begin(
      { target, returnTo: body.return_to, browser, redirectUriFor: (id) => redirectUriOf(origin, id) },
      authAttemptOf({ services, request }),
    );
    return replyWithCookies(200, { url }, [setLongLivedCookie(services, request, "trunkline_sso", browser)]);
  },
});

/** Where an identity provider sends the browser back to. */
export function redirectUriOf(origin: string, providerId: string): string {
  return `${origin}/sso/callback/${providerId}`;
}

const logInResponseSchema = z.object({
  confirm: z
    .string()
    .nullable()
    .describe("The e-mail address to which a link was sent; null: the browser is logged in."),
  sent: z.enum(["mail", "log"]).nullable().describe("Where the link went."),
  return_to: z.string(),
});

const finishSso = publicEndpoint({
  method: "POST",
  path: "/v1/auth/sso/callback",
  status: 200,
  tag: TAG,
  summary: "Finish a log-in by single sign-on",
  description:
    "Takes what the identity provider added to the address of the callback page. The session reaches the provider's organisation only. Where nothing proves that the e-mail address is the person's, a link is sent there.",
  faults: ["invalid_login", "insufficient_role", "not_found", "cross_site"],
  body: z.object({
    provider_id: z.string().max(64),
    query: z.string().max(16_384).describe("The query of the callback page's address."),
  }),
  response: logInResponseSchema,
  async handle({ services, body, request }) {
    const result = await services.identity.sso.logIns.finish(
      {
        providerId: body.provider_id,
        query: body.query.replace(/^\?/, ""),
        browser: readLongLivedCookie(request, "trunkline_sso"),
      },
      authAttemptOf({ services, request }),
    );
    if ("confirm" in result) return { confirm: result.confirm, sent: services.notify.mailer.channel, return_to: "/" };
    return logInReply({ services, request }, result);
  },
});

const readAddressLink = publicEndpoint({
  method: "POST",
  path: "/v1/auth/sso/address",
  status: 200,
  tag: TAG,
  summary: "Read a link for an address of single sign-on",
  faults: ["not_found", "cross_site"],
  body: z.object({ token: oneTimeTokenSchema }),
  response: z.object({ organisation: z.string(), email: z.string() }),
  handle: ({ services, body, request }) =>
    services.identity.sso.logIns.readAddressLink(body.token, authAttemptOf({ services, request })),
});

const confirmAddress = publicEndpoint({
  method: "POST",
  path: "/v1/auth/sso/confirm",
  status: 200,
  tag: TAG,
  summary: "Let an organisation's identity provider log you in, by the link from a mail",
  description: "It logs you in to that organisation only.",
  faults: ["not_found", "insufficient_role", "cross_site"],
  body: z.object({ token: oneTimeTokenSchema }),
  response: logInResponseSchema,
  handle: async ({ services, body, request }) =>
    logInReply(
      { services, request },
      await services.identity.sso.logIns.confirmAddress(body.token, authAttemptOf({ services, request })),
    ),
});

async function logInReply(
  exchange: Pick<PublicOperationContext<unknown>, "services" | "request">,
  { person, accountId, returnTo, joinedAs }: SsoLogIn,
): Promise<Reply> {
  if (joinedAs !== undefined)
    await recordSessionEvent(exchange, person, accountId, "member.join", { by: "sso", role: joinedAs });
  const cookies = await openSession(exchange, person, "sso", accountId, true);
  return replyWithCookies(200, { confirm: null, sent: null, return_to: returnTo }, cookies);
}

export const ssoLogInEndpoints: readonly Endpoint[] = [beginSso, finishSso, readAddressLink, confirmAddress];
