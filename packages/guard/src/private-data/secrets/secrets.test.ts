import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { findPrivateData } from "../find-private-data.ts";

const found = (text: string, from = 0.5) =>
  findPrivateData(text)
    .filter(({ weight }) => weight >= from)
    .map(({ kind, start, end }) => [kind, text.slice(start, end)]);

const BASE_62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const HEX = BASE_62.slice(0, 10) + BASE_62.slice(36, 42);
const LETTERS = BASE_62.slice(10);
const BASE_32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Deterministic random characters. Keys are generated here, so that no secret scanner reports this file. */
function random(count: number, alphabet = BASE_62, seed = 7): string {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return alphabet[(state >>> 8) % alphabet.length];
  }).join("");
}

function withChecksum(body: string): string {
  let rest = crc32(body);
  let checksum = "";
  for (let at = 0; at < 6; at += 1) {
    checksum = BASE_62[rest % 62] + checksum;
    rest = Math.floor(rest / 62);
  }
  return body + checksum;
}

const KEYS: Readonly<Record<string, string>> = {
  Amazon: `AKIA${random(16, BASE_32)}`,
  Google: `AIza${random(35)}`,
  DigitalOcean: `dop_v1_${random(64, HEX)}`,
  OpenAI: `sk-proj-${random(64)}`,
  "OpenAI's older": `sk-${random(48)}`,
  Anthropic: `sk-ant-api03-${random(93)}AA`,
  "Hugging Face": `hf_${random(34, LETTERS)}`,
  Groq: `gsk_${random(52)}`,
  GitHub: `ghp_${withChecksum(random(30))}`,
  "GitHub's finer": `github_pat_${random(22)}_${random(59)}`,
  GitLab: `glpat-${random(20)}`,
  npm: `npm_${withChecksum(random(30))}`,
  PyPI: `pypi-AgEIcHlwaS5vcmc${random(120)}`,
  Slack: `xoxb-${random(12, "0123456789")}-${random(24)}`,
  Stripe: `sk_live_${random(24)}`,
  SendGrid: `SG.${random(22)}.${random(43)}`,
  Twilio: `SK${random(32, HEX)}`,
  Telegram: `${random(10, "123456789")}:AA${random(33)}`,
  Shopify: `shpat_${random(32, HEX)}`,
  Square: `sq0atp-${random(22)}`,
  "New Relic": `NRAK-${random(27, BASE_32)}`,
  Grafana: `glsa_${random(32)}_${random(8, HEX)}`,
  Sentry: `sntryu_${random(64, HEX)}`,
  Vault: `hvs.${random(92)}`,
  Databricks: `dapi${random(32, HEX)}`,
  Atlassian: `ATATT3${random(186)}`,
  Linear: `lin_api_${random(40)}`,
  Notion: `ntn_${random(11, "0123456789")}${random(35)}`,
  Postman: `PMAK-${random(24, HEX)}-${random(34, HEX)}`,
  PlanetScale: `pscale_tkn_${random(43)}`,
  Doppler: `dp.pt.${random(43)}`,
  Azure: `${random(3)}8Q~${random(34)}`,
  Discord: `M${random(23)}.${random(6)}.${random(38)}`,
  "our own": `tl_${withChecksum(random(32))}`,
};

describe("a key", () => {
  it.each(Object.entries(KEYS))("of %s is found completely", (_vendor, key) => {
    for (const text of [`the key ${key} leaked`, `KEY=${key}`, `{"k":"${key}"}`, `(${key}).`, key])
      expect(found(text)).toEqual([["api_key", key]]);
  });

  it("is more confident with a valid checksum, and still reported with a wrong one", () => {
    const weightOf = (text: string) => findPrivateData(text)[0]?.weight ?? 0;
    const right = `ghp_${withChecksum(random(30))}`;
    const wrong = `${right.slice(0, -1)}${right.endsWith("a") ? "b" : "a"}`;
    expect(weightOf(right)).toBeGreaterThan(0.9);
    expect(weightOf(wrong)).toBe(0.6);
  });

  it.each([
    "AKIAIOSFODNN7EXAMPLE",
    "sk_test_4eC39HqLyjWDarjtT1zdp7dc",
    `ghp_${"x".repeat(36)}`,
    `sk-${"x".repeat(48)}`,
    `AIza${"A".repeat(35)}`,
    `sk-proj-your-key-here-${random(20)}`,
    "sk-learn-pipelines-with-many-long-names",
    "api_organisation_of_the_whole_department",
    `a${KEYS.GitHub}`,
    `sha256:${random(64, HEX)}`,
    `commit ${random(40, HEX)}`,
    "npm_config_registry_and_everything_else_here",
    "-----BEGIN PRIVATE KEY----- is how such files begin",
  ])("is ignored: %s", (text) => {
    expect(found(text)).toEqual([]);
  });

  it("of AWS is found with the secret near it", () => {
    const secret = random(40, `${BASE_62}/+`);
    expect(found(`${KEYS.Amazon} and ${secret} do not work`)).toEqual([
      ["api_key", KEYS.Amazon],
      ["api_key", secret],
    ]);
    expect(found(`and ${secret} do not work`)).toEqual([]);
  });

  it("at the end of a webhook URL is found with the URL", () => {
    const hook = `https://hooks.slack.com/services/T${random(9, BASE_32)}/B${random(9, BASE_32)}/${random(24)}`;
    expect(found(`post to ${hook} now`)).toEqual([["api_key", hook]]);
  });
});

