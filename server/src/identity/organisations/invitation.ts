import type { Role } from "@trunkline/core/role.ts";

/** A way into an organisation that waits to be used. */
export interface Invitation {
  readonly id: string;
  readonly accountId: string;
  readonly email: string;
  readonly role: Role;
  readonly invitedBy: { readonly id: string; readonly name: string } | undefined;
  readonly createdAt: Date;
  readonly sentAt: Date;
  readonly expiresAt: Date;
}

/** An invitation as whoever has its link sees it. */
export interface OpenInvitation extends Invitation {
  readonly organisation: string;
  /** The organisation may not be changed by anyone at present. */
  readonly suspended: boolean;
  /** What the one who invited is there now; undefined: nothing any more. */
  readonly inviterRole: Role | undefined;
  readonly hasAccount: boolean;
}

export interface InvitationStore {
  /** Those that wait, newest first, also where their time is over. */
  list(accountId: string, limit: number, cursor: string | undefined): Promise<Invitation[]>;
  find(accountId: string, id: string): Promise<Invitation | undefined>;
  findByHash(hash: Buffer): Promise<OpenInvitation | undefined>;
}
