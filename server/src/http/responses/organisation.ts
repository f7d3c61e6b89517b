import type { AuditEvent } from "@trunkline/core/audit-event.ts";
import { ROLES } from "@trunkline/core/caller.ts";
import { z } from "zod";
import type { Member } from "../../identity/organisations/members.ts";
import type { Invitation } from "../../identity/organisations/membership.ts";
import type { Organisation } from "../../identity/organisations/organisations.ts";

export const providerNameSchema = z.string().regex(/^[a-z0-9][a-z0-9-]{1,63}$/, "must be 2 to 64 of a-z 0-9 -");

export const organisationResponseSchema = z.object({
  id: z.string(),
  name: z.string(),
  provider: z.string().describe("The name under which its models appear."),
  provider_fixed: z.boolean().describe("The provider name can't change any more: models were registered."),
  operator: z.boolean().describe("It runs the service."),
  suspended: z.boolean().describe("It may look, but neither spend nor change anything."),
  created_at: z.string(),
});

export const memberResponseSchema = z.object({
  id: z.string().describe("The person's."),
  name: z.string(),
  email: z.string(),
  role: z.enum(ROLES),
  joined_at: z.string(),
  last_seen_at: z.string().nullable().describe("When they last looked at this organisation."),
  two_factor: z.boolean().describe("A password alone does not let them in."),
  keys: z.int().describe("How many living keys of the organisation they made."),
});

export const invitationResponseSchema = z.object({
  id: z.string(),
  email: z.string(),
  role: z.enum(ROLES),
  invited_by: z.object({ id: z.string(), name: z.string() }).nullable(),
  state: z.enum(["pending", "expired"]),
  created_at: z.string(),
  sent_at: z.string(),
  expires_at: z.string(),
});

export const auditEventResponseSchema = z.object({
  id: z.string(),
  action: z.string().describe("What was done, such as `key.create`."),
  actor: z.object({
    kind: z.enum(["person", "key", "service"]),
    id: z.string().nullable(),
    name: z.string().describe("As they were called then."),
  }),
  subject: z.object({ id: z.string().nullable(), name: z.string().nullable() }),
  details: z.record(z.string(), z.unknown()),
  address: z.string().nullable(),
  created_at: z.string(),
});

export function toOrganisationResponse(organisation: Organisation): z.infer<typeof organisationResponseSchema> {
  const { id, name, provider, operator, suspended, hasModels, createdAt } = organisation;
  return {
    id,
    name,
    provider,
    provider_fixed: hasModels || operator,
    operator,
    suspended,
    created_at: createdAt.toISOString(),
  };
}

export function toMemberResponse(member: Member): z.infer<typeof memberResponseSchema> {
  return {
    id: member.id,
    name: member.name,
    email: member.email,
    role: member.role,
    joined_at: member.joinedAt.toISOString(),
    last_seen_at: member.lastSeenAt?.toISOString() ?? null,
    two_factor: member.twoFactor,
    keys: member.keys,
  };
}

/** An invitation as the organisation sees it, without its link. */
export function toInvitationResponse(invitation: Invitation, now: number): z.infer<typeof invitationResponseSchema> {
  return {
    id: invitation.id,
    email: invitation.email,
    role: invitation.role,
    invited_by: invitation.invitedBy ?? null,
    state: invitation.expiresAt.getTime() > now ? "pending" : "expired",
    created_at: invitation.createdAt.toISOString(),
    sent_at: invitation.sentAt.toISOString(),
    expires_at: invitation.expiresAt.toISOString(),
  };
}

export function toAuditEventResponse(auditEvent: AuditEvent): z.infer<typeof auditEventResponseSchema> {
  return {
    id: auditEvent.id,
    action: auditEvent.action,
    actor: { kind: auditEvent.actor.kind, id: auditEvent.actor.id ?? null, name: auditEvent.actor.name },
    subject: { id: auditEvent.subjectId ?? null, name: auditEvent.subjectName ?? null },
    details: auditEvent.details,
    address: auditEvent.address ?? null,
    created_at: auditEvent.createdAt.toISOString(),
  };
}
