import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "./config.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "trunkline-settings-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function effectiveWith(variables: Readonly<Record<string, string>>, yaml = "", options = {}) {
  await writeFile(join(folder, "trunkline.yaml"), yaml);
  const config = readConfig({ TRUNKLINE_CONFIG: join(folder, "trunkline.yaml"), ...variables }, options);
  return new Map(config.effective.map(({ name, ...setting }) => [name, setting]));
}

describe("the effective settings", () => {
  it("say where each comes from: the default, the file, the environment, or the command line's variable", async () => {
    const yaml = "limits: { burst: 50 }\nrouting: { strategy: hybrid }\nlog_level: debug\nworkers: 3\n";
    const settings = await effectiveWith({ PORT: "9000", TRUNKLINE_LOG_LEVEL: "warn" }, yaml);
    expect(settings.get("PORT")).toEqual({ value: "9000", source: "environment", isSecret: false });
    expect(settings.get("HOST")).toEqual({ value: undefined, source: "default", isSecret: false });
    expect(settings.get("limits.burst")).toMatchObject({ value: "50", source: "file" });
    expect(settings.get("limits.requests_per_minute")).toMatchObject({ value: "600", source: "default" });
    expect(settings.get("routing.strategy")).toMatchObject({ value: "hybrid", source: "file" });
    expect(settings.get("log_level")).toMatchObject({ value: "warn", source: "environment" });
    expect(settings.get("workers")).toMatchObject({ value: "3", source: "file" });
  });

  it("show no secret, whatever holds it", async () => {
    const secrets = {
      TRUNKLINE_SECRET: "s3cret-of-the-service-0123456789",
      TRUNKLINE_SECRET_FALLBACK: "s3cret-from-before-0123456789",
      TRUNKLINE_BOOTSTRAP_KEY: "s3cret-bootstrap-key",
      DATABASE_URL: "postgres://user:s3cret-db@db.example.test:5432/trunkline",
      SMTP_URL: "smtps://mail:s3cret-mail@smtp.example.test",
      MAIL_FROM: "a@example.test",
      STRIPE_SECRET_KEY: "s3cret-stripe-0123456789",
      STRIPE_WEBHOOK_SECRET: "s3cret-hook-0123456789",
      OPENAI_API_KEY: "s3cret-openai",
      MODEL_KEY: "s3cret-model",
    };
    const yaml = `models:
  - { name: m, type: text, endpoint: "http://127.0.0.1:1/s3cret-path", credential_env: MODEL_KEY, pricing: { input_per_1k_tokens: 1, output_per_1k_tokens: 1 } }
  - { name: n, type: text, endpoint: "http://127.0.0.1:1", credential: s3cret-inline, pricing: { input_per_1k_tokens: 1, output_per_1k_tokens: 1 } }
`;
    const settings = await effectiveWith(secrets, yaml);
    expect(JSON.stringify([...settings])).not.toContain("s3cret");
    expect(settings.get("TRUNKLINE_SECRET")).toEqual({ value: undefined, source: "environment", isSecret: true });
    expect(settings.get("OPENAI_API_KEY")).toMatchObject({ isSecret: true, source: "environment" });
    expect(settings.get("DATABASE_URL")?.value).toBe("postgres://db.example.test:5432");
    expect(settings.get("models")).toMatchObject({ value: "m, n", source: "file" });
  });
});
