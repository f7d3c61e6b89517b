import { format, inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { Secret } from "./secret.ts";

const VALUE = "correct-horse-battery-staple";

describe("a secret", () => {
  it("is given to whoever asks for it by name", () => {
    expect(new Secret(VALUE).reveal()).toBe(VALUE);
  });

  it.each<[string, (secret: Secret) => string]>([
    ["JSON", (secret) => JSON.stringify({ model: { credential: secret } })],
    ["a template", (secret: unknown) => `${secret as string}`],
    ["String()", (secret) => String(secret)],
    ["concatenation", (secret: unknown) => `key: ${secret as string}`],
    ["inspect", (secret) => inspect({ deep: [secret] }, { depth: null, showHidden: true })],
    ["a format of %s", (secret) => format("%s", secret)],
    ["a format of %o", (secret) => format("%o", { secret })],
    ["a format of %j", (secret) => format("%j", { secret })],
    ["a join", (secret) => [secret, secret].join()],
    ["an error's message", (secret) => new Error(String(secret)).stack ?? ""],
    [
      "its own keys",
      (secret) => JSON.stringify([Object.keys(secret), Object.entries(secret), { ...secret }]),
    ],
  ])("does not show in %s", (_where, show) => {
    expect(show(new Secret(VALUE))).not.toContain(VALUE);
  });
});
