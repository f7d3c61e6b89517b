/** What a member may be in an organisation, mightiest first. */
export const ROLES = ["owner", "admin", "developer", "billing", "viewer"] as const;
export type Role = (typeof ROLES)[number];
