import { describe, expect, it, vi } from "vitest";
import { runToEnd } from "../resumable.ts";
import { PRIVATE_VALUE_KINDS } from "./private-value.ts";
import { Redactions } from "./vault.ts";

describe("Vault", () => {
  it.each(PRIVATE_VALUE_KINDS)("leaves to the caller what they wrote like a placeholder of %s", (kind) => {
    const redactions = new Redactions();
    const written = `[${kind.toUpperCase()}_1]`;
    runToEnd(redactions.reserve(`They wrote ${written} themselves.`));
    expect(redactions.assignPlaceholder(kind, "a value")).toBe(`[${kind.toUpperCase()}_2]`);
    expect(redactions.byPlaceholder.get(written)).toBeUndefined();
  });

  it("looks at each number once, however many the caller wrote", () => {
    const many = 500;
    const redactions = new Redactions();
    runToEnd(
      redactions.reserve(Array.from({ length: many }, (_, index) => `[EMAIL_${index + 1}]`).join(" ")),
    );
    const looks = vi.spyOn(Set.prototype, "has");
    const placeholders = Array.from({ length: many }, (_, index) =>
      redactions.assignPlaceholder("email", `${index}@firma.de`),
    );
    const count = looks.mock.calls.length;
    looks.mockRestore();
    expect(placeholders.at(0)).toBe(`[EMAIL_${many + 1}]`);
    expect(placeholders.at(-1)).toBe(`[EMAIL_${2 * many}]`);
    expect(redactions.counts).toEqual({ email: many });
    expect(count).toBeLessThanOrEqual(3 * many);
  });
});
