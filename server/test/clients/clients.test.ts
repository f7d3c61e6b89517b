import { execFile } from "node:child_process";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ANSWER, answerTalkative, COMMAND, TASK } from "../agents/agent-upstream.ts";
import { folderOf, type Installable, install } from "../agents/agents.ts";
import { readSection, rowOf, Successes, TRIES_ALL, WIRES, writeTable } from "../agents/compatibility-table.ts";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

const run = promisify(execFile);
const RUN_MS_MAX = 120_000;

interface Client extends Installable {
  readonly name: string;
  /** The program beside this file that uses the library: a tool is called, its result handed back, whole and streamed. */
  readonly script: string;
}

/** A library of the registry, at a fixed version, with what it needs. */
function library(name: string, script: string, ...packages: readonly string[]): Client {
  const [first = ""] = packages;
  return { name, script, packages, program: join(first.slice(0, first.lastIndexOf("@")), "package.json") };
}

const CLIENTS: readonly Client[] = [
  library("AI SDK 4", "ai-sdk", "ai@4.3.19", "@ai-sdk/openai@1.3.24", "zod@3.25.76"),
  library("AI SDK 5", "ai-sdk", "ai@5.0.277", "@ai-sdk/openai@2.0.130", "zod@4.1.13"),
  library("AI SDK 6", "ai-sdk", "ai@6.0.326", "@ai-sdk/openai@3.0.139", "zod@4.1.13"),
  library("AI SDK 7", "ai-sdk", "ai@7.0.170", "@ai-sdk/openai@4.0.115", "zod@4.1.13"),
  library("OpenAI Agents SDK", "openai-agents", "@openai/agents@0.20.0", "zod@4.1.13"),
  library("Mistral's library", "mistral", "@mistralai/mistralai@2.7.0"),
  library("Groq's library", "groq", "groq-sdk@1.6.0"),
  library("OpenRouter's library", "openrouter", "@openrouter/sdk@1.3.19"),
  library("Ollama's library", "ollama", "ollama@0.6.4"),
  library("Instructor", "instructor", "@instructor-ai/instructor@1.7.0", "openai@4.104.0", "zod@3.25.76"),
];

const successes = new Successes();
let service: StartedService;
let upstream: Upstream;

beforeAll(async () => {
  [service, upstream] = await Promise.all([startService(), startUpstream(answerTalkative)]);
  for (const { wire, base, model } of WIRES)
    await registerUpstream(
      service,
      { wire, name: `client-${wire}`, endpoint: `${upstream.url}${base}` },
      { upstream_model: model, context_window: 400_000 },
    );
});
afterAll(async () => {
  await service.stop();
  await upstream.close();
});

describe.each(CLIENTS)("$name", (client) => {
  const wires = WIRES.filter((_, index) => TRIES_ALL || index === CLIENTS.indexOf(client) % WIRES.length);
  it.each(wires)(
    "calls a tool and hands its result back, whole and streamed, with a model of $name",
    async ({ wire }) => {
      await install(client);
      // A program finds its packages from the folder that it is in.
      const program = join(folderOf(client), `${client.script}.mjs`);
      await copyFile(fileURLToPath(new URL(`./${client.script}.mjs`, import.meta.url)), program);
      const env = {
        PATH: process.env.PATH,
        TRUNKLINE_URL: service.url,
        TRUNKLINE_KEY: OPERATOR_KEY,
        MODEL: `client-${wire}`,
        TASK,
        ANSWER,
      };
      const { stdout } = await run(process.execPath, [program], { env, timeout: RUN_MS_MAX });
      const printed = stdout.trim().split("\n").at(-1) ?? "";
      expect(JSON.parse(printed)).toEqual({ ran: [COMMAND, COMMAND], texts: [ANSWER, ANSWER] });
      successes.add(client, wire);
    },
  );
});

it("the table of libraries in the documentation has the versions that are tried", async () => {
  if (TRIES_ALL) await writeTable("clients", "library", CLIENTS, successes);
  const rows = await readSection("clients");
  for (const client of CLIENTS) expect(rows).toMatch(rowOf(client));
});
