import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { mistakeOf, PLAIN_MODEL, useConfigFiles } from "../../../test/support/config-file.ts";
import { readConfig, readStoreLocation } from "./config.ts";

const { read } = useConfigFiles();

describe("without any setting", () => {
  it("the service is as its documentation says", () => {
    expect(readConfig({})).toMatchObject({
      port: 8080,
      host: "127.0.0.1",
      databaseUrl: undefined,
      dataDir: resolve("./data"),
      bootstrapKey: undefined,
      secret: undefined,
      logLevel: "info",
      trustProxy: false,
      strategy: "cost-optimized",
      limits: {
        requestsPerMinute: 600,
        burst: 100,
        concurrentRequests: 2_000,
        bodyBytes: 1_048_576,
        attachmentBodyBytes: 20_971_520,
        headerWaitMs: 10_000,
        bodyWaitMs: 30_000,
        drainMs: 30_000,
      },
      safety: {},
      reconciliation: { threshold: 0.05, minimumRequests: 10, graceMs: 900_000 },
      models: [],
    });
  });

  it("a variable set to nothing is a variable that is not set", () => {
    const empty = {
      PORT: "",
      HOST: "",
      DATABASE_URL: "",
      TRUNKLINE_SECRET: "",
      TRUNKLINE_CONFIG: "",
      TRUNKLINE_BOOTSTRAP_KEY: "",
    };
    expect(readConfig(empty)).toEqual(readConfig({}));
  });

  it("an empty file is as good as none", () => {
    expect(read([])).toEqual(readConfig({}));
    expect(read(["# Nothing but a remark."])).toEqual(readConfig({}));
  });
});

describe("the environment", () => {
  it("is taken as it is", () => {
    const config = readConfig({
      PORT: "0",
      HOST: "::",
      DATABASE_URL: "postgresql://user:pass@db/trunkline",
      TRUNKLINE_DATA_DIR: "/var/lib/trunkline",
      TRUNKLINE_BOOTSTRAP_KEY: "A-key_of-16chars",
      TRUNKLINE_SECRET: "0123456789abcdef",
      TRUNKLINE_LOG_LEVEL: "debug",
    });
    expect(config).toMatchObject({ port: 0, host: "::", dataDir: "/var/lib/trunkline", logLevel: "debug" });
    expect(config.databaseUrl).toBe("postgresql://user:pass@db/trunkline");
    expect(config.bootstrapKey?.reveal()).toBe("A-key_of-16chars");
    expect(config.secret?.reveal()).toBe("0123456789abcdef");
  });

  it.each([
    ["PORT", "http"],
    ["PORT", "-1"],
    ["PORT", "65536"],
    ["PORT", "80.5"],
    ["DATABASE_URL", "mysql://root:hunter2-hunter2@db/x"],
    ["TRUNKLINE_BOOTSTRAP_KEY", "hunter2-hunter2"],
    ["TRUNKLINE_BOOTSTRAP_KEY", "hunter2 hunter2 hunter2"],
    ["TRUNKLINE_SECRET", "hunter2-hunter2"],
    ["TRUNKLINE_LOG_LEVEL", "loud"],
  ])("names %s when it is wrong (%j), and does not repeat a secret", (name, value) => {
    const message = mistakeOf(() => readConfig({ TRUNKLINE_SECRET: "0123456789abcdef", [name]: value }));
    expect(message).toContain(name);
    expect(message).not.toContain("hunter2");
    expect(message).not.toContain("undefined");
  });

  it("must hold a secret where the store is shared", () => {
    expect(mistakeOf(() => readConfig({ DATABASE_URL: "postgres://db/x" }))).toContain(
      "TRUNKLINE_SECRET is required",
    );
  });

  it("says where the store is to those who need nothing else", () => {
    expect(readStoreLocation({ DATABASE_URL: "postgres://db/x", PORT: "none" })).toMatchObject({
      databaseUrl: "postgres://db/x",
    });
    expect(readStoreLocation({ DATABASE_URL: "", TRUNKLINE_DATA_DIR: "/srv/data" })).toEqual({
      databaseUrl: undefined,
      dataDir: "/srv/data",
    });
    expect(mistakeOf(() => readStoreLocation({ DATABASE_URL: "db" }))).toContain("DATABASE_URL must begin");
  });

  it("shows no secret when it is logged", () => {
    const config = readConfig({
      TRUNKLINE_BOOTSTRAP_KEY: "A-key_of-16chars",
      TRUNKLINE_SECRET: "0123456789abcdef",
    });
    expect(JSON.stringify(config)).not.toMatch(/A-key_of-16chars|0123456789abcdef/);
  });
});

