import type { AnswerOf } from "@trunkline/sdk";
import { texts } from "../../texts/texts.ts";

export type Member = AnswerOf<"GET /v1/members">["data"][number];
export type Invitation = AnswerOf<"GET /v1/invitations">["data"][number];
export type Role = Member["role"];

/** The roles, mightiest first, in a word and in a sentence. */
export const ROLES = (["owner", "admin", "developer", "billing", "viewer"] as const satisfies Role[]).map((value) => ({
  value,
  label: texts.members.roles.names[value],
  description: texts.members.roles.texts[value],
}));

/** A role as a word. */
export function labelOfRole(role: string): string {
  return ROLES.find(({ value }) => value === role)?.label ?? role;
}

/** The roles that a person may assign: admins all but owner. */
export function rolesGivenBy(own: string): readonly (typeof ROLES)[number][] {
  return ROLES.filter(({ value }) => own === "owner" || value !== "owner");
}
