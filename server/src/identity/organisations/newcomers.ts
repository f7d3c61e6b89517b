/** Where somebody sits, as their session remembers it. */
export interface SessionOrigin {
  readonly address: string;
  readonly agent: string;
}

/** Whose password it is: their own names make bad ones. */
export interface PasswordOwner {
  readonly email: string;
  readonly name: string;
}

/** What invitations need of those who know people: how a password is judged and kept, and how a session begins. */
export interface InviteeRegistration {
  /** What is kept of a password. Refuses one that is too easily guessed. */
  hashPassword(password: string, owner: PasswordOwner): Promise<string>;
  /** The session's token, for the cookie. */
  openSession(personId: string, accountId: string, sessionOrigin: SessionOrigin): Promise<string>;
}
