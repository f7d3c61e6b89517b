import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";
import { ANSWER, answerAgent, HELPER_ANSWER, HELPER_TASK, TASK } from "./agent-upstream.ts";
import { AGENTS, type Agent, install, runAgent } from "./agents.ts";
import { readSection, rowOf, Successes, TRIES_ALL, WIRES, writeTable } from "./compatibility-table.ts";

const isTried = (agent: Agent, wire: string) => TRIES_ALL || WIRES[AGENTS.indexOf(agent) % WIRES.length]?.wire === wire;

const successes = new Successes();
let service: StartedService;
let upstream: Upstream;
let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "trunkline-agents-"));
  [service, upstream] = await Promise.all([startService(), startUpstream(answerAgent)]);
  for (const { wire, base, model } of WIRES) {
    const endpoint = `${upstream.url}${base}`;
    const more = { upstream_model: model, context_window: 400_000 };
    await registerUpstream(service, { wire, name: `agent-${wire}`, endpoint }, more);
  }
});
afterAll(async () => {
  await service.stop();
  await upstream.close();
  await rm(root, { recursive: true, force: true });
});

describe.each(AGENTS)("$name", (agent) => {
  it.each(WIRES.filter(({ wire }) => isTried(agent, wire)))(
    "uses its tools and answers, with its defaults and a model of $name",
    async ({ wire }) => {
      const program = await install(agent);
      const home = await mkdtemp(join(root, "home-"));
      const folder = join(home, "work");
      await mkdir(folder);
      const setting = {
        url: service.url,
        key: OPERATOR_KEY,
        model: `agent-${wire}`,
        prompt: TASK,
        home,
        folder,
      };

      const printed = await runAgent(agent, program, setting);

      expect(printed).toContain(ANSWER);
      expect(await readFile(join(folder, "made.txt"), "utf8")).toBe("written-by-the-agent\n");
      successes.add(agent, wire);
    },
  );
});

describe("Claude Code", () => {
  const [claudeCode] = AGENTS;
  /** Runs it again and again in one home. */
  async function openClaude() {
    if (claudeCode === undefined) throw new Error("Claude Code is the first of the agents.");
    const program = await install(claudeCode);
    const home = await mkdtemp(join(root, "home-"));
    const setting = { url: service.url, key: OPERATOR_KEY, model: "agent-anthropic", home, folder: home };
    return (prompt: string, ...options: string[]) => runAgent(claudeCode, program, { ...setting, prompt, options });
  }

  it("lets a helper of its own work, and gets its answer", async () => {
    const claude = await openClaude();
    upstream.requests.length = 0;
    expect(await claude(HELPER_TASK)).toContain(ANSWER);
    const last = upstream.requests.findLast(({ body }) => body.includes(HELPER_TASK));
    expect(last?.body.toString("utf8")).toContain(HELPER_ANSWER);
  });

  it("goes on with a conversation, and sends all of it again", async () => {
    const claude = await openClaude();
    for (let turn = 1; turn <= 2; turn++) {
      upstream.requests.length = 0;
      const printed = await claude(`What about question ${turn}?`, ...(turn === 1 ? [] : ["--continue"]));
      expect(printed).toContain(ANSWER);
      const sent = upstream.requests.findLast(({ body }) => body.includes(`question ${turn}?`))?.body.toString("utf8");
      for (let earlier = 1; earlier <= turn; earlier++) expect(sent).toContain(`question ${earlier}?`);
    }
    const { json } = await service.call("GET", "/v1/requests?limit=1");
    expect(json.data[0]).toMatchObject({ status: 200, path: "/anthropic/v1/messages" });
  });
});

it("the table of agents in the documentation has the versions that are tried", async () => {
  if (TRIES_ALL) await writeTable("agents", "agent", AGENTS, successes);
  const rows = await readSection("agents");
  for (const agent of AGENTS) expect(rows).toMatch(rowOf(agent));
});
