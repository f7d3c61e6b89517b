import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { AGENTS, install } from "../agents/agents.ts";
import { registerUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService } from "../support/started-service.ts";
import { createMigratedDatabase, type TestDatabase } from "../support/test-database.ts";
import { type CodeBlock, ROOT } from "./code-blocks.ts";
import type { PageServices } from "./page-services.ts";
import { PICTURE, SPEECH } from "./stand-in-provider.ts";

const run = promisify(execFile);

/** Stands in for `npm`: an install has happened already, and a start is a real one on a database of the test. */
const NPM = `#!/bin/sh
case "$1" in
  ci) exit 0 ;;
  start) exec node "${join(ROOT, "server/test/documentation/start-once.mjs")}" ;;
  *) echo "The documentation test knows no npm $*" >&2; exit 1 ;;
esac
`;
/** Says the status of each answer, so that a block whose request is refused fails. */
const CURL = `#!/bin/sh
PATH=$REAL_PATH exec curl -sS "$@" -w '%{stderr}\\nSTATUS %{http_code} %{url_effective}\\n'
`;

/** Runs the blocks of one page in order, in one folder, against a service of the page's own. */
export class PageRunner {
  readonly #folder: string;
  readonly #service: StartedService;
  readonly #upstream: Upstream;
  /** For the services that the page itself starts. */
  readonly #database: TestDatabase | undefined;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #ports = new Map<number, number>();
  readonly #servers: ChildProcess[] = [];
  /** What the last shell block printed. */
  printed = "";
  /** The first JavaScript block of the page: later ones use its names. */
  #opening = "";
  #python = "";

  private constructor(
    folder: string,
    service: StartedService,
    upstream: Upstream,
    database: TestDatabase | undefined,
    environment: Readonly<Record<string, string>>,
  ) {
    this.#folder = folder;
    this.#service = service;
    this.#upstream = upstream;
    this.#database = database;
    this.#environment = environment;
  }

  static async start(services: PageServices, blocks: readonly CodeBlock[]): Promise<PageRunner> {
    const page = blocks.map(({ code }) => code).join("\n");
    const folder = await mkdtemp(join(tmpdir(), "trunkline-page-"));
    // As root, the embedded PostgreSQL runs as another user, who must be able to pass through.
    await chmod(folder, 0o755);
    const { upstream } = services;
    const service = await services.start();
    const database = page.includes("npm start") ? await createMigratedDatabase() : undefined;
    await fillFolder(folder, page);
    const environment = {
      PATH: `${join(folder, ".bin")}:${process.env.PATH}`,
      REAL_PATH: `${process.env.PATH}`,
      HOME: folder,
      PYTHONPATH: join(ROOT, "sdk-python/src"),
      PYTHONDONTWRITEBYTECODE: "1",
      TRUNKLINE_URL: service.url,
      TRUNKLINE_KEY: OPERATOR_KEY,
      DATABASE_URL: addressOf(service),
      TRUNKLINE_SECRET: "the tests' own secret",
      ...(database === undefined ? {} : { TEST_DATABASE_URL: database.url }),
      NO_COLOR: "1",
      CI: "1",
      ...(await prepareAccount(service, upstream, page)),
    };
    const runner = new PageRunner(folder, service, upstream, database, environment);
    if (/\b9100\b|word-report/.test(page)) await runner.#startReferenceProvider(page);
    return runner;
  }

