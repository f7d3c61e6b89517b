import { cp, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ChatAnthropic } from "@langchain/anthropic";
import { ChatOpenAI } from "@langchain/openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";
import { answerByTheBook } from "./following-model.ts";
import { CLASSES, type ClassName, DIRECT, type Outcome, PLACES, writeStandardTests } from "./standard-tests-table.ts";

/** A checkout of `langchain-ai/langchainjs`: its tests are theirs, and no part of this repository. */
const { LANGCHAIN } = process.env;
if (LANGCHAIN === undefined)
  throw new Error(
    "Set LANGCHAIN to the folder of a checkout of langchain-ai/langchainjs: its tests are run from there.",
  );
const SOURCE = join(LANGCHAIN, "internal", "standard-tests");

/** Their tests, by the names of the methods. */
type Suite = Readonly<Record<string, () => Promise<void>>> & { expect: typeof expect };

const CONTENT_TYPES = { text: true, image: ["base64", "url", "dataUrl"], file: ["base64", "url", "dataUrl"] };

/** The classes as LangChain tries them itself, but for the address. */
const FIELDS: Readonly<Record<ClassName, (url: string, model: string, apiKey: string) => object>> = {
  "ChatOpenAI, chat": (url, model, apiKey) => ({
    Cls: ChatOpenAI,
    supportsStandardContentType: CONTENT_TYPES,
    constructorArgs: { model, apiKey, configuration: { baseURL: `${url}/v1` }, maxRetries: 0 },
  }),
  "ChatOpenAI, responses": (url, model, apiKey) => ({
    Cls: ChatOpenAI,
    constructorArgs: { model, apiKey, useResponsesApi: true, configuration: { baseURL: `${url}/v1` }, maxRetries: 0 },
  }),
  ChatAnthropic: (url, model, apiKey) => ({
    Cls: ChatAnthropic,
    supportsStandardContentType: CONTENT_TYPES,
    constructorArgs: { model, apiKey, anthropicApiUrl: url, maxRetries: 0 },
  }),
};

/** The models that LangChain tries. It chooses its fields by their names. */
const MODELS: Readonly<Record<ClassName, string>> = {
  "ChatOpenAI, chat": "gpt-3.5-turbo",
  "ChatOpenAI, responses": "gpt-4o-mini",
  ChatAnthropic: "claude-sonnet-4-5-20250929",
};

const modelAt = (className: ClassName, place: number) => `${MODELS[className]}-${place}`;

let service: StartedService;
let upstream: Upstream;
let folder: string;
let Tests: new (fields: object) => object;
let names: readonly string[];
const outcomes: Outcome[] = [];

beforeAll(async () => {
  [service, upstream] = await Promise.all([startService(), startUpstream(answerByTheBook)]);
  for (const [index, { wire, base, model }] of PLACES.entries())
    for (const name of new Set(CLASSES.map((className) => modelAt(className, index))))
      await registerUpstream(
        service,
        { wire, name, endpoint: `${upstream.url}${base}` },
        { upstream_model: model, context_window: 400_000 },
      );
  // Their sources find the packages of this repository from a folder that has them.
  folder = await mkdtemp(join(tmpdir(), "trunkline-langchain-"));
  await cp(join(SOURCE, "src"), join(folder, "src"), { recursive: true });
  await symlink(fileURLToPath(new URL("../../../node_modules", import.meta.url)), join(folder, "node_modules"));
  const source = await readFile(join(folder, "src/integration_tests/vitest.ts"), "utf8");
  names = Array.from(source.matchAll(/this\.(test\w+)\(\)/g), ([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(20);
  ({ ChatModelIntegrationTests: Tests } = await import(join(folder, "src/integration_tests/chat_models.ts")));
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
  await rm(folder, { recursive: true, force: true });
});

async function tryAll(className: ClassName, place: string, url: string, model: string, key: string) {
  const fields = {
    chatModelHasToolCalling: true,
    chatModelHasStructuredOutput: true,
    supportsParallelToolCalls: true,
    ...FIELDS[className](url, model, key),
  };
  const suite = new Tests(fields) as Suite;
  suite.expect = expect;
  const failures = new Map<string, unknown>();
  for (const name of names) {
    try {
      await suite[name]?.();
    } catch (error) {
      failures.set(name, error);
    }
  }
  outcomes.push({ className, place, total: names.length, failures: [...failures.keys()] });
  return failures;
}

describe.each(CLASSES)("%s", (className) => {
  it("passes with a model of any wire what it passes without the service", async () => {
    const direct = await tryAll(className, DIRECT, upstream.url, MODELS[className], "a-key");
    for (const [index, { name }] of PLACES.entries()) {
      const failures = await tryAll(className, name, service.url, modelAt(className, index), OPERATOR_KEY);
      // What fails in another way than without the service is a failure of the service.
      expect([...failures].filter(([test, error]) => String(direct.get(test)) !== String(error))).toEqual([]);
    }
  });
});

it("is what the documentation shows", async () => {
  const { version } = JSON.parse(await readFile(join(SOURCE, "package.json"), "utf8"));
  await writeStandardTests(version, outcomes);
});