describe("a private key", () => {
  const body = `${random(64)}\n${random(64, BASE_62, 9)}\n${random(20)}==`;

  it("is found as a whole block", () => {
    const block = `-----BEGIN RSA PRIVATE KEY-----\n${body}\n-----END RSA PRIVATE KEY-----`;
    expect(found(`here:\n${block}\nbye`)).toEqual([["private_key", block]]);
    const escaped = block.replaceAll("\n", "\\n");
    expect(found(`{"key": "${escaped}"}`)).toEqual([["private_key", escaped]]);
  });

  it("is found without its end", () => {
    const open = `-----BEGIN OPENSSH PRIVATE KEY-----\n${random(70)}\n${random(70)}`;
    expect(found(`${open}\n\nwhat is this?`)[0]?.[1]).toContain(open);
  });

  it("of age is found", () => {
    const key = `AGE-SECRET-KEY-1${random(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")}`;
    expect(found(`identity ${key}`)).toEqual([["private_key", key]]);
  });
});

describe("a JSON web token", () => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

  it("is recognised by its header", () => {
    const token = `${part({ alg: "HS256", typ: "JWT" })}.${part({ sub: "u1", role: "admin" })}.${random(43)}`;
    expect(found(`Authorization: Bearer ${token}`)).toEqual([["jwt", token]]);
    expect(found(`${part({ some: "thing", other: 1 })}.${part({ sub: "u1" })}.${random(43)}`)).toEqual([]);
  });
});

describe("an assigned value", () => {
  it.each([
    ["password = ", "hunter2!"],
    ["DB_PASSWORD=", "S3cr3t.pw"],
    ['"password": "', "correct-Horse7"],
    ["Passwort: ", "Geheim2024!"],
    ["пароль: ", "qwerty99x"],
    ["my password is ", "Tr0ub4dor&3"],
    ["the password for the server is ", "gr8-Swim.11"],
    ["postgres://app:", "k7Gq2LxW9z"],
  ])("is a password: %s%s", (name, value) => {
    const end = name.startsWith("postgres") ? "@db.internal/main" : name.endsWith('"') ? '"' : "";
    expect(found(`${name}${value}${end}`)).toEqual([["password", value]]);
  });

  it.each([
    ["api_key: ", random(32, HEX)],
    ["AWS_SECRET_ACCESS_KEY=", random(40, `${BASE_62}/+`, 11)],
    ["client-secret => '", random(24)],
    ["AccountKey=", `${random(86, `${BASE_62}/+`, 3)}==`],
    ["the auth token is ", random(32, HEX)],
    ["Authorization: Bearer ", random(40)],
  ])("is a key: %s%s", (name, value) => {
    expect(found(`${name}${value}${name.endsWith("'") ? "'" : ""}`)).toEqual([["api_key", value]]);
  });

  it.each([
    "password: required",
    "password = process.env.DB_PASSWORD",
    "password: $DB_PASSWORD_2",
    "password: string;",
    "password: ********",
    'password: "changeme123"',
    "token: getTokenFromSession()",
    "apiKey: userApiKeyFromSettings",
    "max_tokens: 4096",
    "secret_name: my-secret-name-2024-prod",
    "api_key: YOUR_API_KEY_12345678",
    "The key: 8 to 16 characters",
    "https://user:password@host.com/x",
    "the password is case-sensitive and the secret is practice",
    "key: 2024-03-12T10:30:00Z",
    "public_key: MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE12",
  ])("is ignored: %s", (text) => {
    expect(found(text)).toEqual([]);
  });
});
