import { writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { answerPlainly, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { processesOn } from "../support/embedded-trial.ts";
import { ProcessSandbox, type SpawnedService } from "../support/spawned-service.ts";

/** The operator's key, as the first start shows it. */
let key = "";
const sandbox = new ProcessSandbox();
let provider: ScriptedProvider;

beforeAll(async () => {
  provider = await startProvider();
});
afterAll(async () => {
  await sandbox.clear();
  await provider.stop();
});

const settingsWith = (more = "") => `
limits: { requests_per_minute: 1000000, burst: 1000000 }
models:
  - name: plain
    type: text
    endpoint: ${provider.endpoint}
    pricing: { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002 }
${more}`;

interface Reply {
  readonly status: number;
  readonly connection: string | undefined;
  readonly text: string;
}

/** One exchange. Without an agent it has a connection of its own, which any worker may get. */
function exchange(url: string, path: string, body?: unknown, agent?: Agent): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url + path, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      agent: agent ?? new Agent({ keepAlive: false }),
    });
    outgoing.on("error", reject);
    outgoing.on("response", (response) => {
      let text = "";
      response.on("data", (piece: Buffer) => {
        text += piece.toString();
      });
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, connection: response.headers.connection, text }),
      );
    });
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

// One service's life: each test goes on where the one before stopped.
describe("a service of two workers", () => {
  let folder: string;
  let service: SpawnedService;
  let url: string;

  const ask = (agent?: Agent) =>
    exchange(url, "/v1/ai/request", { task: "chat", input: "Hello", model: "plain" }, agent);
  /** The answers that the metrics count. */
  const counted = async () => {
    const { text } = await exchange(url, "/metrics");
    return Number(/^trunkline_requests_total\{path="\/v1\/ai\/request",status="200"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  /** The worker that a new connection reaches, by its name as an instance. */
  const answeringWorker = async () => {
    const { instances } = JSON.parse((await exchange(url, "/v1/admin/health")).text);
    return instances.find((instance: { this: boolean }) => instance.this)?.id as string;
  };
  /** Waits until as many workers answer, and returns their names. */
  const answeringWorkers = async (count: number) => {
    const names = new Set<string>();
    await expect.poll(async () => names.add(await answeringWorker()).size, { interval: 5 }).toBe(count);
    return [...names];
  };

  beforeAll(async () => {
    folder = await sandbox.folder();
    await writeFile(join(folder, "trunkline.yaml"), settingsWith());
    service = sandbox.start(folder, {
      TRUNKLINE_DATA_DIR: join(folder, "data"),
      TRUNKLINE_WORKERS: "2",
    });
    url = await service.url();
  });

  it("shows one key and one log-in at its first start, which work", async () => {
    const keys = [...new Set(service.stdout.match(/tl_[0-9A-Za-z]{38}/g))];
    expect(keys).toHaveLength(1);
    [key = ""] = keys;
    expect(JSON.parse((await exchange(url, "/v1/balance")).text)).toMatchObject({ balance: 1000 });
    const token = /\/first-login#([\w-]{43})\n/.exec(service.stdout)?.[1];
    const person = { email: "op@example.test", name: "Op", password: "orchid tractor velvet moon" };
    expect((await exchange(url, "/v1/auth/first-login", { ...person, token })).status).toBe(200);
  });

  it("answers with both of them, and each is ready", async () => {
    expect(await service.workerPids()).toHaveLength(2);
    await answeringWorkers(2);
    for (let time = 0; time < 4; time++) expect((await exchange(url, "/readyz")).status).toBe(200);
    expect(service.stdout.match(/is ready at/g)).toHaveLength(1);
  });

  it("counts the requests of both in the metrics that either shows", async () => {
    for (let time = 0; time < 6; time++) expect((await ask()).status).toBe(200);
    for (let time = 0; time < 4; time++) expect(await counted()).toBe(6);
  });

  it("goes on without a worker that was killed, and replaces it", async () => {
    const before = await service.workerPids();
    const [killed = 0] = before;
    process.kill(killed, "SIGKILL");
    await expect.poll(() => service.stderr).toContain("A worker ended on its own.");
    for (let time = 0; time < 10; time++) expect((await ask()).status).toBe(200);
    await expect.poll(() => service.stderr).toContain("The worker is replaced.");
    const after = await service.workerPids();
    expect(after).toHaveLength(2);
    expect(after).not.toContain(killed);
    await answeringWorkers(2);
    expect(await counted()).toBe(16);
    const line = service.stderr.split("\n").find((text) => text.includes("ended on its own")) ?? "";
    expect(JSON.parse(line)).toMatchObject({ level: 50, process: killed, how: "SIGKILL" });
  });

  it("is replaced worker by worker at SIGHUP, and no request under load fails", async () => {
    const before = await service.workerPids();
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const replies: Reply[] = [];
    let isOver = false;
    const load = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        replies.push(await ask(agent));
        // The new workers need most of the machine to start.
        await wait(40);
      }
    });
    // The load must be there before the first worker is replaced, and also while a connection rests for a moment.
    await expect.poll(() => replies.length).toBeGreaterThan(20);
    const answeredBefore = await counted();
    service.signal("SIGHUP");
    await expect.poll(() => service.stderr).toContain("All workers are replaced.");
    isOver = true;
    await Promise.all(load);
    agent.destroy();
    // A machine that stands still for seconds makes the service refuse for the machine's sake, never for the replacement's.
    const isStandstill = ({ status, text }: Reply) =>
      status === 503 && /"overloaded"|store was away when this request was to be charged/.test(text);
    expect(replies.filter((reply) => reply.status !== 200 && !isStandstill(reply))).toEqual([]);
    const served = replies.filter(({ status }) => status === 200).length;
    expect(served).toBeGreaterThan(replies.length / 2);
    expect(replies.some(({ connection }) => connection === "close")).toBe(true);
    const after = await service.workerPids();
    expect(after).toHaveLength(2);
    for (const pid of before) expect(after).not.toContain(pid);
    await answeringWorkers(2);
    // Of those who answered, two have ended since. What they counted is still there.
    expect(await counted()).toBe(16 + served);
    expect(16 + served).toBeGreaterThan(answeredBefore);
  });

  it("keeps its workers where the new settings are wrong", async () => {
    const before = await service.workerPids();
    await writeFile(join(folder, "trunkline.yaml"), settingsWith("nonsense: true\n"));
    service.signal("SIGHUP");
    await expect
      .poll(() => service.stderr)
      .toContain("The configuration was not taken over, and the one before stays.");
    expect(service.stderr).toMatch(/trunkline\.yaml, line \d+: nonsense is not a known field\./);
    expect(new Set(await service.workerPids())).toEqual(new Set(before));
    expect((await ask()).status).toBe(200);
    await writeFile(join(folder, "trunkline.yaml"), settingsWith());
  });

  it("answers what runs when it is stopped, refuses the rest, and leaves no process behind", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    provider.calls.length = 0;
    provider.script = async (response, received) => {
      await released;
      await answerPlainly(response, received);
    };
    const answers = Array.from({ length: 4 }, () => ask());
    await expect.poll(() => provider.calls.length).toBe(4);
    const workers = await service.workerPids();
    service.signal("SIGTERM");
    await expect
      .poll(() =>
        exchange(url, "/healthz").then(
          () => "answers",
          () => "refuses",
        ),
      )
      .toBe("refuses");
    release();
    for (const answer of answers) expect((await answer).status).toBe(200);
    expect(await service.ended).toBe(0);
    expect(await processesOn(join(folder, "data"))).toEqual([]);
    for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    provider.script = answerPlainly;
  });

  it("logs the number of the worker with what a worker says", async () => {
    service = sandbox.start(folder, {
      TRUNKLINE_DATA_DIR: join(folder, "data"),
      TRUNKLINE_LOG_LEVEL: "info",
      TRUNKLINE_WORKERS: "2",
      // The warning about crash points is a worker's own.
      TRUNKLINE_CRASH_POINTS: "seed=7,quiet-ms=99999999,after-hold=0.5",
    });
    url = await service.url();
    const numbers = () =>
      service.stderr
        .split("\n")
        .filter((line) => line.includes("TRUNKLINE_CRASH_POINTS is set"))
        .map((line) => JSON.parse(line).worker);
    // The second one joins the first one, which serves already.
    await expect.poll(numbers).toEqual([1, 2]);
  });

  it("ends with a clear error where its workers die again and again", async () => {
    // A worker that lived for some time starts the count again, so this goes on until five in a row have died early.
    while (!service.isOver) {
      for (const pid of await service.workerPids()) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // It has ended meanwhile.
        }
      }
      await wait(50);
    }
    expect(await service.ended).toBe(1);
    expect(service.stdout).toMatch(/Trunkline ended\.\n5 workers in a row ended within 10 s of their start/);
    expect(await processesOn(join(folder, "data"))).toEqual([]);
  });

  it("fails as one, with one sentence, where the address is in use", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as AddressInfo;
    const dataDir = join(folder, "data");
    service = sandbox.start(folder, {
      TRUNKLINE_DATA_DIR: dataDir,
      TRUNKLINE_WORKERS: "2",
      PORT: String(port),
    });
    expect(await service.ended).toBe(1);
    expect(service.stdout).toMatch(
      /^Trunkline did not start\.\nThe address is in use: .*set PORT to another number\.\n$/,
    );
    expect(await service.workerPids()).toEqual([]);
    expect(await processesOn(dataDir)).toEqual([]);
    await new Promise((resolve) => taken.close(resolve));
  });
});
