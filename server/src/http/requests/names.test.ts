import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ALL_ENDPOINTS } from "../server/endpoint-registry.ts";

/** What they call a name is a domain, which has a form of its own, or is compared with a password and not kept. */
const OTHERS = [
  "POST /v1/organisation/domains",
  "POST /v1/admin/accounts/:id/domains",
  "POST /v1/auth/password-strength",
];

/** The operations of the service's own that take a name. */
const NAMED = ALL_ENDPOINTS.flatMap((endpoint) => {
  if (endpoint.kind === "inference" || !("body" in endpoint) || !(endpoint.body instanceof z.ZodObject)) return [];
  const { name } = endpoint.body.shape;
  const operation = `${endpoint.method} ${endpoint.path}`;
  return name instanceof z.ZodType && endpoint.path.startsWith("/v1/") && !OTHERS.includes(operation)
    ? [{ operation, name }]
    : [];
});

describe("a name", () => {
  it("is taken by accounts, keys, models, people and organisations", () => {
    expect(NAMED.map(({ operation }) => operation)).toEqual(
      expect.arrayContaining([
        "POST /v1/admin/accounts",
        "PATCH /v1/admin/accounts/:id",
        "POST /v1/keys",
        "PATCH /v1/organisation",
        "POST /v1/provider/models",
        "POST /v1/auth/sign-up",
      ]),
    );
  });

  it.each(NAMED)("with a line break or a control character is refused by $operation", ({ name }) => {
    for (const text of ["Two\nlines", "Two\r\nlines", "A\ttab", "A\u001b[31mcolour", "A\u2028separator"])
      expect(name.safeParse(text).success, JSON.stringify(text)).toBe(false);
  });
});
