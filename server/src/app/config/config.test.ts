import { resolve } from "node:path";
import { JUDGEABLE_CATEGORIES } from "@trunkline/core/safety-policy.ts";
import { describe, expect, it } from "vitest";
import { mistakeOf, PLAIN_MODEL, useConfigFiles } from "../../../test/support/config-file.ts";
import { readConfig, readStoreLocation } from "./config.ts";

describe("config", () => {
  const { fileWith, read } = useConfigFiles();

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
          accountRequestsPerMinute: 6_000,
          burst: 100,
          concurrentRequests: 2_000,
          accountConcurrentRequests: 1_000,
          bodyBytes: 1_048_576,
          attachmentBodyBytes: 20_971_520,
          headerWaitMs: 10_000,
          bodyWaitMs: 30_000,
          writeWaitMs: 60_000,
          realtimeSessionMs: 3_600_000,
          realtimeIdleMs: 900_000,
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

    it("cards need both of Stripe's secrets, and an empty one counts as none", () => {
      const [STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET] = ["sk_test_0123456789", "whsec_0123456789"];
      expect(readConfig({}).card).toBeUndefined();
      expect(readConfig({ STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET }).card).toMatchObject({ currency: "usd" });
      expect(() => readConfig({ STRIPE_SECRET_KEY })).toThrow(/^STRIPE_WEBHOOK_SECRET is required/);
      expect(() => readConfig({ STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET: "" })).toThrow(/^STRIPE_WEBHOOK_SECRET is/);
      expect(() => readConfig({ STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET: " ".repeat(20) })).toThrow(/without spaces/);
      expect(() => readConfig({ STRIPE_WEBHOOK_SECRET })).toThrow(/^STRIPE_SECRET_KEY is required/);
    });

    it("an empty file is as good as none", () => {
      const { effective: _effective, ...none } = readConfig({});
      expect(read([])).toMatchObject(none);
      expect(read(["# Nothing but a remark."])).toMatchObject(none);
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
      ["DATABASE_URL", "postgres://root:hunter2-hunter2@db-1,db-2:port/x"],
      ["DATABASE_URL", "postgres://root:hunter2-hunter2@db-1,db-2/x?target_session_attrs=standby"],
      ["DATABASE_READ_URL", "postgres://root:hunter2-hunter2@db-1/x?target_session_attrs=replica"],
      ["TRUNKLINE_BOOTSTRAP_KEY", "hunter2-hunter2"],
      ["TRUNKLINE_BOOTSTRAP_KEY", "hunter2 hunter2 hunter2"],
      ["TRUNKLINE_SECRET", "hunter2-hunter2"],
      ["TRUNKLINE_LOG_LEVEL", "loud"],
      ["TRUNKLINE_WORKERS", "two"],
      ["TRUNKLINE_WORKERS", "0"],
      ["TRUNKLINE_WORKERS", "1.5"],
      ["TRUNKLINE_WORKERS", "65"],
    ])("names %s when it is wrong (%j), and does not repeat a secret", (name, value) => {
      const message = mistakeOf(() => readConfig({ TRUNKLINE_SECRET: "0123456789abcdef", [name]: value }));
      expect(message).toContain(name);
      expect(message).not.toContain("hunter2");
      expect(message).not.toContain("undefined");
    });

    it("says how many workers there are, before the file; an option of the command says it before both", () => {
      const path = fileWith(["workers: 3"]);
      expect(readConfig({ TRUNKLINE_CONFIG: path }).workers).toBe(3);
      expect(readConfig({ TRUNKLINE_CONFIG: path, TRUNKLINE_WORKERS: "4" }).workers).toBe(4);
      expect(readConfig({ TRUNKLINE_CONFIG: path, TRUNKLINE_WORKERS: "4" }, { workers: "5" }).workers).toBe(5);
      expect(mistakeOf(() => readConfig({}, { workers: "many" }))).toBe("The option --workers must be a whole number.");
      expect(mistakeOf(() => readConfig({}, { workers: "0" }))).toBe("The option --workers must be at least 1.");
    });

    it("allows as many workers as the embedded store has connections for", () => {
      expect(readConfig({ TRUNKLINE_WORKERS: "12" }).workers).toBe(12);
      expect(mistakeOf(() => readConfig({ TRUNKLINE_WORKERS: "13" }))).toMatch(/at most 12 workers.*DATABASE_URL/);
      const shared = { DATABASE_URL: "postgres://db/x", TRUNKLINE_SECRET: "0123456789abcdef" };
      expect(readConfig({ ...shared, TRUNKLINE_WORKERS: "64" }).workers).toBe(64);
    });

    it("may name several databases, the home cluster first", () => {
      const secret = { TRUNKLINE_SECRET: "0123456789abcdef" };
      const several = { DATABASE_URLS: " postgres://db-1,db-2/x\npostgres://db-3/x  postgres://db-4/x " };
      const expected = {
        databaseUrl: "postgres://db-1,db-2/x",
        otherDatabaseUrls: ["postgres://db-3/x", "postgres://db-4/x"],
      };
      expect(readConfig({ ...secret, ...several })).toMatchObject(expected);
      expect(readStoreLocation(several)).toMatchObject(expected);
      expect(mistakeOf(() => readConfig(several))).toContain("TRUNKLINE_SECRET is required");
      expect(mistakeOf(() => readConfig({ ...several, DATABASE_URL: "postgres://db/x" }))).toContain("not both");
      expect(mistakeOf(() => readConfig({ ...secret, DATABASE_URLS: "postgres://db-1/x db-2" }))).toContain(
        "must begin with postgres://",
      );
      const replica = { DATABASE_READ_URL: "postgres://db-5/x" };
      expect(mistakeOf(() => readConfig({ ...secret, ...several, ...replica }))).toContain(
        "can't be used with several",
      );
    });

    it("may name several servers, and a replica beside the database", () => {
      const shared = { DATABASE_URL: "postgres://db-1,db-2/x", TRUNKLINE_SECRET: "0123456789abcdef" };
      const replica = { DATABASE_READ_URL: "postgres://db-1,db-2/x?target_session_attrs=prefer-standby" };
      expect(readConfig({ ...shared, ...replica })).toMatchObject({
        databaseUrl: shared.DATABASE_URL,
        databaseReadUrl: replica.DATABASE_READ_URL,
      });
      expect(readConfig(shared).databaseReadUrl).toBeUndefined();
      expect(mistakeOf(() => readConfig(replica))).toBe(
        "DATABASE_READ_URL needs DATABASE_URL: the embedded PostgreSQL has no replica.",
      );
    });

    it("must hold a secret where the store is shared", () => {
      expect(mistakeOf(() => readConfig({ DATABASE_URL: "postgres://db/x" }))).toContain(
        "TRUNKLINE_SECRET is required",
      );
    });

    it("may hold the secret before beside a new one", () => {
      const [TRUNKLINE_SECRET, TRUNKLINE_SECRET_FALLBACK] = ["0123456789abcdef", "fedcba9876543210"];
      expect(readConfig({ TRUNKLINE_SECRET, TRUNKLINE_SECRET_FALLBACK }).secretFallback?.reveal()).toBe(
        TRUNKLINE_SECRET_FALLBACK,
      );
      expect(mistakeOf(() => readConfig({ TRUNKLINE_SECRET_FALLBACK }))).toContain("trunkline rotate-secret");
      expect(mistakeOf(() => readConfig({ TRUNKLINE_SECRET, TRUNKLINE_SECRET_FALLBACK: TRUNKLINE_SECRET }))).toContain(
        "is the same as TRUNKLINE_SECRET",
      );
    });

    it("refuses an archive of the embedded PostgreSQL's log beside a database of one's own", () => {
      const given = {
        DATABASE_URL: "postgres://db/x",
        TRUNKLINE_SECRET: "0123456789abcdef",
        TRUNKLINE_WAL_ARCHIVE: "/w",
      };
      expect(mistakeOf(() => readConfig(given))).toContain("TRUNKLINE_WAL_ARCHIVE is for the embedded PostgreSQL");
    });

    it("says where the store is to those who need nothing else", () => {
      expect(readStoreLocation({ DATABASE_URL: "postgres://db/x", PORT: "none" })).toMatchObject({
        databaseUrl: "postgres://db/x",
      });
      expect(readStoreLocation({ DATABASE_URL: "", TRUNKLINE_DATA_DIR: "/srv/data" })).toEqual({
        databaseUrl: undefined,
        otherDatabaseUrls: [],
        databaseReadUrl: undefined,
        dataDir: "/srv/data",
        walArchive: undefined,
        secret: undefined,
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
        limits: { requestsPerMinute: 60, accountRequestsPerMinute: 600, burst: 10, drainMs: 30_000 },
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
      const odd = lines.map((line) =>
        line.replace("type: multimodal", "type: audio").replace("wire: gemini", "wire: cohere"),
      );
      expect(mistakeOf(() => read(odd, { GOOGLE_KEY: "k" }))).toContain(
        "line 4: models[0].wire has no audio models here: its models are text, multimodal, embedding.",
      );
    });

    it("that is named must be there", () => {
      const path = resolve("no-such-folder/missing.yaml");
      expect(mistakeOf(() => readConfig({ TRUNKLINE_CONFIG: path }))).toContain(path);
      const folder = resolve(".");
      expect(mistakeOf(() => readConfig({ TRUNKLINE_CONFIG: folder }))).toBe(
        `The configuration ${folder} can't be read: it is a folder.`,
      );
    });

    it("may name a model like a part of the language", () => {
      const lines = PLAIN_MODEL.map((line) => line.replace("small", "constructor"));
      expect(read(lines).models).toMatchObject([{ name: "constructor", terms: { backups: [] } }]);
    });

    it("does not declare one model twice", () => {
      expect(mistakeOf(() => read([...PLAIN_MODEL, ...PLAIN_MODEL.slice(1)]))).toContain("small");
    });
  });
});

