import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The program as it is started by an operator. */
export const PROGRAM = fileURLToPath(new URL("../server/bin/trunkline.mjs", import.meta.url));

/** Where a service said that it dies, and whose requests that decides. */
export interface CrashNote {
  readonly point: string;
  readonly requestIds: readonly string[];
}

export type ExitStatus = number | NodeJS.Signals | null;

const LINES_KEPT = 30;
const LINES_REPORTED = 6;
/** Far more than a start takes, with all that PostgreSQL may have to recover. */
const START_LIMIT_MS = 300_000;
/** The level of a bug in the log's lines. */
const ERROR_LEVEL = 50;

/** One instance of the service, through all its lives. */
export class Instance {
  readonly name: string;
  readonly #folder: string;
  readonly #environment: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;
  #ended: Promise<ExitStatus> = Promise.resolve(null);
  /** How its life may end: not at all, by a kill, or in order. */
  #end: "never" | "killed" | "stopped" = "stopped";
  #isRetired = false;
  #lines: string[] = [];
  /** Where it listens, while it does. */
  url: string | undefined;
  /** Its own deaths at crash points. */
  readonly crashes: CrashNote[] = [];
  /** What must never happen to it: unexpected exits, and bugs in its log. */
  readonly troubles: string[] = [];

  constructor(name: string, folder: string, environment: Readonly<Record<string, string>>) {
    this.name = name;
    this.#folder = folder;
    this.#environment = environment;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves when the life that runs now is over. */
  get ended(): Promise<ExitStatus> {
    return this.#ended;
  }

  /** Starts it, and says whether it came up. `crashPoints`: it is to kill itself some time. */
  async start(crashPoints?: string): Promise<boolean> {
    if (this.#isRetired) return false;
    this.#end = crashPoints === undefined ? "never" : "killed";
    const child = spawn(process.execPath, [PROGRAM], {
      cwd: this.#folder,
      env: {
        PATH: process.env.PATH,
        HOME: this.#folder,
        PORT: "0",
        TRUNKLINE_LOG_LEVEL: "warn",
        // A crash must end the whole service.
        TRUNKLINE_WORKERS: "1",
        ...this.#environment,
        ...(crashPoints === undefined ? {} : { TRUNKLINE_CRASH_POINTS: crashPoints }),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    this.#lines = [];
    this.#ended = new Promise((resolve) => {
      child.once("close", (code, signal) => {
        this.url = undefined;
        const status = code ?? signal;
        if (this.#end === "never" || (this.#end === "killed" && status !== "SIGKILL"))
          this.troubles.push(
            `${this.name} ended on its own (${status}): ${this.#lines.slice(-LINES_REPORTED).join(" | ")}`,
          );
        resolve(status);
      });
    });
    createInterface({ input: child.stderr }).on("line", (line) => this.#hear(line));
    const address = new Promise<string>((resolve) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        this.#keep(line);
        const url = / ready at (http:\/\/\S+)/.exec(line)?.[1];
        if (url !== undefined) resolve(url);
      });
    });
    const late = setTimeout(() => {
      this.troubles.push(`${this.name} did not come up: ${this.#lines.slice(-LINES_REPORTED).join(" | ")}`);
      this.kill();
    }, START_LIMIT_MS);
    const url = await Promise.race([address, this.#ended.then(() => undefined)]);
    clearTimeout(late);
    // It may have died in the very moment in which it was ready.
    if (url === undefined || child.exitCode !== null || child.signalCode !== null) return false;
    this.url = url;
    return true;
  }

  /** As the power does: at once. */
  kill(): void {
    this.#end = "killed";
    this.#child?.kill("SIGKILL");
  }

  /** In order. Resolves with its exit status. */
  async stop(): Promise<ExitStatus> {
    this.#end = "stopped";
    this.#child?.kill("SIGTERM");
    return this.#ended;
  }

  /** Stops it for good: a later start reports that it did not come up. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    await this.stop();
  }

  #hear(line: string): void {
    this.#keep(line);
    if (!line.startsWith("{")) return;
    const { crashPoint, requestIds = [], level = 0, msg = "" } = parse(line);
    if (crashPoint !== undefined) this.crashes.push({ point: crashPoint, requestIds });
    if (level >= ERROR_LEVEL) this.troubles.push(`${this.name} logged a bug: ${msg} ${line.slice(0, 600)}`);
  }

  #keep(line: string): void {
    if (line.trim() === "") return;
    appendFileSync(join(this.#folder, `${this.name}.log`), `${line}\n`);
    this.#lines.push(line);
    if (this.#lines.length > LINES_KEPT) this.#lines.shift();
  }
}

interface LogLine {
  readonly crashPoint?: string;
  readonly requestIds?: readonly string[];
  readonly level?: number;
  readonly msg?: string;
}

function parse(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    // A kill may cut a line in two.
    return {};
  }
}
