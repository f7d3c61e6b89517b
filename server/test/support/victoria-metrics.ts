import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { unpackProgram } from "@trunkline/testing/system-package.ts";

/** VictoriaMetrics, a store of metrics that takes OTLP in protobuf's form and answers Prometheus' queries. */
export interface VictoriaMetrics {
  /** Where metrics are sent by OTLP. */
  readonly metricsEndpoint: string;
  /** The newest values of a query, by their labels. */
  query(
    query: string,
  ): Promise<readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[]>;
  stop(): Promise<void>;
}

export async function startVictoriaMetrics(): Promise<VictoriaMetrics> {
  // That of Debian 12 does not take OTLP yet, and no Prometheus of Debian does.
  const program = unpackProgram("usr/bin/victoria-metrics", "victoria-metrics", "trixie");
  const folder = await mkdtemp(join(tmpdir(), "trunkline-victoria-"));
  const port = await freePort();
  const server = spawn(
    program,
    [`-storageDataPath=${folder}`, `-httpListenAddr=127.0.0.1:${port}`, "-search.latencyOffset=0s"],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const ended = once(server, "exit");
  let said = "";
  server.stderr.on("data", (piece: Buffer) => {
    said += piece.toString();
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await isReady(url))) {
    if (server.exitCode !== null) throw new Error(`VictoriaMetrics ended.\n${said}`);
    await Promise.race([ended, wait(50)]);
  }
  return {
    metricsEndpoint: `${url}/opentelemetry/v1/metrics`,
    async query(query) {
      const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(query)}`);
      const { data } = (await response.json()) as {
        data: { result: { metric: Record<string, string>; value: [number, string] }[] };
      };
      return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
    },
    async stop() {
      server.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`)).ok;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
