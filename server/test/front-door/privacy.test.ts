import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyAuditLog } from "../../src/cli/commands/verify-audit-log.ts";
import { main } from "../../src/cli/main.ts";
import { addMember } from "../../src/store/identity/members.ts";
import { openBrowser, PASSWORD, signUp, startBrowserService } from "../support/browser.ts";
import type { StartedService } from "../support/started-service.ts";

let service: StartedService;
beforeAll(async () => {
  service = await startBrowserService();
});
afterAll(() => service.stop());

/** A person who shares an organisation with its owner, and has left traces in its log. */
async function memberOf(owner: Awaited<ReturnType<typeof signUp>>) {
  const member = await signUp(service);
  const [org, me] = [await owner.browser.call("GET", "/v1/organisation"), await member.browser.call("GET", "/v1/me")];
  await addMember(service.database, org.json.id, { id: me.json.id, email: member.email }, "admin");
  await member.browser.call("POST", "/v1/session/account", { account_id: org.json.id });
  await member.browser.call("POST", "/v1/keys", { name: "made by a member", scopes: ["read"] });
  await owner.browser.call("PATCH", `/v1/members/${me.json.id}`, { role: "developer" });
  return { ...member, id: me.json.id as string, organisation: org.json.id as string };
}

const everything = async () =>
  JSON.stringify(
    await Promise.all(
      ["people", "members", "invitations", "deeds", "api_keys", "sessions", "one_time_tokens", "accounts"].map(
        (table) => service.database.query(`SELECT * FROM ${table}`),
      ),
    ),
    (_, value: unknown) => (typeof value === "bigint" ? String(value) : value),
  );

describe("a person's data", () => {
  it("is exported as one document, without secrets", async () => {
    const owner = await signUp(service);
    const member = await memberOf(owner);
    const { status, json, headers, text } = await member.browser.call("GET", "/v1/me/data");
    expect(status).toBe(200);
    expect(headers.get("content-disposition")).toContain("personal-data.json");
    expect(json.person).toMatchObject({ id: member.id, email: member.email, has_password: true });
    expect(json.organisations.map(({ role }: { role: string }) => role).sort()).toEqual(["developer", "owner"]);
    expect(json.sessions.length).toBeGreaterThan(0);
    expect(json.keys_made).toMatchObject([{ name: "made by a member" }]);
    expect(JSON.stringify(json.audit_log)).toContain("key.create");
    expect(text).not.toMatch(/argon|scrypt|\$2|hash/i);
    const asked = await service.call("POST", "/v1/admin/people/export", { email: member.email.toUpperCase() });
    expect(asked.json.person).toEqual(json.person);
    expect((await service.call("POST", "/v1/admin/people/export", { email: "none@example.test" })).status).toBe(404);
    const { json: made } = await service.call("POST", "/v1/keys", { name: "k", scopes: ["manage", "read"] });
    for (const act of ["export", "erase"])
      expect(
        (await service.call("POST", `/v1/admin/people/${act}`, { email: member.email }, { key: made.key })).status,
      ).toBe(403);
  });

  it("is not erased by mistake, nor while an organisation has no other owner", async () => {
    const { browser, email } = await signUp(service);
    const wrong = await browser.call("POST", "/v1/me/erase", { confirm: "other@example.test" });
    expect(wrong).toMatchObject({ status: 400, json: { error: { param: "confirm" } } });
    const sole = await browser.call("POST", "/v1/me/erase", { confirm: email });
    expect(sole.status).toBe(409);
    expect(sole.json.error.message).toMatch(/only owner of the organisation/);
    expect((await browser.call("GET", "/v1/me")).json.email).toBe(email);
    await service.database.query("UPDATE sessions SET created_at = now() - interval '1 hour'");
    const old = await browser.call("POST", "/v1/me/erase", { confirm: email });
    expect(old).toMatchObject({ status: 403, json: { error: { type: "recent_login_needed" } } });
    const password = await browser.call("POST", "/v1/me/erase", { confirm: email, current: "not the password 1" });
    expect(password).toMatchObject({ status: 400, json: { error: { param: "current" } } });
  });

  it("is erased everywhere, and what must stay names no person", async () => {
    const owner = await signUp(service);
    const member = await memberOf(owner);
    const own = (await member.browser.call("GET", "/v1/me/data")).json.organisations.find(
      ({ role }: { role: string }) => role === "owner",
    );
    await member.browser.call("POST", "/v1/session/account", { account_id: own.id });
    expect((await member.browser.call("DELETE", "/v1/organisation?forfeit=true")).status).toBeLessThan(300);
    expect(await everything()).toContain(member.email);
    const before = await service.database.query("SELECT id, action, actor_id, created_at FROM deeds ORDER BY id");
    const erased = await member.browser.call("POST", "/v1/me/erase", { confirm: member.email, current: PASSWORD });
    expect(erased.status, erased.text).toBe(204);
    expect((await everything()).toLowerCase()).not.toContain(member.email.toLowerCase());
    expect((await member.browser.call("GET", "/v1/me")).status).toBe(401);
    const login = await openBrowser(service).post("/v1/auth/log-in", { email: member.email, password: PASSWORD });
    expect(login.status).toBe(401);
    // Every entry of the log is still there, with what was done and by whom, as an id.
    const after = await service.database.query("SELECT id, action, actor_id, created_at FROM deeds ORDER BY id");
    expect(after.slice(0, before.length)).toEqual(before);
    const log = (await owner.browser.call("GET", "/v1/audit-log")).json.data;
    expect(log.find(({ action }: { action: string }) => action === "key.create").actor.name).toBe("Erased person");
  });

  it("is erased by the operator too", async () => {
    const owner = await signUp(service);
    const member = await memberOf(owner);
    expect((await service.call("POST", "/v1/admin/people/erase", { email: member.email })).status).toBe(409);
    await service.database.query("DELETE FROM members WHERE person_id = $1 AND role = 'owner'", [member.id]);
    expect((await service.call("POST", "/v1/admin/people/erase", { email: member.email })).status).toBe(204);
    expect((await service.call("POST", "/v1/admin/people/erase", { email: member.email })).status).toBe(404);
    const { json } = await service.call("GET", "/v1/admin/audit-log?action=person.erase");
    expect(json.data[0]).toMatchObject({ details: { by: "by the operator" }, subject: { id: member.id } });
  });

  it("is the only thing that can be changed in the audit log", async () => {
    const rewrite = "UPDATE deeds SET action = 'nothing'";
    await expect(service.database.query(rewrite)).rejects.toThrow(/append-only/);
    await expect(service.database.query("DELETE FROM deeds")).rejects.toThrow(/append-only/);
    await expect(
      service.database.transaction(async (connection) => {
        await connection.query("SELECT set_config('trunkline.erases_person', 'yes', true)");
        await connection.query(rewrite);
      }),
    ).rejects.toThrow(/append-only/);
  });
});

