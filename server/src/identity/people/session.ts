/** A session that is to be opened. */
export interface NewSession {
  readonly id: string;
  readonly hash: Buffer;
  readonly personId: string;
  /** What was kept of the password when the person was recognised: where it changed meanwhile, they are not let in. */
  readonly passwordHash: string | undefined;
  readonly accountId: string;
  readonly address: string;
  readonly agent: string;
  /** The hash of the cookie that the same browser showed: that session ends. */
  readonly replaces: Buffer | undefined;
}

/** A place where somebody is logged in. */
export interface ActiveSession {
  readonly id: string;
  readonly address: string;
  readonly agent: string;
  /** Which organisation it looks at. */
  readonly organisation: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
}

/** What the room asks of the store about sessions. */
export interface SessionControl {
  isFresh(id: string): Promise<boolean>;
  endAll(personId: string, butId?: string): Promise<void>;
}
