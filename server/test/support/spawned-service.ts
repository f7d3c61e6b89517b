import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const PROGRAM = fileURLToPath(new URL("../../bin/trunkline.mjs", import.meta.url));

/** A limit for the configuration file: no load balancer looks at these services, so that a stop need not wait for one. */
export const NO_LAME_DUCK = "lame_duck_ms: 0";

/** The service as a process of its own, as an operator starts it. */
export class SpawnedService {
  readonly #child: ChildProcess;
  #stdout = "";
  #stderr = "";
  /** How it ended: its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  #isOver = false;

  /**
   * Only the given variables are set, so that the terminal's own can't change what is tested. One process serves unless
   * they say otherwise.
   */
  constructor(folder: string, environment: Readonly<Record<string, string>>, program = PROGRAM) {
    this.#child = spawn(process.execPath, [program], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, PORT: "0", TRUNKLINE_WORKERS: "1", ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child.stdout?.on("data", (chunk: Buffer) => {
      this.#stdout += chunk.toString();
    });
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      this.#stderr += chunk.toString();
    });
    this.ended = new Promise((resolve) => {
      this.#child.once("close", (code, signal) => {
        this.#isOver = true;
        resolve(code ?? signal);
      });
    });
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Everything it printed. */
  get said(): string {
    return this.#stdout + this.#stderr;
  }

  /** Where it listens, once it does. */
  async url(): Promise<string> {
    for (;;) {
      const url = / ready at (https?:\/\/\S+)/.exec(this.#stdout)?.[1];
      if (url !== undefined && this.#stdout.includes("curl ")) return url;
      if (this.#isOver) throw new Error(`It ended before it was ready.\n${this.said}`);
      await Promise.race([this.ended, new Promise((resolve) => setTimeout(resolve, 20))]);
    }
  }

  /** The processes that serve the port, where there are several. */
  async workerPids(): Promise<number[]> {
    const { stdout } = await promisify(execFile)("ps", ["-A", "-ww", "-o", "pid=,ppid=,stat=,args="]);
    return stdout
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([, parent, state]) => Number(parent) === this.#child.pid && state?.startsWith("Z") !== true)
      .filter((words) => words.at(-1) === "worker")
      .map(([pid]) => Number(pid));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async stop(): Promise<number | NodeJS.Signals | null> {
    this.signal("SIGTERM");
    return this.ended;
  }
}

/** Runs a command of the operator's command line to its end. */
export async function runCommand(
  folder: string,
  environment: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly text: string }> {
  const env = { PATH: process.env.PATH, HOME: folder, ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), text: stdout + stderr });
    });
  });
}

/** Folders and processes of one test file, removed at its end in any case. */
export class ProcessSandbox {
  readonly #folders: string[] = [];
  readonly #services: SpawnedService[] = [];

  /** A folder for a service to run in, with a configuration file that a test may replace. */
  async folder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "trunkline-process-"));
    // As root the embedded server runs as another user, who must be able to pass through.
    await chmod(folder, 0o755);
    await writeFile(join(folder, "trunkline.yaml"), `limits: { ${NO_LAME_DUCK} }\n`);
    this.#folders.push(folder);
    return folder;
  }

  start(folder: string, environment: Readonly<Record<string, string>>): SpawnedService {
    const service = new SpawnedService(folder, environment);
    this.#services.push(service);
    return service;
  }

  /** Everything that any of them printed. */
  get said(): string {
    return this.#services.map((service) => service.said).join("");
  }

  async clear(): Promise<void> {
    await Promise.all(this.#services.map((service) => service.stop()));
    await Promise.all(this.#folders.map((folder) => rm(folder, { recursive: true, force: true })));
  }
}