describe("config.judge", () => {
  const { read } = useConfigFiles();
  const JUDGE = ["safety:", "  judge:"];
  const ENDPOINT = [...JUDGE, "    endpoint:", "      kind: openai-moderation"];

  describe("a judge of doubtful texts", () => {
    it("is not there unless it is asked for", () => {
      expect(read(["safety:", "  preset: strict"]).judge).toBeUndefined();
    });

    it("is a model, on the usual terms", () => {
      expect(read([...JUDGE, "    model: openai/gpt-small"]).judge).toEqual({
        by: "openai/gpt-small",
        timeBoxMs: 800,
        onFailure: "open",
        categories: JUDGEABLE_CATEGORIES,
        band: undefined,
        atOnce: 32,
      });
    });

    it("is an endpoint, with its key out of the environment and on terms of its own", () => {
      const lines = [
        ...ENDPOINT,
        "      url: http://10.0.0.7/v1/moderations",
        "      api_key_env: GUARD_KEY",
        "      model: omni",
        "    time_box_ms: 250",
        "    on_failure: closed",
        "    categories: [hate, violence]",
        "    band: { from: 0.4, to: 0.7 }",
        "    at_once: 4",
      ];
      const { judge } = read(lines, { GUARD_KEY: "key-of-the-guard" });
      const by = { kind: "openai-moderation", url: "http://10.0.0.7/v1/moderations", model: "omni" };
      expect(judge).toMatchObject({ by, timeBoxMs: 250, onFailure: "closed", atOnce: 4 });
      expect(judge).toMatchObject({ categories: ["hate", "violence"], band: { from: 0.4, to: 0.7 } });
      expect(typeof judge?.by === "object" && judge.by.key?.reveal()).toBe("key-of-the-guard");
      expect(JSON.stringify(judge)).not.toContain("key-of-the-guard");
    });

    it("decides what its endpoint can tell of", () => {
      const { judge } = read([...ENDPOINT, "      url: https://guard.test/v1/moderations"]);
      expect(judge?.categories).toContain("hate");
      expect(judge?.categories).not.toContain("injection");
    });

    it.each<[string, string[], number, RegExp]>([
      ["neither a model nor an endpoint", [...JUDGE, "    time_box_ms: 100"], 2, /safety\.judge must name/],
      [
        "both",
        [...ENDPOINT, "      url: https://guard.test/", "    model: openai/gpt-small"],
        2,
        /safety\.judge .*not both/,
      ],
      ["a model without its provider", [...JUDGE, "    model: gpt-small"], 3, /judge\.model .*provider\/name/],
      ["an unknown kind", [...JUDGE, "    endpoint:", "      kind: oracle"], 4, /endpoint\.kind must be one of/],
      ["an address that is none", [...ENDPOINT, "      url: guard.test"], 5, /endpoint\.url is no address/],
      ["no address", ENDPOINT, 3, /endpoint\.url is required/],
      [
        "a time box of nothing",
        [...JUDGE, "    model: a/b", "    time_box_ms: 0"],
        4,
        /time_box_ms must be at least 10/,
      ],
      [
        "a wrong way to fail",
        [...JUDGE, "    model: a/b", "    on_failure: maybe"],
        4,
        /on_failure must be one of: open, closed/,
      ],
      [
        "a band that ends before it begins",
        [...JUDGE, "    model: a/b", "    band: { from: 0.8, to: 0.5 }"],
        4,
        /band\.to must be more/,
      ],
      [
        "a category that is no matter of opinion",
        [...JUDGE, "    model: a/b", "    categories: [hate, pii]"],
        4,
        /categories\[1\] is nothing that this judge/,
      ],
      [
        "a category that its endpoint does not know",
        [...ENDPOINT, "      url: https://guard.test/", "    categories: [jailbreak]"],
        6,
        /categories\[0\] is nothing that this judge/,
      ],
      ["an unknown field", [...JUDGE, "    model: a/b", "    retries: 3"], 4, /judge\.retries is not a known field/],
    ])("is refused with %s, by its line", (_what, lines, line, message) => {
      const mistake = mistakeOf(() => read(lines));
      expect(mistake).toContain(`line ${line}:`);
      expect(mistake).toMatch(message);
    });

    it("is missed its key by the variable's name, which is not repeated where it is wrong", () => {
      const lines = [...ENDPOINT, "      url: https://guard.test/", "      api_key_env: GUARD_KEY"];
      expect(mistakeOf(() => read(lines))).toContain("GUARD_KEY, which is not set");
      const message = mistakeOf(() => read(lines, { GUARD_KEY: "hunter2 hunter2" }));
      expect(message).toContain("GUARD_KEY");
      expect(message).not.toContain("hunter2");
    });
  });
});