  async stop(): Promise<void> {
    this.#stopServers();
    await this.#service.stop();
    await this.#database?.drop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Pages go on from the quick start, where the reference provider and its text model are set up. */
  async #startReferenceProvider(page: string): Promise<void> {
    const block = { file: "", line: 0, language: "sh", notRun: undefined, answers: undefined };
    await this.run({ ...block, code: "exec node examples/provider/provider.mjs", keepsRunning: 9100 });
    if (page.includes('"name": "word-report"')) return;
    const { status, text } = await this.#service.call("POST", "/v1/provider/models", {
      name: "word-report",
      type: "text",
      endpoint: `http://127.0.0.1:${this.#ports.get(9100)}/v1/generate`,
      auth_type: "bearer",
      credential: "demo-key",
      pricing: { input_per_1k_tokens: 0.0001, output_per_1k_tokens: 0.0002 },
      streaming: true,
    });
    if (status !== 201) throw new Error(text);
  }

  async run(block: CodeBlock): Promise<void> {
    const code = await this.#onThisMachine(block.code);
    if (block.language === "sh") await this.#runShell(block, code);
    else if (block.language === "python") await this.#runPython(block, code);
    else if (block.language === "yaml") await this.#keepFile(code);
    else await this.#runJavaScript(block, code);
  }

  /** The pages name the usual ports and the providers' own addresses. Here each has another. */
  async #onThisMachine(code: string): Promise<string> {
    for (const port of [9000, 9100])
      if (new RegExp(`\\b${port}\\b|provider\\.mjs`).test(code) && !this.#ports.has(port))
        this.#ports.set(port, await freePort());
    return code
      .replaceAll(/http:\/\/(?:127\.0\.0\.1|localhost):8080/g, this.#service.url)
      .replaceAll(
        /http:\/\/(?:127\.0\.0\.1|localhost):11434|https:\/\/(?:api\.openai\.com|api\.anthropic\.com|generativelanguage\.googleapis\.com|bedrock-runtime\.[\w-]+\.amazonaws\.com)/g,
        this.#upstream.url,
      )
      .replaceAll(/\b(9000|9100)\b/g, (port) => String(this.#ports.get(Number(port))))
      .replaceAll("npx trunkline", `node ${join(ROOT, "server/bin/trunkline.mjs")}`);
  }

  async #runShell(block: CodeBlock, code: string): Promise<void> {
    const state = join(this.#folder, ".state");
    const script = `set -aeo pipefail\n[ -f ${state} ] && . ${state}\n${code}\nexport -p > ${state}\n`;
    const port = this.#ports.get(9100);
    const environment = /provider\.mjs/.test(code) && port !== undefined ? { PORT: String(port) } : {};
    if (block.keepsRunning !== undefined) return this.#keepRunning(block, "bash", ["-c", script], environment);
    const { stdout, stderr } = await this.#start("bash", ["-c", script], environment);
    this.printed = stdout;
    const refused = Array.from(stderr.matchAll(/^STATUS (\d+) (.*)$/gm), ([, status, url]) => ({
      status: Number(status),
      url,
    }));
    const wanted = block.answers;
    const isWrong =
      wanted === undefined ? refused.some(({ status }) => status >= 400) : refused.at(-1)?.status !== wanted;
    if (isWrong) throw new Error(`${JSON.stringify(refused)}\n${stdout}`);
  }

  /** A configuration file whose first line says its name is there for the blocks after it. */
  async #keepFile(text: string): Promise<void> {
    const name = /^# ([\w.-]+)$/m.exec(text)?.[1];
    if (name !== undefined) await writeFile(join(this.#folder, name), text);
  }

  async #runJavaScript(block: CodeBlock, code: string): Promise<void> {
    const parts = [this.#opening, code].map(splitImports);
    const imports = new Set(parts.flatMap((part) => part.imports));
    const program = [...imports, parts[0]?.rest ?? "", "{", parts[1]?.rest ?? "", "}"].join("\n");
    if (this.#opening === "") this.#opening = code;
    const file = join(this.#folder, "block.mjs");
    await writeFile(file, (await transform(program, { loader: "ts", target: "node20" })).code);
    if (block.keepsRunning !== undefined) {
      this.#opening = "";
      return this.#keepRunning(block, process.execPath, [file], {});
    }
    // In the checkout the TypeScript library is its source.
    const loader = program.includes("@trunkline/sdk") ? ["--import", "tsx"] : [];
    await this.#start(process.execPath, [...loader, file], {});
  }

  /** A later block of a page goes on where the one before ended. */
  async #runPython(block: CodeBlock, code: string): Promise<void> {
    if (block.keepsRunning !== undefined) return this.#keepRunning(block, "python3", ["-c", code], {});
    this.#python += code;
    await this.#start("python3", ["-c", this.#python], {});
  }

  #start(program: string, args: readonly string[], environment: Readonly<Record<string, string>>) {
    const env = { ...this.#environment, ...environment };
    // What earlier shell blocks set is in the environment of the next program, too.
    const script = `[ -f .state ] && . ./.state; exec "$@"`;
    const running = run("bash", ["-c", script, "-", program, ...args], {
      cwd: this.#folder,
      env,
      maxBuffer: 32 * 1024 * 1024,
    });
    running.child.stdin?.end();
    return running;
  }

  /** Starts a server, instead of one that an earlier block started at its port, and waits until it accepts connections. */
  async #keepRunning(
    block: CodeBlock,
    program: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
  ): Promise<void> {
    const port = this.#ports.get(Number(block.keepsRunning)) ?? 0;
    this.#stopServers();
    await untilPort(port, false);
    const env = { ...this.#environment, ...environment };
    const server = spawn(program, args, { cwd: this.#folder, env, stdio: "ignore", detached: true });
    this.#servers.push(server);
    const ended = new Promise<never>((_, reject) => {
      server.once("exit", (code) => reject(new Error(`The server ended with ${code}.`)));
    });
    ended.catch(() => undefined);
    await Promise.race([untilPort(port, true), ended]);
  }

  /** Each is the first of a group of processes: a shell with the server that it started. */
  #stopServers(): void {
    for (const { pid } of this.#servers.splice(0)) if (pid !== undefined) process.kill(-pid, "SIGKILL");
  }
}

/** What a reader has: the checkout, the commands, the agents, and the files that examples send. */
async function fillFolder(folder: string, page: string): Promise<void> {
  const bin = join(folder, ".bin");
  await mkdir(bin);
  for (const name of ["node_modules", "examples", "sdk-python", "server"])
    await symlink(join(ROOT, name), join(folder, name));
  for (const [name, text] of [
    ["npm", NPM],
    ["curl", CURL],
  ] as const) {
    await writeFile(join(bin, name), text);
    await chmod(join(bin, name), 0o755);
  }
  for (const agent of AGENTS) {
    const command = agent.program.split("/").at(-1) ?? "";
    if (new RegExp(`^${command} `, "m").test(page)) await symlink(await install(agent), join(bin, command));
  }
  await writeFile(join(folder, "plan.pdf"), "%PDF-1.4\n%%EOF\n");
  await writeFile(join(folder, "report.txt"), "The first train leaves at six. The last one leaves at midnight.\n");
  await writeFile(join(folder, "speech.mp3"), SPEECH);
  await writeFile(join(folder, "cat.png"), PICTURE);
}

/** The models that can't be discovered, and the objects that pages name by variables: those that this page names. */
async function prepareAccount(
  service: StartedService,
  upstream: Upstream,
  page: string,
): Promise<Record<string, string>> {
  const openai = { wire: "openai", endpoint: `${upstream.url}/v1` } as const;
  const cohere = { wire: "cohere", endpoint: upstream.url } as const;
  const ranker = { capabilities: ["rerank"], pricing: { input_per_1k_tokens: 0, per_request: 0.002 } };
  const listener = { capabilities: ["transcription"], pricing: { per_second: 0.0001 } };
  for (const [name, wire, terms] of [
    ["rerank-v3.5", cohere, { type: "embedding", ...ranker }],
    ["whisper-1", openai, { type: "audio", ...listener }],
    ["gpt-image-1", openai, { type: "image", pricing: { per_image: 0.04 } }],
  ] as const)
    if (page.includes(`"${name}"`)) await registerUpstream(service, { ...wire, name }, terms);

  const create = async (path: string, body: unknown) => {
    const { status, json, text } = await service.call("POST", path, body);
    if (status >= 300) throw new Error(`${path}: ${text}`);
    return json;
  };
  const makers: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
    KEY_ID: async () => ({ KEY_ID: (await create("/v1/keys", { name: "of the page", scopes: ["inference"] })).id }),
    ACCOUNT_ID: async () => ({ ACCOUNT_ID: (await create("/v1/admin/accounts", { name: "Of the page" })).id }),
    WEBHOOK_: async () => {
      const { id, secret } = await create("/v1/webhooks", { url: `${upstream.url}/hook`, events: ["balance.low"] });
      return { WEBHOOK_ID: id, WEBHOOK_SECRET: secret };
    },
    CODE: async () => ({ CODE: (await create("/v1/admin/codes", { credits: 5, count: 1 })).data[0].code }),
    REQUEST_ID: async () => {
      const asked = await service.call("POST", "/v1/generate", { input: "What is Trunkline?", model: "guide" });
      return { REQUEST_ID: asked.headers.get("x-request-id") ?? "" };
    },
    MODEL_ID: async () => ({ MODEL_ID: (await service.call("GET", "/v1/admin/models")).json.data[0].id }),
  };
  const made: Record<string, string> = {};
  for (const [name, make] of Object.entries(makers))
    if (new RegExp(`\\b${name}`).test(page)) Object.assign(made, await make());
  return made;
}

function addressOf({ address }: StartedService): string {
  if (!("host" in address)) throw new Error("The service has no database of its own.");
  const { host, port, user, database } = address;
  return `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(String(host))}`;
}

/** Imports stay at the top of a program when the rest is put into a block. */
function splitImports(code: string): { imports: string[]; rest: string } {
  const imports = code.match(/^import [^;]*;$/gm) ?? [];
  return { imports, rest: code.replaceAll(/^import [^;]*;$/gm, "") };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Waits until a port accepts connections, or until it no longer does. */
async function untilPort(port: number, isOpen: boolean): Promise<void> {
  const tryOnce = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
  while ((await tryOnce()) !== isOpen) await new Promise((resolve) => setTimeout(resolve, 20));
}
