import type { AnswerOf } from "@trunkline/sdk";

export type Member = AnswerOf<"GET /v1/members">["data"][number];
export type Invitation = AnswerOf<"GET /v1/invitations">["data"][number];
export type Role = Member["role"];

/** The roles, mightiest first, in a word and in a sentence. */
export const ROLES: readonly {
  readonly value: Role;
  readonly label: string;
  readonly description: string;
}[] = [
  {
    value: "owner",
    label: "Owner",
    description: "Everything, also closing the organisation and making owners.",
  },
  {
    value: "admin",
    label: "Admin",
    description: "Everything but closing it. Leads all members except owners.",
  },
  {
    value: "developer",
    label: "Developer",
    description: "Uses models, makes keys, routing, webhooks and models. Does not see payments.",
  },
  {
    value: "billing",
    label: "Billing",
    description: "Pays and sees payments. Sees usage and keys, makes none.",
  },
  { value: "viewer", label: "Viewer", description: "Looks at everything but payments. Changes nothing." },
];

/** A role as a word. */
export function labelOfRole(role: string): string {
  return ROLES.find(({ value }) => value === role)?.label ?? role;
}

/** The roles that a person may assign: admins all but owner. */
export function rolesGivenBy(own: string): readonly (typeof ROLES)[number][] {
  return ROLES.filter(({ value }) => own === "owner" || value !== "owner");
}