describe("config.mistakes", () => {
  const { fileWith, read } = useConfigFiles();

  describe("a credential from a variable", () => {
    const lines = [...PLAIN_MODEL, "    credential_env: SMALL_KEY"];

    it("is missed by the model's and the variable's name", () => {
      expect(mistakeOf(() => read(lines))).toMatch(/small.*SMALL_KEY/);
      expect(mistakeOf(() => read(lines, { SMALL_KEY: "" }))).toContain("SMALL_KEY");
    });

    it("must be one that can be sent in a header, as one in the file must, and is not repeated", () => {
      for (const value of ["hunter2\nX-Evil: 1", "hunter2 hunter2", "hünter2", "hunter2\n"]) {
        const message = mistakeOf(() => read(lines, { SMALL_KEY: value }));
        expect(message).toContain("SMALL_KEY");
        expect(message).not.toContain("nter2");
      }
    });
  });

  describe("a mistake in the file", () => {
    /** The mistake of these lines, which must name the file. */
    function mistakeIn(...lines: string[]): string {
      const path = fileWith(lines);
      const message = mistakeOf(() => readConfig({ TRUNKLINE_CONFIG: path }));
      expect(message).toContain(path);
      return message.replace(path, "");
    }

    it.each<[string, string[], number, RegExp]>([
      ["broken syntax", ["limits:", "  burst: 1", " burst: 2"], 3, /./],
      ["an open quote", ["limits:", '  burst: "1'], 3, /./],
      ["a tab for indentation", ["limits:", "\tburst: 1"], 2, /./],
      ["a key given twice", ["limits:", "  burst: 1", "  burst: 2"], 3, /./],
      ["an unknown field", ["limits:", "  burts: 1"], 2, /limits\.burts is not a known field/],
      [
        "an unknown field that holds more",
        ["trust_proxy: true", "limts:", "  burst: 1"],
        2,
        /limts is not a known field/,
      ],
      ["a wrong type", ["limits:", "  burst: many"], 2, /limits\.burst (?!is required).*number/],
      ["a number out of range", ["limits:", "  burst: 0"], 2, /limits\.burst .*1/],
      ["a fraction", ["limits:", "  burst: 1.5"], 2, /limits\.burst .*whole number/],
      [
        "a wrong choice",
        ["routing:", "  strategy: fastest"],
        2,
        /routing\.strategy must be one of: cost-optimized, .*hybrid/,
      ],
      ["an unknown category", ["safety:", "  categories:", "    rudeness: refuse"], 3, /safety\.categories.*rudeness/],
      [
        "a category that has no values to take out",
        ["safety:", "  categories:", "    hate: redact"],
        3,
        /safety\.categories\.hate can't be redacted/,
      ],
      ["a weight beyond all bounds", [...PLAIN_MODEL, "    weight: 1001"], 6, /models\[0\]\.weight .*1000/],
      ["a share in percent", [...PLAIN_MODEL, "    canary_share: 5"], 6, /models\[0\]\.canary_share .*1/],
      ["more exploration than is allowed", ["routing:", "  exploration: 0.06"], 2, /routing\.exploration .*0\.05/],
      ["a threshold in percent", ["reconciliation:", "  threshold: 5"], 2, /reconciliation\.threshold .*1/],
      ["a text for a list", ["models: none"], 1, /models (?!is required).*array/],
      ["a list for the whole file", ["- models"], 1, /the file (?!is required).*object/],
      ["a null for a section", ["limits:"], 1, /limits (?!is required)/],
      [
        "a name that is taken",
        [...PLAIN_MODEL.map((line) => line.replace("small", "auto"))],
        2,
        /models\[0\]\.name .*auto/,
      ],
      ["a provider that is taken", [...PLAIN_MODEL, "    provider: builtin"], 6, /models\[0\]\.provider .*builtin/],
      ["an unknown field of a model", [...PLAIN_MODEL, "    prize: 1"], 6, /models\[0\]\.prize is not a known field/],
    ])("is reported with its line and field: %s", (_what, lines, line, said) => {
      const message = mistakeIn(...lines);
      expect(message).toMatch(said);
      expect(message).toContain(`line ${line}:`);
    });

    const second = (pricing: string[]) => [
      ...PLAIN_MODEL,
      "  - name: second",
      "    type: text",
      "    endpoint: https://example.test/generate",
      ...pricing,
    ];

    it("deep inside the second model's prices is reported as a wrong type, at its place", () => {
      const message = mistakeIn(
        ...second(["    pricing:", "      input_per_1k_tokens: cheap", "      output_per_1k_tokens: 1"]),
      );
      expect(message).toMatch(/line 10: models\[1\]\.pricing\.input_per_1k_tokens (?!is required).*number/);
    });

    it("that leaves a price out is reported as such, near the prices", () => {
      const message = mistakeIn(...second(["    pricing:", "      input_per_1k_tokens: 1"]));
      expect(message).toMatch(/line (9|10): models\[1\]\.pricing\.output_per_1k_tokens is required/);
    });

    it("that leaves all prices out is reported as such, near the model", () => {
      expect(mistakeIn(...second([]))).toMatch(/line (6|7|8): models\[1\]\.pricing is required/);
    });

    it.each([
      ["too dear", "1000.5"],
      ["below zero", "-1"],
      ["finer than twelve decimals", "0.0000000000001"],
      ["that is nothing", "null"],
    ])("of a price %s is reported at its place", (_what, price) => {
      const message = mistakeIn(...second([`    pricing: { input_per_1k_tokens: ${price}, output_per_1k_tokens: 1 }`]));
      expect(message).toMatch(/line 9: models\[1\]\.pricing\.input_per_1k_tokens /);
    });

    it("about a credential does not repeat it", () => {
      for (const credential of ["hunter2 hunter2", '"hunter2\\n"', "[hunter2]"]) {
        const message = mistakeIn(...PLAIN_MODEL, `    credential: ${credential}`);
        expect(message).toMatch(/line 6: models\[0\]\.credential/);
        expect(message).not.toContain("hunter2");
      }
    });

    it("in an alias that leads nowhere is a mistake in the file, too", () => {
      expect(mistakeIn(...PLAIN_MODEL, "    credential: *hunter2")).toMatch(/./);
    });
  });
});
