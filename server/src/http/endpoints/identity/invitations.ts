import { type Caller, ROLES } from "@trunkline/core/caller.ts";
import { lineSchema } from "@trunkline/core/field-schemas.ts";
import { hashOfToken } from "@trunkline/core/secret.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import { requirePermission } from "../../../identity/auth/authenticate.ts";
import type { SentInvitation } from "../../../identity/organisations/invitations.ts";
import { listPage, pageQuery, pageResponseSchema } from "../../responses/list-response.ts";
import { invitationResponseSchema, toInvitationResponse } from "../../responses/organisation.ts";
import { controlEndpoint, type Endpoint, publicEndpoint, Reply } from "../endpoint.ts";
import type { HttpRequest } from "../http-request.ts";
import { readSessionCookie, serviceOrigin, setSessionCookie } from "./browser-session.ts";

const inviteeEmailSchema = z.string().trim().max(254).pipe(z.email("must be an e-mail address"));
const sentInvitationResponseSchema = invitationResponseSchema.extend({
  link: z.string().optional().describe("Where no mail is sent: pass it on. Shown this once."),
});
const invitationAudit = (action: string) => ({
  action,
  nameOf: (_context: unknown, invitation: { readonly email: string }) => invitation.email,
  details: (_context: unknown, invitation: { readonly role: string }) => ({ role: invitation.role }),
});

const listInvitations = controlEndpoint({
  method: "GET",
  path: "/v1/invitations",
  permission: "members.read",
  status: 200,
  tag: "Organisation",
  summary: "List the invitations that wait to be accepted",
  faults: [],
  query: pageQuery,
  response: pageResponseSchema(invitationResponseSchema),
  handle: ({ services, caller, query }) =>
    listPage(
      query,
      (limit, cursor) => services.identity.invitations.list(caller, limit, cursor),
      (invitation) => toInvitationResponse(invitation, services.clock.now()),
    ),
});

const invite = controlEndpoint({
  method: "POST",
  path: "/v1/invitations",
  permission: "members.change",
  audit: invitationAudit("invitation.create"),
  status: 201,
  tag: "Organisation",
  summary: "Invite a person into the organisation",
  description:
    "A link goes to the address; it works once, for 7 days. A second invitation to an address takes the first one's place. Only an owner may invite owners. At most 50 letters a day, and 5 an hour to one address.",
  faults: ["conflict"],
  body: z.object({ email: inviteeEmailSchema, role: z.enum(ROLES) }),
  response: sentInvitationResponseSchema,
  handle: async ({ services, caller, body, request }) =>
    toSentInvitation(
      services,
      await services.identity.invitations.invite(caller, body.email, body.role, linkOrigin(services, request)),
    ),
});

const resendInvitation = controlEndpoint({
  method: "POST",
  path: "/v1/invitations/:id/resend",
  permission: "members.change",
  audit: invitationAudit("invitation.resend"),
  status: 200,
  tag: "Organisation",
  summary: "Send an invitation once more",
  description: "With a new link, for 7 more days. The link before it is worth nothing any more.",
  faults: ["not_found", "conflict"],
  response: sentInvitationResponseSchema,
  handle: async ({ services, caller, params, request }) =>
    toSentInvitation(
      services,
      await services.identity.invitations.resend(caller, params.id ?? "", linkOrigin(services, request)),
    ),
});

const revokeInvitation = controlEndpoint({
  method: "DELETE",
  path: "/v1/invitations/:id",
  permission: "members.change",
  audit: invitationAudit("invitation.revoke"),
  status: 204,
  tag: "Organisation",
  summary: "Take an invitation back",
  faults: ["not_found"],
  response: z.null(),
  handle: ({ services, caller, params }) => services.identity.invitations.revoke(caller, params.id ?? ""),
});

const tokenSchema = z.string().min(1).max(128);

