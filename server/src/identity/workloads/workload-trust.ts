import type { JWTPayload } from "jose";

/** A claim that must have one of these values. A `*` in a value stands for any characters. */
export interface ClaimCondition {
  readonly claim: string;
  readonly values: readonly string[];
}

/** Which tokens of an issuer a service account gives secrets for. */
export interface WorkloadTrustDraft {
  readonly name: string;
  readonly issuer: string;
  readonly audience: string;
  readonly conditions: readonly ClaimCondition[];
  readonly lifetimeSeconds: number;
}

export interface WorkloadTrust extends WorkloadTrustDraft {
  readonly id: string;
  readonly accountId: string;
  /** The id of the service account. */
  readonly serviceAccountId: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | undefined;
}

export interface WorkloadTrustStore {
  list(accountId: string, serviceAccountId: string): Promise<WorkloadTrust[]>;
  create(accountId: string, serviceAccountId: string, id: string, draft: WorkloadTrustDraft): Promise<void>;
  remove(accountId: string, serviceAccountId: string, id: string): Promise<boolean>;
  removeAll(accountId: string, serviceAccountId: string): Promise<void>;
  /** The trusts of an active service account in an issuer, whatever the organisation. */
  findFor(serviceAccountId: string, issuer: string): Promise<WorkloadTrust[]>;
  /** Adds a secret to the service account; false where it has ended meanwhile. */
  addSecret(
    trust: WorkloadTrust,
    secret: { readonly hash: string; readonly hint: string },
    expiresAt: Date,
  ): Promise<boolean>;
}

/**
 * Issuers that everyone can get tokens from, and the claims of which one has to be given: without it, the tokens of
 * strangers would fit.
 */
const SHARED_ISSUERS: Readonly<Record<string, readonly string[]>> = {
  "token.actions.githubusercontent.com": [
    "sub",
    "repository",
    "repository_id",
    "repository_owner",
    "repository_owner_id",
    "job_workflow_ref",
  ],
  "gitlab.com": ["sub", "project_path", "project_id", "namespace_path", "namespace_id"],
  "agent.buildkite.com": ["sub", "organization_slug", "organization_id", "pipeline_slug", "pipeline_id"],
  "oidc.circleci.com": ["sub", "oidc.circleci.com/project-id"],
  "accounts.google.com": ["sub", "email"],
};

/** Why the conditions let too many in; undefined: they do not. */
export function tooOpen({ issuer, conditions }: Pick<WorkloadTrustDraft, "issuer" | "conditions">): string | undefined {
  if (conditions.some(({ values }) => values.some((value) => /^\**$/.test(value))))
    return "A condition must not fit every value.";
  const claims = SHARED_ISSUERS[new URL(issuer).hostname];
  if (claims === undefined) return undefined;
  // A value that begins with a wildcard fits names that a stranger can choose.
  const isBound = conditions.some(
    ({ claim, values }) => claims.includes(claim) && values.every((value) => /^[^*]{3}/.test(value)),
  );
  return isBound
    ? undefined
    : `Everyone can get tokens from this issuer. One condition must be for ${claims.join(", ")}, with values that begin without a wildcard.`;
}

/** The first condition that a token does not meet; undefined: it meets all. */
export function unmetCondition(conditions: readonly ClaimCondition[], claims: JWTPayload): string | undefined {
  return conditions.find(({ claim, values }) => {
    const held = valuesOf(claims, claim);
    return !values.some((pattern) => held.some((value) => matches(pattern, value)));
  })?.claim;
}

/** A claim by its name, or by a path with dots where no claim has that name. Lists count by each of their items. */
function valuesOf(claims: JWTPayload, name: string): string[] {
  const value = Object.hasOwn(claims, name)
    ? claims[name]
    : name.split(".").reduce<unknown>((at, part) => (isOwn(at, part) ? at[part] : undefined), claims);
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items.flatMap((item) =>
    typeof item === "string" || typeof item === "number" || typeof item === "boolean" ? [String(item)] : [],
  );
}

function isOwn(value: unknown, part: string): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.hasOwn(value, part);
}

/** Each piece between wildcards is looked for after the one before, so the work is linear. */
function matches(pattern: string, value: string): boolean {
  const pieces = pattern.split("*");
  const [first = "", last = ""] = [pieces[0], pieces.at(-1)];
  if (pieces.length === 1) return pattern === value;
  if (value.length < first.length + last.length || !value.startsWith(first) || !value.endsWith(last)) return false;
  let at = first.length;
  const end = value.length - last.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = value.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
