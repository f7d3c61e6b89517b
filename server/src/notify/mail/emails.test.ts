import { describe, expect, it } from "vitest";
import { accountExistsEmail, confirmAddressEmail, passwordResetEmail, signUpEmail } from "./emails.ts";

const TO = "reader@example.test";
const LINK = "https://service.example/page#token";

describe("an e-mail that anyone can cause", () => {
  it.each([
    ["a sign-up", signUpEmail(TO, LINK), /was used to sign up/],
    ["a sign-up with a known address", accountExistsEmail(TO, LINK, LINK), /was used to sign up again/],
    ["a new password", passwordResetEmail(TO, LINK), /A new password was asked for your account/],
    ["a new address", confirmAddressEmail(TO, LINK), /was entered as the new one of a Trunkline account/],
  ])("says what happened and claims nothing about who did it: %s", (_, { to, lines, link }, what) => {
    expect(to).toBe(TO);
    expect(link?.url).toBe(LINK);
    expect(lines[0]).toMatch(what);
    expect(lines.join(" ")).not.toMatch(/some(?:body|one)/i);
  });
});
