import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ServiceManagerConfig } from "./config/service-manager-config.ts";

/** How many signs of life are sent within the time after which the service counts as hung. */
const SIGNS_OF_LIFE = 3;
const NOTIFY_MS_MAX = 10_000;

/**
 * Tells systemd that the service runs, that it stops, and, again and again, that it is alive. A process whose loop hangs gives no
 * sign of life, and systemd restarts it. Node has no datagram sockets of the Unix kind, so systemd's own program does the telling.
 */
export class ServiceManager {
  readonly #config: ServiceManagerConfig;
  readonly #warn: (error: unknown) => void;
  readonly #program: string;
  #timer: NodeJS.Timeout | undefined;
  #isTelling = false;

  constructor(config: ServiceManagerConfig, warn: (error: unknown) => void, program = "systemd-notify") {
    this.#config = config;
    this.#warn = warn;
    this.#program = program;
  }

  async tellReady(): Promise<void> {
    const { watchdogMs } = this.#config;
    if (watchdogMs !== undefined) {
      this.#timer = setInterval(() => void this.#tellAlive(), watchdogMs / SIGNS_OF_LIFE);
      this.#timer.unref();
    }
    await this.#tell("READY=1", "STATUS=Serves requests.");
  }

  async tellStopping(): Promise<void> {
    // From now on systemd waits for the end, for as long as the unit says.
    clearInterval(this.#timer);
    await this.#tell("STOPPING=1", "STATUS=Finishes running requests.");
  }

  async #tellAlive(): Promise<void> {
    if (this.#isTelling) return;
    this.#isTelling = true;
    await this.#tell("WATCHDOG=1");
    this.#isTelling = false;
  }

  async #tell(...lines: string[]): Promise<void> {
    try {
      await promisify(execFile)(this.#program, lines, {
        timeout: NOTIFY_MS_MAX,
        env: { NOTIFY_SOCKET: this.#config.socket },
      });
    } catch (error) {
      this.#warn(error);
    }
  }
}
