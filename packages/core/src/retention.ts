/** What of an account's data can be kept for a time of its own choice. */
export const RETENTION_KINDS = ["contents", "details", "responses", "audit_log"] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

export const RETENTION_DAYS_LIMIT = 9_999;

/** What the operator allows for one kind. */
export interface RetentionBounds {
  /** For accounts that set nothing; undefined: as long as possible. */
  readonly days: number | undefined;
  readonly minDays: number;
  /** undefined: for good. */
  readonly maxDays: number | undefined;
}

export type ServiceRetention = Readonly<Record<RetentionKind, RetentionBounds>>;

/** An account's own days for each kind; undefined: the service's. */
export type AccountRetention = Readonly<Record<RetentionKind, number | undefined>>;

/** The days that hold. An account's wish stays within the bounds, also where these were changed after it; undefined: for good. */
export function effectiveDays(
  own: number | undefined,
  { days, minDays, maxDays }: RetentionBounds,
): number | undefined {
  const wanted = own ?? days ?? maxDays;
  if (wanted === undefined) return undefined;
  return Math.min(Math.max(wanted, minDays), maxDays ?? Number.POSITIVE_INFINITY);
}

/** Why days can't be chosen for a kind, as the end of a sentence; undefined: they can. */
export function refusalOfDays(own: number, { minDays, maxDays }: RetentionBounds): string | undefined {
  if (maxDays !== undefined && maxDays < minDays) return "can't be chosen on this service";
  if (own < minDays) return `must be at least ${minDays}: the operator of this service asks for it`;
  if (maxDays !== undefined && own > maxDays) return `must be at most ${maxDays}: this service keeps it no longer`;
  return undefined;
}
