import { describe, expect, it, vi } from "vitest";
import { atOnce } from "../resumable.ts";
import { PRIVATE_KINDS } from "./private-value.ts";
import { Vault } from "./vault.ts";

describe("Vault", () => {
  it.each(PRIVATE_KINDS)("leaves to the caller what they wrote like a placeholder of %s", (kind) => {
    const vault = new Vault();
    const written = `[${kind.toUpperCase()}_1]`;
    atOnce(vault.reserve(`They wrote ${written} themselves.`));
    expect(vault.placeholderFor(kind, "a value")).toBe(`[${kind.toUpperCase()}_2]`);
    expect(vault.byPlaceholder.get(written)).toBeUndefined();
  });

  it("looks at each number once, however many the caller wrote", () => {
    const many = 500;
    const vault = new Vault();
    atOnce(vault.reserve(Array.from({ length: many }, (_, index) => `[EMAIL_${index + 1}]`).join(" ")));
    const looks = vi.spyOn(Set.prototype, "has");
    const placeholders = Array.from({ length: many }, (_, index) =>
      vault.placeholderFor("email", `${index}@firma.de`),
    );
    const count = looks.mock.calls.length;
    looks.mockRestore();
    expect(placeholders.at(0)).toBe(`[EMAIL_${many + 1}]`);
    expect(placeholders.at(-1)).toBe(`[EMAIL_${2 * many}]`);
    expect(vault.counts).toEqual({ email: many });
    expect(count).toBeLessThanOrEqual(3 * many);
  });
});
