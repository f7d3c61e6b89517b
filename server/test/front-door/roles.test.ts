import { ROLES, type Role, SCOPES } from "@trunkline/core/caller.ts";
import { newId } from "@trunkline/core/id.ts";
import { PERMISSIONS, type Permission } from "@trunkline/core/permissions.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALL_ENDPOINTS } from "../../src/http/server/endpoint-registry.ts";
import { openMember, type TestMember } from "../support/member.ts";
import { type Answer, type StartedService, startService } from "../support/started-service.ts";

/** The operations that not everyone may, each with a request that harms nothing: it names what there is not, and says nothing. */
const OPERATIONS = ALL_ENDPOINTS.flatMap((endpoint) =>
  endpoint.kind === "open"
    ? []
    : [
        {
          name: `${endpoint.method} ${endpoint.path}`,
          method: endpoint.method,
          path: endpoint.path.replace(/(?<=\/):\w+|\*/g, newId()),
          body: endpoint.method === "GET" || endpoint.body === undefined ? undefined : {},
          power: endpoint.permission,
        },
      ],
);

let service: StartedService;
let operatorsId: string;

beforeAll(async () => {
  service = await startService();
  operatorsId = (await service.call("GET", "/v1/organisation")).json.id;
});
afterAll(() => service.stop());

/** What the table says, read plainly. */
const mayBeDone = (power: Permission, role: Role, operator: boolean) => {
  const { roles, scope }: { roles: readonly Role[]; scope: string | undefined } = PERMISSIONS[power];
  return roles.includes(role) && (scope !== "admin" || operator);
};

function expectToPass({ status, text, json }: Answer, name: string): void {
  expect(["insufficient_role", "insufficient_scope", "cross_site"], `${name}: ${text}`).not.toContain(
    json?.error?.type,
  );
  expect(status, name).not.toBe(401);
  expect(status, `${name}: ${text}`).toBeLessThan(500);
}

describe.each([
  ["the operator's organisation", true],
  ["another organisation", false],
])("in %s", (_, operator) => {
  describe.each(ROLES)("a member who is %s", (role) => {
    const openFresh = () => openMember(service, role, operator ? operatorsId : undefined);
    let standing: TestMember;

    beforeAll(async () => {
      standing = await openFresh();
    });

    it.each(OPERATIONS)("may or may not $name, as the table says", async ({ name, method, path, body, power }) => {
      const isAllowed = mayBeDone(power, role, operator);
      // What succeeds may end the session or the organisation: each time a new member does it.
      const member = isAllowed && method !== "GET" ? await openFresh() : standing;
      const answer = await member.call(method, path, body);
      if (isAllowed) return expectToPass(answer, name);
      expect(answer.status, answer.text).toBe(403);
      expect(answer.text).toContain('"insufficient_role"');
    });
  });
});

describe.each(SCOPES)("a key with the scope %s alone", (scope) => {
  let key: string;

  beforeAll(async () => {
    const accountId = scope === "admin" ? operatorsId : (await openMember(service)).accountId;
    const made = await service.call("POST", `/v1/admin/accounts/${accountId}/keys`, {
      name: scope,
      scopes: [scope],
    });
    key = made.json.key;
  });

  it.each(OPERATIONS)("may or may not $name, as the table says", async ({ name, method, path, body, power }) => {
    const answer = await service.call(method, path, body, { key });
    if (PERMISSIONS[power].scope === scope) return expectToPass(answer, name);
    expect(answer.status, answer.text).toBe(403);
    // Each wire format has another place for it.
    expect(answer.text).toContain('"insufficient_scope"');
  });
});
