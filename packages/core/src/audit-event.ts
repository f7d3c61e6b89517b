/** Who did something: as they were called then, since names change and history doesn't. */
export interface Actor {
  readonly kind: "person" | "key" | "service";
  readonly id: string | undefined;
  readonly name: string;
}

/** One entry of an account's audit log. */
export interface AuditEvent {
  readonly id: string;
  readonly accountId: string;
  readonly actor: Actor;
  /** What was done, such as `key.create`. */
  readonly action: string;
  readonly subjectId: string | undefined;
  readonly subjectName: string | undefined;
  /** What else is worth knowing. Never a secret. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly address: string | undefined;
  readonly createdAt: Date;
}

export type NewAuditEvent = Omit<AuditEvent, "id" | "createdAt">;
