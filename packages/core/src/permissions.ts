import { type Caller, type Person, ROLES, type Role, type Scope } from "./caller.ts";
import { Fault } from "./fault.ts";

/** Who has a permission: keys by scope, members by role. Without a scope, only members have it, never a key. */
interface Grant {
  readonly scope: Scope | undefined;
  readonly roles: readonly Role[];
}

const EVERYONE = ROLES;
const DEVELOPERS: readonly Role[] = ["owner", "admin", "developer"];
const BILLING_ROLES: readonly Role[] = ["owner", "admin", "billing"];
const ADMINS: readonly Role[] = ["owner", "admin"];

/** Every permission and who has it: the one table behind the dashboard and the API. Each operation names one row. */
export const PERMISSIONS = {
  "inference.use": { scope: "inference", roles: DEVELOPERS },
  "safety.check": { scope: "inference", roles: DEVELOPERS },
  "feedback.give": { scope: "inference", roles: DEVELOPERS },
  "batches.read": { scope: "inference", roles: DEVELOPERS },
  "batches.use": { scope: "inference", roles: DEVELOPERS },
  "responses.read": { scope: "inference", roles: DEVELOPERS },
  "responses.use": { scope: "inference", roles: DEVELOPERS },
  "models.read": { scope: "read", roles: EVERYONE },
  "usage.read": { scope: "read", roles: EVERYONE },
  "requests.read": { scope: "read", roles: EVERYONE },
  "balance.read": { scope: "read", roles: EVERYONE },
  "routing.read": { scope: "read", roles: EVERYONE },
  "routing.change": { scope: "manage", roles: DEVELOPERS },
  "safety.read": { scope: "read", roles: EVERYONE },
  "safety.change": { scope: "manage", roles: DEVELOPERS },
  "cache.change": { scope: "manage", roles: DEVELOPERS },
  "keys.read": { scope: "manage", roles: EVERYONE },
  "keys.change": { scope: "manage", roles: DEVELOPERS },
  "settings.read": { scope: "manage", roles: EVERYONE },
  "settings.change": { scope: "manage", roles: ADMINS },
  "webhooks.read": { scope: "manage", roles: DEVELOPERS },
  "webhooks.change": { scope: "manage", roles: DEVELOPERS },
  "billing.read": { scope: "billing", roles: BILLING_ROLES },
  "billing.change": { scope: "billing", roles: BILLING_ROLES },
  "provider.read": { scope: "provider", roles: DEVELOPERS },
  "provider.change": { scope: "provider", roles: DEVELOPERS },
  "members.read": { scope: undefined, roles: EVERYONE },
  "members.change": { scope: undefined, roles: ADMINS },
  "organisation.change": { scope: undefined, roles: ADMINS },
  "organisation.close": { scope: undefined, roles: ["owner"] },
  /** Who sets up the identity provider decides who logs in as any member, owners included. */
  "sso.read": { scope: undefined, roles: ADMINS },
  "sso.change": { scope: undefined, roles: ["owner"] },
  /** A directory decides who is a member, owners included. */
  "directory.read": { scope: "directory", roles: ["owner"] },
  "directory.change": { scope: "directory", roles: ["owner"] },
  "audit.read": { scope: undefined, roles: ADMINS },
  "operator.read": { scope: "admin", roles: ADMINS },
  "operator.change": { scope: "admin", roles: ADMINS },
  /** A member's own session, and the organisation shown in the dashboard. */
  "self.read": { scope: undefined, roles: EVERYONE },
  "self.change": { scope: undefined, roles: EVERYONE },
  /** What is the person's own in every organisation: how they log in, where, and as whom. */
  "person.read": { scope: undefined, roles: EVERYONE },
  "person.change": { scope: undefined, roles: EVERYONE },
} as const satisfies Record<string, Grant>;

export type Permission = keyof typeof PERMISSIONS;

export const ALL_PERMISSIONS = Object.keys(PERMISSIONS) as readonly Permission[];

/** Whether a caller has a permission. Operator permissions need the operator's own account. */
export function hasPermission(caller: Pick<Caller, "scopes" | "person" | "operator">, permission: Permission): boolean {
  const { scope, roles }: Grant = PERMISSIONS[permission];
  if (caller.person === undefined) return scope !== undefined && caller.scopes.has(scope);
  if (isBeyondSso(caller.person, permission)) return false;
  return roles.includes(caller.person.role) && (scope !== "admin" || caller.operator);
}

/** Whether the session can't do this because one organisation's identity provider opened it. */
export function isBeyondSso(person: Pick<Person, "bySso">, permission: Permission): boolean {
  return person.bySso === true && permission.startsWith("person.");
}

/**
 * The scopes that a member may give to a key: those whose every permission the member has, so that no key can do more
 * than its creator.
 */
export function grantableScopes(role: Role, isOperator: boolean): ReadonlySet<Scope> {
  const grants: readonly Grant[] = Object.values(PERMISSIONS);
  const scopes = new Set<Scope>();
  for (const { scope } of grants) {
    if (scope === undefined || (scope === "admin" && !isOperator)) continue;
    if (grants.every((grant) => grant.scope !== scope || grant.roles.includes(role))) scopes.add(scope);
  }
  return scopes;
}

/** Whether a permission changes nothing: a suspended account keeps these. */
export function isReadOnly(permission: Permission): boolean {
  return permission.endsWith(".read") || permission.startsWith("self.") || permission.startsWith("person.");
}

/** Refuses what would go on giving the account's data away after the key that made it has ended. */
export function refuseExpiringKey({ expiresAt }: Caller): void {
  if (expiresAt === undefined) return;
  throw new Fault(
    "insufficient_scope",
    "Your key ends, and this would outlast it. Use a key without `expires_at`, or the dashboard.",
  );
}
