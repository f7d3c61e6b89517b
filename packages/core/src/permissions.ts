import { type Caller, ROLES, type Role, type Scope } from "./caller.ts";

/** Who has a power: keys by their scope, members by their role. No scope: only people have it, never a key. */
interface Grant {
  readonly scope: Scope | undefined;
  readonly roles: readonly Role[];
}

const EVERYONE = ROLES;
const DEVELOPERS: readonly Role[] = ["owner", "admin", "developer"];
const BILLING_ROLES: readonly Role[] = ["owner", "admin", "billing"];
const ADMINS: readonly Role[] = ["owner", "admin"];

/** What can be done, and who may: the one table behind the dashboard and the API. Every operation names a row of it. */
export const PERMISSIONS = {
  "inference.use": { scope: "inference", roles: DEVELOPERS },
  "safety.check": { scope: "inference", roles: DEVELOPERS },
  "feedback.give": { scope: "inference", roles: DEVELOPERS },
  "batches.read": { scope: "inference", roles: DEVELOPERS },
  "batches.use": { scope: "inference", roles: DEVELOPERS },
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
  "audit.read": { scope: undefined, roles: ADMINS },
  "operator.read": { scope: "admin", roles: ADMINS },
  "operator.change": { scope: "admin", roles: ADMINS },
  /** One's own profile, sessions, passkeys, and which organisation one looks at. */
  "self.read": { scope: undefined, roles: EVERYONE },
  "self.change": { scope: undefined, roles: EVERYONE },
} as const satisfies Record<string, Grant>;

export type Permission = keyof typeof PERMISSIONS;

export const ALL_PERMISSIONS = Object.keys(PERMISSIONS) as readonly Permission[];

/** Whether somebody has a power. The operator's powers are had in the operator's own account alone. */
export function hasPermission(caller: Pick<Caller, "scopes" | "person" | "operator">, power: Permission): boolean {
  const { scope, roles }: Grant = PERMISSIONS[power];
  if (caller.person === undefined) return scope !== undefined && caller.scopes.has(scope);
  return roles.includes(caller.person.role) && (scope !== "admin" || caller.operator);
}

/** The scopes that a member may hand on to a key: those whose every power the member has, so that no key outdoes its maker. */
export function grantableScopes(role: Role, isOperator: boolean): ReadonlySet<Scope> {
  const grants: readonly Grant[] = Object.values(PERMISSIONS);
  const scopes = new Set<Scope>();
  for (const { scope } of grants) {
    if (scope === undefined || (scope === "admin" && !isOperator)) continue;
    if (grants.every((grant) => grant.scope !== scope || grant.roles.includes(role))) scopes.add(scope);
  }
  return scopes;
}

/** Whether a power changes nothing: a suspended account keeps those. */
export function isReadOnly(power: Permission): boolean {
  return power.endsWith(".read") || power.startsWith("self.");
}
