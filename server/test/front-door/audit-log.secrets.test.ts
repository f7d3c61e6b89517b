import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { ALL_ENDPOINTS } from "../../src/http/server/endpoint-registry.ts";
import { changeRows } from "../support/change-rows.ts";
import { openMember } from "../support/member.ts";
import { PUBLIC_ENDPOINT } from "../support/other-accounts-model.ts";
import { type StartedService, startService } from "../support/started-service.ts";

const SECRET = "s3cr3t-marker";
/** The names of fields whose values only their owner may know. Addresses often carry a secret, too. */
const SECRET_FIELDS =
  /^(credential|key|secret|.*secret|token|.*_token|password|.*_password|code|codes|link|url|.*_url|endpoint|signature)$/;

const textOf = (field: string) =>
  SECRET_FIELDS.test(field) ? `https://user:${SECRET}@host.example/${SECRET}?key=${SECRET}` : "plain";

/** A value of any shape: whatever is taken from it is another one, and as text it is a secret where its name says so. */
function anything(field: string): unknown {
  return new Proxy(() => undefined, {
    get: (_target, name) => {
      if (name === "toJSON" || name === Symbol.toPrimitive || name === "toString") return () => textOf(field);
      return typeof name === "string" ? anything(name) : undefined;
    },
    apply: () => anything(field),
  });
}

/** A body with every field that the operation takes. */
function bodyOf(schema: z.ZodType | undefined): Record<string, unknown> {
  if (schema === undefined) return {};
  const { properties = {} } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return Object.fromEntries(Object.keys(properties).map((field) => [field, anything(field)]));
}

const RECORDED = ALL_ENDPOINTS.flatMap((endpoint) =>
  endpoint.kind === "control" && endpoint.audit
    ? [{ name: `${endpoint.method} ${endpoint.path}`, rule: endpoint.audit, schema: endpoint.body }]
    : [],
);

describe("what the audit log records of an operation", () => {
  it.each(RECORDED)("holds no secret: $name", ({ rule, schema }) => {
    const visit = { body: bodyOf(schema), query: anything("query"), params: anything("params") };
    const result = anything("result");
    // Only these three are ever looked at by a rule; the rest of the context are services.
    const recorded = [rule.details?.(visit as never, result), rule.nameOf?.(visit as never, result)];
    expect(JSON.stringify(recorded)).not.toContain(SECRET);
  });
});

describe("the audit log in the store", () => {
  let service: StartedService;

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it("holds none of the secrets that were sent or given out", async () => {
    const owner = await openMember(service);
    const secrets = ["a-credential-of-a-provider", "a-secret-path", "the-password-itself"];
    const done = async (method: string, path: string, body?: unknown) => {
      const answer = await owner.call(method, path, body);
      expect(answer.status, answer.text).toBeLessThan(300);
      for (const field of ["key", "secret", "link"]) {
        if (answer.json?.[field] !== undefined) secrets.push(answer.json[field].split("#").at(-1));
      }
      return answer.json;
    };
    const key = await done("POST", "/v1/keys", { name: "k", scopes: ["read"] });
    await done("POST", `/v1/keys/${key.id}/rotate`, {});
    const url = "https://93.184.215.14/a-secret-path";
    const hook = await done("POST", "/v1/webhooks", { url });
    await done("PATCH", `/v1/webhooks/${hook.id}`, { url: `${url}/2` });
    await done("POST", `/v1/webhooks/${hook.id}/rotate`, {});
    const model = {
      name: "m",
      type: "text",
      endpoint: `${PUBLIC_ENDPOINT}/a-secret-path`,
      auth_type: "bearer",
      credential: "a-credential-of-a-provider",
      pricing: { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002 },
    };
    await done("POST", "/v1/provider/models", model);
    await done("PATCH", "/v1/provider/models/m", { credential: "a-credential-of-a-provider" });
    const invited = await done("POST", "/v1/invitations", { email: "x@example.test", role: "viewer" });
    const { link } = await done("POST", `/v1/invitations/${invited.id}/resend`);
    const accepted = await service.call(
      "POST",
      "/v1/auth/accept-invitation",
      { token: link.split("#")[1], name: "X", password: "the-password-itself" },
      { key: null },
    );
    expect(accepted.status, accepted.text).toBe(200);
    secrets.push(accepted.headers.get("set-cookie")?.match(/=([\w-]{43})/)?.[1] ?? "");

    const rows = await changeRows(service, "SELECT deeds::text AS told FROM deeds");
    expect(rows.length).toBeGreaterThanOrEqual(10);
    expect(secrets).toHaveLength(10);
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(10);
      expect(JSON.stringify(rows)).not.toContain(secret);
    }
    // The audit log records the address of a webhook and no more.
    expect(JSON.stringify(rows)).toContain("93.184.215.14");
  });
});
