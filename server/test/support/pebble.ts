import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { get } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ensureProgram } from "@trunkline/testing/system-package.ts";
import type { TestAuthority } from "./test-certificate.ts";

/** An ACME server that looks for every domain on this machine. */
export interface Pebble {
  readonly directory: string;
  stop(): Promise<void>;
}

/** Starts one. It looks for challenges at these ports; its own certificate is of the authority. */
export async function startPebble(
  authority: TestAuthority,
  ports: { readonly http: number; readonly tls: number },
): Promise<Pebble> {
  ensureProgram("/usr/bin/pebble");
  const [port, management, dns, dnsManagement] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const { cert, key } = await authority.issue("pebble.test");
  const config = join(authority.folder, `pebble-${port}.json`);
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: cert,
    privateKey: key,
    httpPort: ports.http,
    tlsPort: ports.tls,
    ocspResponderURL: "",
  };
  await writeFile(config, JSON.stringify({ pebble }));
  const environment = { ...process.env, PEBBLE_VA_NOSLEEP: "1" };
  const names = spawn(
    "pebble-challtestsrv",
    [
      "-dns01",
      `127.0.0.1:${dns}`,
      "-management",
      `127.0.0.1:${dnsManagement}`,
      "-http01",
      "",
      "-https01",
      "",
      "-tlsalpn01",
      "",
      "-defaultIPv4",
      "127.0.0.1",
      "-defaultIPv6",
      "",
    ],
    { stdio: "ignore" },
  );
  const server = spawn("pebble", ["-config", config, "-dnsserver", `127.0.0.1:${dns}`], {
    stdio: "ignore",
    env: environment,
  });
  const directory = `https://127.0.0.1:${port}/dir`;
  await untilAnswered(directory, authority.ca, server);
  return {
    directory,
    async stop() {
      await Promise.all([end(server), end(names)]);
    },
  };
}

async function untilAnswered(url: string, ca: string, server: ChildProcess): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`pebble ended with ${server.exitCode}.`);
    const isThere = await new Promise<boolean>((resolve) => {
      get(url, { ca }, (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      }).on("error", () => resolve(false));
    });
    if (isThere) return;
    await wait(50);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