describe("a signed export of the audit log", () => {
  it("has the account's events, oldest first, and is checked without the service", async () => {
    const owner = await signUp(service);
    await owner.browser.call("POST", "/v1/keys", { name: "one", scopes: ["read"] });
    const { text, headers } = await owner.browser.call("GET", "/v1/audit-log/export");
    expect(headers.get("content-type")).toContain("application/x-ndjson");
    const { json: shown } = await owner.browser.call("GET", "/v1/audit-log/key");
    const count = text.trim().split("\n").length - 2;
    expect(verifyAuditLog(text, shown.key)).toEqual({ events: count, key: shown.key });
    const times = text
      .trim()
      .split("\n")
      .slice(1, -1)
      .map((line) => JSON.parse(line).created_at);
    expect(times).toEqual(times.toSorted((one: string, other: string) => one.localeCompare(other)));
    // The operator's export is signed with the same key, and has every account.
    const all = await service.call("GET", "/v1/admin/audit-log/export");
    expect(verifyAuditLog(all.text, shown.key)).toMatchObject({ key: shown.key });
    expect(all.text.length).toBeGreaterThan(text.length);
    const none = await owner.browser.call("GET", "/v1/audit-log/export?from=2001-01-01&to=2001-01-02");
    expect(verifyAuditLog(none.text, shown.key)).toEqual({ events: 0, key: shown.key });
  });

  it("is not believed after any change", async () => {
    const { text } = await service.call("GET", "/v1/admin/audit-log/export");
    const { json } = await service.call("GET", "/v1/audit-log/key");
    expect(json.key).toMatch(/^[\w-]{43}$/);
    const lines = text.trimEnd().split("\n");
    const changes = [
      text.replace("key.create", "key.revoke"),
      [...lines.slice(0, 2), ...lines.slice(3), ""].join("\n"),
      [...lines.slice(0, -1), ""].join("\n"),
      text.slice(0, -2),
      "",
      "{}\n{}\n{}\n",
    ];
    for (const changed of changes)
      expect(typeof verifyAuditLog(changed, json.key), changed.slice(0, 40)).toBe("string");
    const forged = JSON.parse(lines.at(-1) ?? "");
    const resigned = [...lines.slice(0, -1), JSON.stringify({ ...forged, signature: "AAAA" }), ""].join("\n");
    expect(verifyAuditLog(resigned, json.key)).toBe("The signature is not of this key.");
    expect(verifyAuditLog(text, "another")).toContain("It was signed with another key");
  });

  it("is checked by the command, whose exit code says it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "trunkline-audit-log-"));
    const { text } = await service.call("GET", "/v1/admin/audit-log/export");
    await writeFile(join(folder, "good.jsonl"), text);
    await writeFile(join(folder, "bad.jsonl"), text.replace("key.create", "key.forged"));
    const said: string[] = [];
    const stream = { write: (line: string) => said.push(line), on: () => stream };
    const terminal = { stdout: stream, stderr: stream, env: {} } as unknown as Parameters<typeof main>[1];
    process.exitCode = 0;
    await main(["verify-audit-log", join(folder, "good.jsonl")], terminal);
    expect(process.exitCode).toBe(0);
    await main(["verify-audit-log", join(folder, "bad.jsonl")], terminal);
    expect(process.exitCode).toBe(1);
    await main(["verify-audit-log", join(folder, "none.jsonl")], terminal);
    expect(process.exitCode).toBe(2);
    process.exitCode = 0;
    expect(said.join("")).toContain("The export is as the service signed it");
    await rm(folder, { recursive: true });
  });
});
