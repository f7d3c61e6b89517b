import { newId } from "@trunkline/core/id.ts";
import { isReadOnly, PERMISSIONS } from "@trunkline/core/permissions.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALL_ENDPOINTS } from "../../src/http/server/endpoint-registry.ts";
import { openCustomer } from "../support/customer.ts";
import { openMember } from "../support/member.ts";
import { type CallOptions, type StartedService, startService } from "../support/started-service.ts";

/** Every operation that needs a caller, with a request that harms nothing: it names what there is not, and says nothing. */
const OPERATIONS = ALL_ENDPOINTS.flatMap((endpoint) =>
  endpoint.kind === "open"
    ? []
    : [
        {
          name: `${endpoint.method} ${endpoint.path}`,
          method: endpoint.method,
          path: endpoint.path.replace(/(?<=\/):\w+|\*/g, newId()),
          body: endpoint.method === "GET" || endpoint.body === undefined ? undefined : {},
          permission: endpoint.permission,
        },
      ],
);
type Operation = (typeof OPERATIONS)[number];

let service: StartedService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** What is wrong with any operation for one kind of caller, all in one list. */
async function mistakesOf(options: CallOptions, expected: (operation: Operation) => readonly [number, RegExp]) {
  const mistakes: string[] = [];
  for (const operation of OPERATIONS) {
    const answer = await service.call(operation.method, operation.path, operation.body, options);
    const [status, type] = expected(operation);
    if (answer.status !== status || !type.test(answer.text))
      mistakes.push(`${operation.name}: ${answer.status} ${answer.text.slice(0, 200)}`);
  }
  return mistakes;
}

/** Each dialect has its own words for it. */
const UNKNOWN = /missing_api_key|invalid_api_key|authentication_error|UNAUTHENTICATED|invalid_session/;

describe("every operation", () => {
  it("names a permission of the table", () => {
    for (const { name, permission } of OPERATIONS) expect(PERMISSIONS[permission], name).toBeDefined();
    expect(OPERATIONS.length).toBeGreaterThan(150);
  });

  it("is refused without a key, and with one that is unknown or mistyped", async () => {
    for (const key of [null, "tl_nothing", "sk-of-another-service"])
      expect(await mistakesOf({ key }, () => [401, UNKNOWN])).toEqual([]);
  });

  it("is refused with a revoked key and with an expired one", async () => {
    const revoked = await openCustomer(service, 0);
    await service.database.query("UPDATE api_keys SET revoked_at = now() WHERE id = $1", [revoked.keyId]);
    const expired = await openCustomer(service, 0);
    await service.database.query("UPDATE api_keys SET expires_at = now() - interval '1 s' WHERE id = $1", [
      expired.keyId,
    ]);
    for (const { key } of [revoked, expired]) expect(await mistakesOf({ key }, () => [401, UNKNOWN])).toEqual([]);
  });

  it("is refused to a session that ended, and to a page of another site that would change something", async () => {
    const member = await openMember(service);
    const headers = { cookie: member.cookie, origin: "https://evil.example" };
    const mistakes = await mistakesOf({ key: null, headers }, ({ method }) =>
      method === "GET" ? [0, /./] : [403, /cross_site|permission|PERMISSION_DENIED/],
    );
    expect(mistakes.filter((mistake) => !mistake.startsWith("GET "))).toEqual([]);
    const ended = { cookie: "trunkline_session=ended", origin: service.url };
    expect(await mistakesOf({ key: null, headers: ended }, () => [401, UNKNOWN])).toEqual([]);
  });

  it("that changes something is refused to a suspended account's key", async () => {
    const customer = await openCustomer(service, 1, { scopes: ["inference", "read", "manage", "billing", "provider"] });
    const suspended = await service.call("PATCH", `/v1/admin/accounts/${customer.id}`, { suspended: true });
    expect(suspended.status).toBe(200);
    const changes = new Set(OPERATIONS.filter(({ permission }) => !isReadOnly(permission)).map(({ name }) => name));
    const mistakes = await mistakesOf({ key: customer.key }, () => [
      403,
      /account_suspended|insufficient_scope|permission|PERMISSION_DENIED/,
    ]);
    expect(mistakes.filter((mistake) => changes.has(mistake.split(": ")[0] ?? ""))).toEqual([]);
  });
});
