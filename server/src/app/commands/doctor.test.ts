import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Sealer, Secret } from "@trunkline/core/secret.ts";
import { startMailServer } from "@trunkline/testing/mail-server.ts";
import { serveHttp } from "@trunkline/testing/throwaway-server.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestAuthority } from "../../../test/support/test-certificate.ts";
import { createMigratedDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { openDatabase } from "../../store/database/database.ts";
import { readConfig } from "../config/config.ts";
import { doctorCommand } from "./doctor.ts";

/** Nothing listens there. A port that was free a moment ago may be another test's by now. */
const DEAD_PORT = 1;

const SECRET = "0123456789abcdef0123456789abcdef";
let test: TestDatabase;
let folder: string;

beforeAll(async () => {
  test = await createMigratedDatabase();
  folder = await mkdtemp(join(tmpdir(), "trunkline-doctor-"));
});
afterAll(async () => {
  await test.drop();
  await rm(folder, { recursive: true });
});

async function withDatabase(work: (database: ReturnType<typeof openDatabase>) => Promise<unknown>): Promise<void> {
  const database = openDatabase(test.address, () => undefined);
  await work(database).finally(() => database.close());
}

async function run(variables: Readonly<Record<string, string>>, ...args: string[]) {
  const lines: string[] = [];
  const environment = {
    DATABASE_URL: test.url,
    TRUNKLINE_SECRET: SECRET,
    TRUNKLINE_DATA_DIR: folder,
    TRUNKLINE_LOCAL_SERVERS: "off",
    ...variables,
  };
  const code = await doctorCommand(
    args,
    () => readConfig(environment),
    (line) => lines.push(line),
  );
  return { code, text: lines.join("\n") };
}

describe("trunkline doctor", () => {
  it("finds a service in order, and says what it may not know", async () => {
    const { code, text } = await run({});
    expect(text).toMatch(/✓ configuration: /);
    expect(text).toMatch(/✓ database: PostgreSQL \d+\S* answers/);
    expect(text).toMatch(/✓ database: The schema is up to date/);
    expect(text).toMatch(/✓ clock: This machine's clock agrees/);
    expect(text).toMatch(/! disk: The database has .* watch it there/);
    expect(text).toMatch(/✓ secrets: TRUNKLINE_SECRET is set/);
    expect(text).toMatch(/✓ secrets: All \d+ encrypted values can be decrypted/);
    expect(text).toMatch(/! providers: No provider/);
    expect(text).toMatch(/! mail: No mail server/);
    expect(text).toMatch(/! tls: The service speaks plain HTTP/);
    expect(text).toMatch(/! payments: No payments/);
    expect(text).toMatch(/Nothing failed\.$/);
    expect(code).toBe(0);
    expect(text).not.toContain(SECRET);
  });

  it("runs single checks, as JSON where asked for", async () => {
    const { code, text } = await run({}, "--json", "clock");
    expect(JSON.parse(text)).toEqual({
      sound: true,
      findings: [{ check: "clock", verdict: "ok", sentence: expect.stringContaining("agrees") }],
    });
    expect(code).toBe(0);
  });

  it.each([[["pulse"]], [["--loud"]]])("refuses %s with its usage", async (args) => {
    const { code, text } = await run({}, ...args);
    expect(code).toBe(2);
    expect(text).toContain("trunkline doctor [--json] [check …]");
  });

  it("says what is wrong with the settings, and stops there", async () => {
    const { code, text } = await run({ PORT: "eighty" });
    expect(text).toMatch(/^✗ configuration: The variable PORT .*The other checks need it\./);
    expect(text).not.toContain("clock:");
    expect(code).toBe(1);
  });

  it("says why the database is not reached, without its password", async () => {
    const { code, text } = await run({ DATABASE_URL: `postgres://u:pass-word-1@127.0.0.1:${DEAD_PORT}/x` });
    expect(text).toMatch(/✗ database: The database can't be reached \(ECONNREFUSED\)/);
    expect(text).toMatch(/✗ clock: The clock can't be compared/);
    expect(text).not.toContain("pass-word-1");
    expect(code).toBe(1);
  });

  it("says which values can't be decrypted, and when an old secret can be dropped", async () => {
    const id = "01890000-0000-7000-8000-000000000009";
    const before = "the secret that was used before";
    const box = new Sealer(new Secret(before)).seal(new Secret("x"), `totp of ${id}`);
    await withDatabase((database) =>
      database.query("INSERT INTO people (id, email, name, sealed_totp) VALUES ($1, 'a@example.test', 'A', $2)", [
        id,
        box,
      ]),
    );
    const wrong = await run({}, "secrets");
    expect(wrong.code).toBe(1);
    expect(wrong.text).toMatch(/✗ secrets: At least 1 second factors can't be decrypted/);
    const changing = await run({ TRUNKLINE_SECRET_FALLBACK: before }, "secrets");
    expect(changing.code).toBe(0);
    expect(changing.text).toMatch(/! secrets: 1 values are not encrypted with the new secret yet/);
    await withDatabase((database) => database.query("UPDATE people SET sealed_totp = NULL"));
    expect((await run({ TRUNKLINE_SECRET_FALLBACK: before }, "secrets")).text).toContain(
      "Remove TRUNKLINE_SECRET_FALLBACK from every instance.",
    );
  });

  it("tries the providers' keys and Stripe's, and hides a key that an answer repeats", async () => {
    const server = await serveHttp((request, response) => {
      const good = request.headers.authorization?.endsWith("-good") === true;
      response.writeHead(good ? 200 : 401).end('{"data":[]}');
    });
    await writeFile(
      join(folder, "models.yaml"),
      `models:
  - { name: here, type: text, endpoint: "${server.url}/v1/generate", pricing: { input_per_1k_tokens: 1, output_per_1k_tokens: 1 } }
  - { name: gone, type: text, endpoint: "http://127.0.0.1:${DEAD_PORT}/v1", pricing: { input_per_1k_tokens: 1, output_per_1k_tokens: 1 } }
`,
    );
    const { code, text } = await run(
      {
        TRUNKLINE_CONFIG: join(folder, "models.yaml"),
        OPENAI_API_KEY: "sk-1-good",
        OPENAI_BASE_URL: server.url,
        MISTRAL_API_KEY: "sk-2-wrong",
        MISTRAL_BASE_URL: server.url,
        STRIPE_SECRET_KEY: "sk_test_0123456789-good",
        STRIPE_WEBHOOK_SECRET: "whsec_0123456789abcdef",
        STRIPE_API_BASE: server.url,
      },
      "providers",
      "payments",
    );
    expect(text).toContain("✓ providers: openai accepts the key in OPENAI_API_KEY.");
    expect(text).toContain("✗ providers: mistral refuses the key in MISTRAL_API_KEY (401).");
    expect(text).toContain(`✓ providers: ${server.url}, of declared models, answers.`);
    expect(text).toMatch(
      new RegExp(`✗ providers: http://127.0.0.1:${DEAD_PORT}, of declared models, can't be reached`),
    );
    expect(text).toContain("✓ payments: Stripe accepts STRIPE_SECRET_KEY.");
    expect(text).not.toContain("sk-");
    expect(code).toBe(1);
  });

  it("logs in to the mail server", async () => {
    const mail = await startMailServer();
    const good = await run({ SMTP_URL: mail.url, MAIL_FROM: "a@example.test" }, "mail");
    await mail.stop();
    expect(good).toMatchObject({ code: 0, text: expect.stringContaining("accepts the log-in") });
    const gone = await run(
      { SMTP_URL: `smtp://u:secret-word@127.0.0.1:${DEAD_PORT}`, MAIL_FROM: "a@example.test" },
      "mail",
    );
    expect(gone).toMatchObject({ code: 1, text: expect.stringMatching(/✗ mail: .* can't be used/) });
    expect(gone.text).not.toContain("secret-word");
  });

  it("reads the certificate: how long it lasts and for whom", async () => {
    const authority = await TestAuthority.create();
    const { cert, key } = await authority.issue("gateway.example.test", 30);
    const tls = { TRUNKLINE_TLS_CERT: cert, TRUNKLINE_TLS_KEY: key };
    const good = await run({ ...tls, TRUNKLINE_PUBLIC_URL: "https://gateway.example.test" }, "tls");
    expect(good).toMatchObject({ code: 0, text: expect.stringMatching(/✓ tls: .* is valid for \d+ days/) });
    const other = await run({ ...tls, TRUNKLINE_PUBLIC_URL: "https://other.example.test" }, "tls");
    expect(other).toMatchObject({ code: 1, text: expect.stringContaining("is not for other.example.test") });
    const { key: foreign } = await authority.issue("elsewhere.example.test");
    const mixed = await run({ TRUNKLINE_TLS_CERT: cert, TRUNKLINE_TLS_KEY: foreign }, "tls");
    expect(mixed).toMatchObject({ code: 1, text: expect.stringContaining("don't belong together") });
    await authority.remove();
  });
});
