import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Sealer, Secret } from "@trunkline/core/secret.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMigratedDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { openDatabase } from "../../store/database/database.ts";
import { findSecrets, readSecrets } from "../secret-files.ts";
import { rotateSecretCommand } from "./rotate-secret.ts";

let test: TestDatabase;
let dataDir: string;

beforeAll(async () => {
  test = await createMigratedDatabase();
  dataDir = await mkdtemp(join(tmpdir(), "trunkline-rotate-"));
});
afterAll(async () => {
  await test.drop();
  await rm(dataDir, { recursive: true });
});

async function run(...args: string[]) {
  const lines: string[] = [];
  const site = { dataDir, databaseUrl: test.url, secret: undefined };
  const code = await rotateSecretCommand(
    args,
    () => site,
    (line) => lines.push(line),
  );
  return { code, text: lines.join("\n") };
}

async function query(text: string, values: readonly unknown[] = []): Promise<void> {
  const database = openDatabase(test.address, () => undefined);
  await database.query(text, values).finally(() => database.close());
}

const settings = () => ({ dataDir, secret: undefined, secretFallback: undefined });

// One folder's life: each test goes on where the one before stopped.
describe("trunkline rotate-secret", () => {
  it("has nothing to change before the first start", async () => {
    expect(await run()).toMatchObject({ code: 1, text: expect.stringContaining("the first start makes it") });
    expect(await run("--finish")).toMatchObject({ code: 1 });
    expect(await readdir(dataDir)).toEqual([]);
  });

  it("makes a new secret, which only its owner can read, and keeps the one before", async () => {
    const before = await readSecrets(settings());
    expect(before.fallback).toBeUndefined();
    expect(await run()).toMatchObject({ code: 0 });
    const after = await readSecrets(settings());
    expect(after.secret.reveal()).toMatch(/^[0-9a-f]{64}$/);
    expect(after.secret.reveal()).not.toBe(before.secret.reveal());
    expect(after.fallback?.reveal()).toBe(before.secret.reveal());
    for (const name of await readdir(dataDir)) expect((await stat(join(dataDir, name))).mode & 0o077).toBe(0);
  });

  it("does not change it twice before the first change is finished", async () => {
    const before = await readFile(join(dataDir, "secret"), "utf8");
    expect(await run()).toMatchObject({ code: 1, text: expect.stringContaining("--finish") });
    expect(await readFile(join(dataDir, "secret"), "utf8")).toBe(before);
  });

  it("keeps the one before while a value needs it, and deletes it then", async () => {
    const id = "01890000-0000-7000-8000-000000000009";
    const { secret, fallback = new Secret("") } = await readSecrets(settings());
    expect(await run("--finish")).toMatchObject({ code: 1, text: expect.stringContaining("No service has run") });
    const head = new Sealer(secret).head.toString("hex");
    await query("INSERT INTO settings (name, value) VALUES ('secret.sealed_with', to_jsonb($1::text))", [head]);
    const box = new Sealer(fallback).seal(new Secret("x"), `totp of ${id}`);
    await query("INSERT INTO people (id, email, name, sealed_totp) VALUES ($1, 'a@example.test', 'A', $2)", [id, box]);
    expect(await run("--finish")).toMatchObject({
      code: 1,
      text: expect.stringMatching(/^1 values are not encrypted/),
    });
    await query("UPDATE people SET sealed_totp = NULL");
    expect(await run("--finish")).toMatchObject({ code: 0 });
    expect(await readdir(dataDir)).toEqual(["secret"]);
    expect(await run("--finish")).toMatchObject({ code: 1, text: expect.stringContaining("nothing to finish") });
  });

  it("was not begun where it was killed between its two steps", async () => {
    await writeFile(join(dataDir, "secret.fallback"), await readFile(join(dataDir, "secret")));
    expect((await findSecrets(dataDir))?.fallback).toBeUndefined();
    expect(await run()).toMatchObject({ code: 0 });
    expect((await findSecrets(dataDir))?.fallback).toBeDefined();
  });

  it("leaves a secret of the environment to the environment", async () => {
    const lines: string[] = [];
    const site = { dataDir, databaseUrl: test.url, secret: new Secret("of the environment") };
    expect(
      await rotateSecretCommand(
        [],
        () => site,
        (line) => lines.push(line),
      ),
    ).toBe(1);
    expect(lines.join()).toContain("TRUNKLINE_SECRET_FALLBACK");
    expect(
      await rotateSecretCommand(
        ["--now"],
        () => site,
        () => undefined,
      ),
    ).toBe(2);
  });
});
