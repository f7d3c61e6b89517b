import { describe, expect, it } from "vitest";
import { composeInvitationEmail } from "./invitations.ts";

describe("composeInvitationEmail", () => {
  it("names the inviter, the organisation and the role", () => {
    expect(
      composeInvitationEmail({
        to: "ada@example.test",
        inviter: "Grace",
        organisation: "Navy",
        role: "developer",
        link: "https://ai.example.test/invitation#token",
      }),
    ).toEqual({
      to: "ada@example.test",
      subject: "Grace invites you to Navy",
      text: expect.stringMatching(/^Grace invites you to join Navy on Trunkline, as developer\. .*7 days/),
      link: "https://ai.example.test/invitation#token",
    });
  });

  it("keeps names on one line", () => {
    const { subject, text } = composeInvitationEmail({
      to: "ada@example.test",
      inviter: "Eve\r\nBcc: all@example.test",
      organisation: "A\n\nB",
      role: "viewer",
      link: "https://ai.example.test/invitation#token",
    });
    expect(subject).toBe("Eve Bcc: all@example.test invites you to A B");
    expect(text).not.toMatch(/[\r\n]/);
  });
});