describe("the file", () => {
  it("declares models, backups, limits, routing, safety and reconciliation", () => {
    const config = read(
      [
        ...PLAIN_MODEL,
        "  - name: large",
        "    provider: acme",
        "    type: text",
        "    endpoint: http://127.0.0.1:11434/generate",
        "    credential_env: ACME_KEY",
        "    pricing: { input_per_1k_tokens: 0, output_per_1k_tokens: 0.000000000001, cached_input_per_1k_tokens: 0.001, per_second: 0.5 }",
        "    capabilities: [Chat, CODE]",
        "    backups: [first]",
        "    limits: { connect_ms: 100 }",
        "backups: { large: [small] }",
        "limits: { requests_per_minute: 60, burst: 10 }",
        "routing: { strategy: hybrid }",
        "safety: { preset: strict, categories: { pii: allow, secret: redact } }",
        "reconciliation: { threshold: 0.1, minimum_requests: 0, grace_minutes: 60 }",
        "trust_proxy: true",
      ],
      { ACME_KEY: "sk-1234" },
    );
    expect(config).toMatchObject({
      strategy: "hybrid",
      trustProxy: true,
      limits: { requestsPerMinute: 60, burst: 10, drainMs: 30_000 },
      safety: { preset: "strict", categories: { pii: "allow", secret: "redact" } },
      reconciliation: { threshold: 0.1, minimumRequests: 0, graceMs: 3_600_000 },
    });
    expect(config.models).toMatchObject([
      {
        provider: "operator",
        name: "small",
        terms: {
          authType: "none",
          price: { inputPerMillion: 1_000_000_000n, outputPerMillion: 2_000_000_000n },
        },
      },
      {
        provider: "acme",
        name: "large",
        terms: {
          authType: "bearer",
          price: {
            inputPerMillion: 0n,
            cachedInputPerMillion: 1_000_000_000n,
            outputPerMillion: 1n,
            perImage: 0n,
            perSecond: 500_000_000n,
          },
          capabilities: ["chat", "code"],
          backups: ["first", "small"],
          limits: { connectMs: 100 },
        },
      },
    ]);
    expect(config.models[1]?.terms.credential?.reveal()).toBe("sk-1234");
  });

  it("declares models of other wire formats, with their keys shown as is usual there", () => {
    const lines = [
      "models:",
      "  - name: flash",
      "    type: multimodal",
      "    wire: gemini",
      "    upstream_model: gemini-2.5-flash",
      "    endpoint: https://generativelanguage.googleapis.com",
      "    credential_env: GOOGLE_KEY",
      "    pricing: { input_per_1k_tokens: 0.1, output_per_1k_tokens: 0.1 }",
    ];
    expect(read(lines, { GOOGLE_KEY: "k" }).models).toMatchObject([
      { terms: { wire: "gemini", upstreamModel: "gemini-2.5-flash", authType: "x-api-key" } },
    ]);
    const odd = lines.map((line) => line.replace("type: multimodal", "type: audio"));
    expect(mistakeOf(() => read(odd, { GOOGLE_KEY: "k" }))).toContain(
      "line 4: models[0].wire has no audio models here: its models are text, multimodal, embedding, image.",
    );
  });

  it("that is named must be there", () => {
    const path = resolve("no-such-folder/missing.yaml");
    expect(mistakeOf(() => readConfig({ TRUNKLINE_CONFIG: path }))).toContain(path);
  });

  it("may name a model like a part of the language", () => {
    const lines = PLAIN_MODEL.map((line) => line.replace("small", "constructor"));
    expect(read(lines).models).toMatchObject([{ name: "constructor", terms: { backups: [] } }]);
  });

  it("does not declare one model twice", () => {
    expect(mistakeOf(() => read([...PLAIN_MODEL, ...PLAIN_MODEL.slice(1)]))).toContain("small");
  });
});
