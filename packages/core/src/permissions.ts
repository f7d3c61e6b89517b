import type { Caller, Scope } from "./caller.ts";
import { ROLES, type Role } from "./role.ts";

/** Who has a power: keys by their scope, members by their role. No scope: only people have it, never a key. */
interface Grant {
  readonly scope: Scope | undefined;
  readonly roles: readonly Role[];
}

const EVERYONE = ROLES;
const BUILDERS: readonly Role[] = ["owner", "admin", "developer"];
const PAYERS: readonly Role[] = ["owner", "admin", "billing"];
const LEADERS: readonly Role[] = ["owner", "admin"];

/** What can be done, and who may: the one table behind the dashboard and the API. Every operation names a row of it. */
export const POWERS = {
  "inference.use": { scope: "inference", roles: BUILDERS },
  "safety.check": { scope: "inference", roles: BUILDERS },
  "feedback.give": { scope: "inference", roles: BUILDERS },
  "batches.read": { scope: "inference", roles: BUILDERS },
  "batches.use": { scope: "inference", roles: BUILDERS },
  "models.read": { scope: "read", roles: EVERYONE },
  "usage.read": { scope: "read", roles: EVERYONE },
  "requests.read": { scope: "read", roles: EVERYONE },
  "balance.read": { scope: "read", roles: EVERYONE },
  "routing.read": { scope: "read", roles: EVERYONE },
  "routing.change": { scope: "manage", roles: BUILDERS },
  "safety.read": { scope: "read", roles: EVERYONE },
  "safety.change": { scope: "manage", roles: BUILDERS },
  "cache.change": { scope: "manage", roles: BUILDERS },
  "keys.read": { scope: "manage", roles: EVERYONE },
  "keys.change": { scope: "manage", roles: BUILDERS },
  "settings.read": { scope: "manage", roles: EVERYONE },
  "settings.change": { scope: "manage", roles: LEADERS },
  "webhooks.read": { scope: "manage", roles: BUILDERS },
  "webhooks.change": { scope: "manage", roles: BUILDERS },
  "billing.read": { scope: "billing", roles: PAYERS },
  "billing.change": { scope: "billing", roles: PAYERS },
  "provider.read": { scope: "provider", roles: BUILDERS },
  "provider.change": { scope: "provider", roles: BUILDERS },
  "members.read": { scope: undefined, roles: EVERYONE },
  "members.change": { scope: undefined, roles: LEADERS },
  "organisation.change": { scope: undefined, roles: LEADERS },
  "organisation.close": { scope: undefined, roles: ["owner"] },
  "audit.read": { scope: undefined, roles: LEADERS },
  "operator.read": { scope: "admin", roles: LEADERS },
  "operator.change": { scope: "admin", roles: LEADERS },
  /** One's own profile, sessions, passkeys, and which organisation one looks at. */
  "self.read": { scope: undefined, roles: EVERYONE },
  "self.change": { scope: undefined, roles: EVERYONE },
} as const satisfies Record<string, Grant>;

export type Power = keyof typeof POWERS;

export const ALL_POWERS = Object.keys(POWERS) as readonly Power[];

/** Whether somebody has a power. The operator's powers are had in the operator's own account alone. */
export function hasPower(caller: Pick<Caller, "scopes" | "person" | "operator">, power: Power): boolean {
  const { scope, roles }: Grant = POWERS[power];
  if (caller.person === undefined) return scope !== undefined && caller.scopes.has(scope);
  return roles.includes(caller.person.role) && (scope !== "admin" || caller.operator);
}

/** The scopes that a member may hand on to a key: those whose every power the member has, so that no key outdoes its maker. */
export function scopesOf(role: Role, isOperator: boolean): ReadonlySet<Scope> {
  const grants: readonly Grant[] = Object.values(POWERS);
  const scopes = new Set<Scope>();
  for (const { scope } of grants) {
    if (scope === undefined || (scope === "admin" && !isOperator)) continue;
    if (grants.every((grant) => grant.scope !== scope || grant.roles.includes(role))) scopes.add(scope);
  }
  return scopes;
}

/** Whether a power changes nothing: a suspended account keeps those. */
export function onlyReads(power: Power): boolean {
  return power.endsWith(".read") || power.startsWith("self.");
}
