import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureProgram } from "@trunkline/testing/system-package.ts";
import type { TestDatabase } from "./test-database.ts";

/** It refuses to run as root. */
const NOBODY = 65_534;
const RETRY_MS = 20;

/** A real PgBouncer before the run's PostgreSQL. */
export class PgBouncer {
  readonly #mode: "session" | "transaction";
  #process: ChildProcess | undefined;
  #folder: string | undefined;

  constructor(mode: "session" | "transaction") {
    ensureProgram("pgbouncer");
    this.#mode = mode;
  }

  /** Puts itself between a service and its store: for the second argument of `startService`. */
  reach = async (address: TestDatabase["address"]) => {
    const folder = await mkdtemp(join(tmpdir(), "trunkline-pgbouncer-"));
    this.#folder = folder;
    await chmod(folder, 0o755);
    const port = await freePort();
    const settings = {
      listen_addr: "127.0.0.1",
      listen_port: port,
      unix_socket_dir: "",
      auth_type: "any",
      pool_mode: this.#mode,
      max_client_conn: 100,
      default_pool_size: 40,
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    const target = `${address.database} = host=${address.host} port=${address.port} user=${address.user}`;
    const file = join(folder, "pgbouncer.ini");
    await writeFile(file, ["[databases]", target, "[pgbouncer]", ...lines, ""].join("\n"), { mode: 0o644 });
    const account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    this.#process = spawn("pgbouncer", ["-q", file], { ...account, cwd: "/", stdio: "ignore" });
    while (!(await isOpen(port))) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    return { ...address, host: "127.0.0.1", port };
  };

  async stop(): Promise<void> {
    const running = this.#process;
    if (running !== undefined && running.exitCode === null) {
      const ended = new Promise((resolve) => running.once("close", resolve));
      running.kill("SIGKILL");
      await ended;
    }
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
