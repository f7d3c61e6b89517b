import type { Role } from "@trunkline/core/role.ts";

/** A mail with one link, which stands below its text. */
export interface InvitationEmail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly link: string;
}

/** Hands a letter over to whoever brings it. */
export type SendInvitationEmail = (invitationEmail: InvitationEmail) => Promise<void>;

/** What an invited person reads. Names are others' words: they may not break the line they stand in. */
export function composeInvitationEmail(invitation: {
  readonly to: string;
  readonly inviter: string;
  readonly organisation: string;
  readonly role: Role;
  readonly link: string;
}): InvitationEmail {
  const { to, role, link } = invitation;
  const [inviter, organisation] = [oneLine(invitation.inviter), oneLine(invitation.organisation)];
  return {
    to,
    subject: `${inviter} invites you to ${organisation}`,
    text: `${inviter} invites you to join ${organisation} on Trunkline, as ${role}. The link works once, and for 7 days. If you don't know them, you need not do anything.`,
    link,
  };
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, " ").trim();
}
