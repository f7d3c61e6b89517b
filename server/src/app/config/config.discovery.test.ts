import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mistakeOf, useConfigFiles } from "../../../test/support/config-file.ts";
import { readConfig } from "./config.ts";

const { read } = useConfigFiles();

const found = (environment: Readonly<Record<string, string>>) => readConfig(environment).discovery;
const keysOf = (environment: Readonly<Record<string, string>>) =>
  found(environment).providers.map(({ id, variable, keys }) => [id, variable, keys.map((key) => key.reveal())]);

describe("providers' keys", () => {
  it("are found in the variables that people use", () => {
    expect(keysOf({ OPENAI_API_KEY: "o", ANTHROPIC_API_KEY: "a", GOOGLE_API_KEY: "g", MISTRAL_API_KEY: "m" })).toEqual([
      ["openai", "OPENAI_API_KEY", ["o"]],
      ["mistral", "MISTRAL_API_KEY", ["m"]],
      ["anthropic", "ANTHROPIC_API_KEY", ["a"]],
      ["google", "GOOGLE_API_KEY", ["g"]],
    ]);
  });

  it("may be several, by commas or in a variable in the plural, each once", () => {
    expect(keysOf({ OPENAI_API_KEY: " one, two,,one" })).toEqual([["openai", "OPENAI_API_KEY", ["one", "two"]]]);
    expect(keysOf({ GROQ_API_KEY: "one", GROQ_API_KEYS: "two,three" })).toEqual([
      ["groq", "GROQ_API_KEY", ["one", "two", "three"]],
    ]);
    expect(keysOf({ GROQ_API_KEYS: "two,three" })[0]?.[2]).toEqual(["two", "three"]);
  });

  it("are the first of a provider's variables that is set", () => {
    expect(keysOf({ GOOGLE_API_KEY: "second", GEMINI_API_KEY: "first" })).toEqual([
      ["google", "GEMINI_API_KEY", ["first"]],
    ]);
  });

  it("are the credentials of AWS for Bedrock, where a region is said, unless there is a key for it alone", () => {
    const pair = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" };
    expect(keysOf(pair)).toEqual([]);
    expect(keysOf({ ...pair, AWS_REGION: "eu-west-1" })).toEqual([
      ["bedrock", "AWS_ACCESS_KEY_ID", ["id:secret::eu-west-1"]],
    ]);
    expect(keysOf({ ...pair, AWS_REGION: "eu-west-1", AWS_BEARER_TOKEN_BEDROCK: "token" })).toEqual([
      ["bedrock", "AWS_BEARER_TOKEN_BEDROCK", ["token"]],
    ]);
  });

  describe("of clouds", () => {
    const account = {
      type: "service_account",
      project_id: "of-the-file",
      private_key: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
      client_email: "a@b.iam.gserviceaccount.com",
    };
    const vertex = (environment: Readonly<Record<string, string>>) =>
      JSON.parse(keysOf(environment).find(([id]) => id === "vertex")?.[2]?.[0] ?? "{}");

    it("are a service account of Google, as JSON or as a file, with a project and a location", () => {
      const json = JSON.stringify(account);
      expect(vertex({ VERTEX_CREDENTIALS: json })).toEqual(account);
      const placed = { GOOGLE_VERTEX_PROJECT: "mine", GOOGLE_VERTEX_LOCATION: "europe-west4" };
      expect(vertex({ VERTEX_CREDENTIALS: json, ...placed })).toMatchObject({
        project_id: "mine",
        location: "europe-west4",
      });
      expect(found({ VERTEX_CREDENTIALS: json, ...placed }).bases.get("vertex")?.location).toBe("europe-west4");
      const folder = mkdtempSync(join(tmpdir(), "trunkline-vertex-"));
      const path = join(folder, "account.json");
      writeFileSync(path, json);
      try {
        expect(vertex({ GOOGLE_APPLICATION_CREDENTIALS: path, VERTEXAI_LOCATION: "global" })).toMatchObject(account);
        // It may be there for something else.
        expect(keysOf({ GOOGLE_APPLICATION_CREDENTIALS: path })).toEqual([]);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    it.each([
      ["no JSON", "{oops", "no JSON"],
      ["a file that is not there", "/no/such/file.json", "can't be read (ENOENT)"],
      ["no project", JSON.stringify({ ...account, project_id: undefined }), "GOOGLE_VERTEX_PROJECT"],
      ["another kind", JSON.stringify({ type: "external_account" }), "no known kind"],
    ])("are refused with a sentence: %s", (_, value, said) => {
      const mistake = mistakeOf(() => found({ VERTEX_CREDENTIALS: value }));
      expect(mistake).toContain("VERTEX_CREDENTIALS");
      expect(mistake).toContain(said);
      expect(mistake).not.toContain("PRIVATE KEY");
    });

    it("are an application of Entra, where Azure's address is said, and a key goes before it", () => {
      const entra = { AZURE_TENANT_ID: "t", AZURE_CLIENT_ID: "c", AZURE_CLIENT_SECRET: "s" };
      expect(keysOf(entra)).toEqual([]);
      const placed = { ...entra, AZURE_OPENAI_ENDPOINT: "https://mine.openai.azure.com/" };
      expect(keysOf(placed)).toEqual([
        ["azure", "AZURE_CLIENT_SECRET", ['{"tenant_id":"t","client_id":"c","client_secret":"s"}']],
      ]);
      expect(keysOf({ ...placed, AZURE_OPENAI_API_KEY: "k" })[0]?.[1]).toBe("AZURE_OPENAI_API_KEY");
    });

    it("use Azure's older form where a version is said", () => {
      const endpoint = { AZURE_OPENAI_ENDPOINT: "https://mine.openai.azure.com/" };
      const baseOf = (more: Readonly<Record<string, string>>) =>
        found({ ...endpoint, ...more }).bases.get("azure")?.url;
      expect(baseOf({})).toBe("https://mine.openai.azure.com");
      expect(baseOf({ AZURE_OPENAI_API_VERSION: "2024-10-21" })).toBe(
        "https://mine.openai.azure.com?api-version=2024-10-21",
      );
      expect(baseOf({ AZURE_OPENAI_API_VERSION: "v1" })).toBe("https://mine.openai.azure.com");
    });
  });

  it("that can't be sent are refused by the variable's name, and never shown", () => {
    const mistake = mistakeOf(() => readConfig({ OPENAI_API_KEY: "fine,sk-naïve" }));
    expect(mistake).toContain("OPENAI_API_KEY");
    expect(mistake).not.toContain("naïve");
  });

  it("are not looked for where discovery is off, by the variable or the file", () => {
    const key = { OPENAI_API_KEY: "o" };
    const nothing = { providers: [], localServers: [], asksProviders: false };
    expect(found({ ...key, TRUNKLINE_DISCOVERY: "off" })).toMatchObject(nothing);
    expect(read(["discovery: { enabled: false }"], key).discovery).toMatchObject(nothing);
    expect(
      read(["discovery: { enabled: false }"], { ...key, TRUNKLINE_DISCOVERY: "on" }).discovery.providers,
    ).toHaveLength(1);
    expect(mistakeOf(() => found({ TRUNKLINE_DISCOVERY: "perhaps" }))).toContain("TRUNKLINE_DISCOVERY");
  });
});

describe("providers' addresses", () => {
  it("are the usual ones, or what the usual variables say", () => {
    const { bases } = found({ OPENAI_BASE_URL: "http://10.0.0.1:4000/v1/", AWS_REGION: "eu-central-1" });
    expect(bases.get("openai")).toEqual({ url: "http://10.0.0.1:4000/v1", chosen: true });
    expect(bases.get("anthropic")).toEqual({ url: "https://api.anthropic.com", chosen: false });
    expect(bases.get("bedrock")?.url).toBe("https://bedrock-runtime.eu-central-1.amazonaws.com");
  });

  it("that are no URLs are refused by the variable's name", () => {
    expect(mistakeOf(() => found({ ANTHROPIC_BASE_URL: "not a url" }))).toContain("ANTHROPIC_BASE_URL");
  });

  it("that can't be guessed are asked for in the start message", () => {
    const azure = { AZURE_OPENAI_API_KEY: "a" };
    expect(found(azure).providers).toEqual([]);
    expect(found(azure).notes[0]).toContain("set AZURE_OPENAI_ENDPOINT");
    expect(found({ ...azure, AZURE_RESOURCE_NAME: "mine" }).bases.get("azure")?.url).toBe(
      "https://mine.openai.azure.com/openai/v1",
    );
  });
});

describe("what is offered", () => {
  const fits = (patterns: readonly RegExp[], name: string) => patterns.some((pattern) => pattern.test(name));

  it("is narrowed by patterns in the variable and the file", () => {
    const { allow, deny } = read(["discovery: { allow: ['anthropic/*'], deny: ['*-preview'] }"], {
      TRUNKLINE_DISCOVER_MODELS: "openai/gpt-4.1*, !openai/gpt-4.1-nano",
    }).discovery;
    expect(fits(allow, "openai/gpt-4.1-mini")).toBe(true);
    expect(fits(allow, "openai/gpt-4x1")).toBe(false);
    expect(fits(allow, "anthropic/claude-opus-4-5")).toBe(true);
    expect(fits(deny, "openai/gpt-4.1-nano")).toBe(true);
    expect(fits(deny, "google/gemini-3-pro-preview")).toBe(true);
    expect(fits(deny, "openai/gpt-4.1")).toBe(false);
  });
});

describe("local servers", () => {
  it("are looked for at their usual ports, at other addresses, or not at all", () => {
    expect(found({}).localServers).toEqual([
      "http://127.0.0.1:11434",
      "http://127.0.0.1:8080",
      "http://127.0.0.1:8000",
      "http://127.0.0.1:1234",
    ]);
    expect(found({ TRUNKLINE_LOCAL_SERVERS: "http://192.168.1.5:11434/" }).localServers).toEqual([
      "http://192.168.1.5:11434",
    ]);
    expect(found({ TRUNKLINE_LOCAL_SERVERS: "off" }).localServers).toEqual([]);
    expect(mistakeOf(() => found({ TRUNKLINE_LOCAL_SERVERS: "here" }))).toContain("TRUNKLINE_LOCAL_SERVERS");
  });
});

describe("the fee for one's own key", () => {
  it("is a percentage in exact millionths, by default none", () => {
    const fee = (percent: string) => readConfig({ TRUNKLINE_OWN_KEY_FEE_PERCENT: percent }).ownKeyFeePpm;
    expect(readConfig({}).ownKeyFeePpm).toBe(0);
    expect(fee("5")).toBe(50_000);
    expect(fee("0.0001")).toBe(1);
    expect(fee("100")).toBe(1_000_000);
  });

  it.each(["-1", "101", "100.1", "1.00001", "five", "1e1"])("of %s is refused", (percent) => {
    expect(mistakeOf(() => readConfig({ TRUNKLINE_OWN_KEY_FEE_PERCENT: percent }))).toContain(
      "TRUNKLINE_OWN_KEY_FEE_PERCENT",
    );
  });
});
