import { Fault } from "@trunkline/core/fault.ts";
import { isId } from "@trunkline/core/id.ts";
import { z } from "zod";
import type { WaitingSignUp } from "../../../identity/people/waiting-sign-ups.ts";
import { listPage, pageQuery, pageResponseSchema } from "../../responses/list-response.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const signUpResponseSchema = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  organisation: z.string().nullable().describe("null: it will be named after the person."),
  created_at: z.string(),
  expires_at: z.string().describe("Until when its address can be confirmed, or it can be approved."),
});

const listSignUps = controlEndpoint({
  method: "GET",
  path: "/v1/admin/sign-ups",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "List sign-ups whose address is not confirmed yet, newest first",
  faults: [],
  query: pageQuery,
  response: pageResponseSchema(signUpResponseSchema),
  handle: ({ services, query }) =>
    listPage(query, (limit, cursor) => services.identity.waitingSignUps.list(limit, cursor), toSignUpResponse),
});

const approveSignUp = controlEndpoint({
  method: "POST",
  path: "/v1/admin/sign-ups/:id/approve",
  permission: "operator.change",
  audit: { action: "sign_up.approve", nameOf: (_, result) => result.email },
  status: 200,
  tag: "Operator",
  summary: "Open the account of a sign-up without its link",
  description:
    "The person logs in with the password of the sign-up; the browser that they signed up in is logged in by itself. No mailbox was proven, so the address stays unverified.",
  faults: ["not_found"],
  response: signUpResponseSchema,
  handle: async ({ services, params }) =>
    toSignUpResponse(await services.identity.waitingSignUps.approve(signUpIdOf(params))),
});

const createSignUpLink = controlEndpoint({
  method: "POST",
  path: "/v1/admin/sign-ups/:id/link",
  permission: "operator.change",
  audit: { action: "sign_up.link", nameOf: (_, result) => result.email },
  status: 201,
  tag: "Operator",
  summary: "Make a link for a sign-up, to pass on",
  description: "It confirms the sign-up as the mailed one does, once and within a day; the address stays unverified.",
  faults: ["not_found"],
  response: z.object({ email: z.string(), link: z.string() }),
  async handle({ services, params }) {
    const { signUp, link } = await services.identity.waitingSignUps.createLink(signUpIdOf(params));
    return { email: signUp.email, link };
  },
});

const declineSignUp = controlEndpoint({
  method: "DELETE",
  path: "/v1/admin/sign-ups/:id",
  permission: "operator.change",
  audit: { action: "sign_up.decline", nameOf: (_, result) => result.email },
  status: 200,
  tag: "Operator",
  summary: "Decline a sign-up: its links stop working",
  faults: ["not_found"],
  response: signUpResponseSchema,
  handle: async ({ services, params }) =>
    toSignUpResponse(await services.identity.waitingSignUps.decline(signUpIdOf(params))),
});

function signUpIdOf({ id }: Readonly<Record<string, string | undefined>>): string {
  if (id === undefined || !isId(id)) throw new Fault("not_found", "There is no such sign-up.");
  return id;
}

function toSignUpResponse({ id, email, name, organisation, createdAt, expiresAt }: WaitingSignUp) {
  return {
    id,
    email,
    name,
    organisation: organisation ?? null,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
}

export const operatorSignUpEndpoints: readonly Endpoint[] = [
  listSignUps,
  approveSignUp,
  createSignUpLink,
  declineSignUp,
];
