/** Who performed an action, with the name of that time: names change later, the audit log does not. */
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
  /** For example `key.create`. */
  readonly action: string;
  readonly subjectId: string | undefined;
  readonly subjectName: string | undefined;
  /** Further facts about the action. Never a secret. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly address: string | undefined;
  readonly createdAt: Date;
}

export type NewAuditEvent = Omit<AuditEvent, "id" | "createdAt">;
