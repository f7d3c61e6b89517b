import { ROLES } from "@trunkline/core/role.ts";
import { hashOfToken } from "@trunkline/core/token.ts";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { House } from "../../../app/services.ts";
import type { SentInvitation } from "../../../identity/organisations/invitation-desk.ts";
import { listPage, pageOf, pageQuery } from "../../responses/list-page.ts";
import { invitationShown, invitationToWire, oneLine } from "../../responses/organisation.ts";
import { control, type Endpoint, type OpenVisit, open, Reply } from "../endpoint.ts";
import { ownOrigin, sessionCookieOf, setSessionCookie } from "./session-cookie.ts";

const email = z.string().trim().max(254).pipe(z.email("must be an e-mail address"));
const sentShown = invitationShown.extend({
  link: z.string().optional().describe("Where no mail is sent: pass it on. Shown this once."),
});
const deed = (action: string) => ({
  action,
  nameOf: (_visit: unknown, invitation: { readonly email: string }) => invitation.email,
  details: (_visit: unknown, invitation: { readonly role: string }) => ({ role: invitation.role }),
});

const listInvitations = control({
  method: "GET",
  path: "/v1/invitations",
  power: "members.read",
  status: 200,
  tag: "Organisation",
  summary: "List the invitations that wait to be accepted",
  faults: [],
  query: pageQuery,
  answer: pageOf(invitationShown),
  handle: ({ house, caller, query }) =>
    listPage(
      query,
      (limit, cursor) => house.invitations.list(caller, limit, cursor),
      (invitation) => invitationToWire(invitation, house.clock.now()),
    ),
});

const invite = control({
  method: "POST",
  path: "/v1/invitations",
  power: "members.change",
  deed: deed("invitation.create"),
  status: 201,
  tag: "Organisation",
  summary: "Invite somebody into the organisation",
  description:
    "A link goes to the address; it works once, for 7 days. A second invitation to an address takes the first one's place. Only an owner may invite owners. At most 50 letters a day, and 5 an hour to one address.",
  faults: ["conflict"],
  body: z.object({ email, role: z.enum(ROLES) }),
  answer: sentShown,
  handle: async ({ house, caller, body, request }) =>
    showSent(
      house,
      await house.invitations.invite(caller, body.email, body.role, linkOrigin(house, request)),
    ),
});

const resend = control({
  method: "POST",
  path: "/v1/invitations/:id/resend",
  power: "members.change",
  deed: deed("invitation.resend"),
  status: 200,
  tag: "Organisation",
  summary: "Send an invitation once more",
  description: "With a new link, for 7 more days. The link before it is worth nothing any more.",
  faults: ["not_found", "conflict"],
  answer: sentShown,
  handle: async ({ house, caller, params, request }) =>
    showSent(house, await house.invitations.resend(caller, params.id ?? "", linkOrigin(house, request))),
});

const revoke = control({
  method: "DELETE",
  path: "/v1/invitations/:id",
  power: "members.change",
  deed: deed("invitation.revoke"),
  status: 204,
  tag: "Organisation",
  summary: "Take an invitation back",
  faults: ["not_found"],
  answer: z.null(),
  handle: ({ house, caller, params }) => house.invitations.revoke(caller, params.id ?? ""),
});

const token = z.string().min(1).max(128);

const lookAtInvitation = open({
  method: "POST",
  path: "/v1/auth/invitation",
  status: 200,
  tag: "Organisation",
  summary: "What an invitation's link is for",
  faults: ["not_found", "cross_site"],
  body: z.object({ token }),
  answer: z.object({
    organisation: z.string(),
    role: z.enum(ROLES),
    email: z.string(),
    invited_by: z.string().nullable(),
    has_account: z.boolean().describe("Whoever has this address must log in to accept."),
  }),
  async handle({ house, body, request }) {
    await house.door.turnstile.pass("link", { address: request.ip });
    const { organisation, role, email: to, invitedBy, hasAccount } = await house.answers.look(body.token);
    return { organisation, role, email: to, invited_by: invitedBy?.name ?? null, has_account: hasAccount };
  },
});

const acceptInvitation = open({
  method: "POST",
  path: "/v1/auth/accept-invitation",
  status: 200,
  tag: "Organisation",
  summary: "Accept an invitation",
  description:
    "Whoever is new gives a name and a password, and is logged in. Whoever has an account must be logged in to it: `log_in: true` says so where they are not.",
  faults: ["not_found", "conflict", "cross_site", "account_suspended"],
  body: z.object({
    token,
    name: oneLine.optional(),
    password: z.string().min(1).max(1_024).optional(),
  }),
  answer: z.object({
    log_in: z.boolean().describe("Nothing has happened yet: log in first, then accept again."),
    organisation: z.string().nullable(),
  }),
  async handle(visit) {
    const { house, body, request } = visit;
    await house.door.turnstile.pass("link", { address: request.ip });
    const seat = { address: request.ip, agent: (request.headers["user-agent"] ?? "").slice(0, 512) };
    const caller = await whoIsLoggedIn(visit);
    const answer = await house.answers.accept({
      token: body.token,
      caller,
      name: body.name,
      password: body.password,
      seat,
    });
    if (answer.outcome === "log in") return { log_in: true, organisation: null };
    const { invitation, personId, sessionToken } = answer;
    await house.deeds.record({
      accountId: invitation.accountId,
      actor: { kind: "person", id: personId, name: invitation.email },
      action: "invitation.accept",
      subjectId: invitation.id,
      subjectName: invitation.email,
      details: { role: invitation.role },
      address: request.ip,
    });
    const cookie =
      sessionToken === undefined ? {} : { "set-cookie": setSessionCookie(house, request, sessionToken) };
    return new Reply(
      200,
      { log_in: false, organisation: invitation.organisation },
      "application/json; charset=utf-8",
      cookie,
    );
  },
});

/** A session counts only where our own page sends it along. */
async function whoIsLoggedIn({ house, request }: OpenVisit<unknown>) {
  const session = sessionCookieOf(house, request);
  if (session === undefined || !session.trusted) return undefined;
  return house.sessions.findCaller(hashOfToken(session.token));
}

/** A mailed link leads where the service knows itself to be; one that only the inviter sees may lead where the inviter is. */
function linkOrigin(house: House, request: FastifyRequest): string {
  return house.config.mail === undefined ? ownOrigin(house, request) : house.door.origin;
}

/** Where a mail brings the link, nobody else gets to see it: whoever accepts has shown that the address is theirs. */
function showSent(house: House, { invitation, link }: SentInvitation) {
  const shown = invitationToWire(invitation, house.clock.now());
  return house.config.mail === undefined ? { ...shown, link } : shown;
}

export const invitationEndpoints: readonly Endpoint[] = [
  listInvitations,
  invite,
  resend,
  revoke,
  lookAtInvitation,
  acceptInvitation,
];