const readInvitation = publicEndpoint({
  method: "POST",
  path: "/v1/auth/invitation",
  status: 200,
  tag: "Organisation",
  summary: "What an invitation's link is for",
  faults: ["not_found", "cross_site"],
  body: z.object({ token: tokenSchema }),
  response: z.object({
    organisation: z.string(),
    role: z.enum(ROLES),
    email: z.string(),
    invited_by: z.string().nullable(),
    has_account: z
      .boolean()
      .describe(
        "Whoever has this address must log in to accept. Without mail the inviter has the link too, so it is true only for the address's own session.",
      ),
  }),
  async handle({ services, body, request }) {
    await services.identity.attemptLimiter.check("link", { address: request.ip });
    const { organisation, role, email, invitedBy, hasAccount } = await services.identity.invitationAcceptance.find(
      body.token,
    );
    const isKnown =
      services.config.mail === undefined
        ? (await sessionCaller(services, request))?.person?.email.toLowerCase() === email.toLowerCase()
        : hasAccount;
    return { organisation, role, email, invited_by: invitedBy?.name ?? null, has_account: isKnown };
  },
});

const acceptInvitation = publicEndpoint({
  method: "POST",
  path: "/v1/auth/accept-invitation",
  status: 200,
  tag: "Organisation",
  summary: "Accept an invitation",
  description:
    "Whoever is new gives a name and a password, and is logged in. Whoever has an account must be logged in to it: `log_in: true` says so where they are not.",
  faults: ["not_found", "conflict", "cross_site", "account_suspended", "insufficient_role"],
  body: z.object({
    token: tokenSchema,
    name: lineSchema().optional(),
    password: z.string().min(1).max(1_024).optional(),
  }),
  response: z.object({
    log_in: z.boolean().describe("Nothing has happened yet: log in first, then accept again."),
    organisation: z.string().nullable(),
  }),
  async handle({ services, body, request }) {
    await services.identity.attemptLimiter.check("link", { address: request.ip });
    const caller = await sessionCaller(services, request);
    if (caller !== undefined) requirePermission(caller, "person.change", { address: request.ip });
    const answer = await services.identity.invitationAcceptance.accept({
      token: body.token,
      caller,
      name: body.name,
      password: body.password,
      origin: { address: request.ip, agent: (request.headers["user-agent"] ?? "").slice(0, 512) },
    });
    if (answer.outcome === "log in") return { log_in: true, organisation: null };
    const { invitation, personId, sessionToken } = answer;
    await services.identity.auditLog.record({
      accountId: invitation.accountId,
      actor: { kind: "person", id: personId, name: invitation.email },
      action: "invitation.accept",
      subjectId: invitation.id,
      subjectName: invitation.email,
      details: { role: invitation.role },
      address: request.ip,
    });
    const cookie =
      sessionToken === undefined ? {} : { "set-cookie": setSessionCookie(services, request, sessionToken) };
    return new Reply(
      200,
      { log_in: false, organisation: invitation.organisation },
      "application/json; charset=utf-8",
      cookie,
    );
  },
});

/** The caller of the browser's session, which counts only when one of our own pages sends it. */
async function sessionCaller(services: Services, request: HttpRequest): Promise<Caller | undefined> {
  const session = readSessionCookie(services, request);
  return session?.trusted === true ? services.identity.sessions.findCaller(hashOfToken(session.token)) : undefined;
}

/** A mailed link uses the configured origin. A link that only the inviter sees may use the origin of their request. */
function linkOrigin(services: Services, request: HttpRequest): string {
  return services.config.mail === undefined ? serviceOrigin(services, request) : services.identity.origin;
}

/** A mailed link is not in the response: opening it proves that the invitee owns the e-mail address. */
function toSentInvitation(services: Services, { invitation, link }: SentInvitation) {
  const response = toInvitationResponse(invitation, services.clock.now());
  return services.config.mail === undefined ? { ...response, link } : response;
}

export const invitationEndpoints: readonly Endpoint[] = [
  listInvitations,
  invite,
  resendInvitation,
  revokeInvitation,
  readInvitation,
  acceptInvitation,
];
