import { StartupError } from "@trunkline/core/fault.ts";
import { createLogger } from "@trunkline/core/log.ts";
import { startEmbeddedPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import { EmbeddedPostgresError } from "@trunkline/local-postgres/errors.ts";
import type { CopyDatabase } from "@trunkline/local-postgres/upgrade-cluster.ts";
import { readConfig, readStoreLocation } from "./app/config/config.ts";
import type { RunningService, ServiceOverrides } from "./app/run-service.ts";

const USAGE = `Usage: trunkline [start]
       trunkline check-provider <url> [--key K] [--auth bearer|x-api-key|none] [--type text|image|audio|multimodal|embedding] [--streaming] [--wire W --model M]
       trunkline audit
       trunkline predict --models <catalogue.json> --prompts <file.jsonl> [--evidence <outcomes.jsonl>]`;

/** The command line: `trunkline` starts the service, `check-provider <url>` checks a provider, `audit` the ledger, `predict` predicts quality. */
export async function main(args: readonly string[], serviceOverrides?: ServiceOverrides): Promise<void> {
  const [command, ...rest] = args;
  if (command === "check-provider") {
    const { checkProviderCommand } = await import("./app/commands/check-provider.ts");
    process.exitCode = await checkProviderCommand(rest, print);
  } else if (command === "audit") {
    const { auditCommand } = await import("./app/commands/audit.ts");
    process.exitCode = await auditCommand(rest, readStoreLocation, print);
  } else if (command === "predict") {
    const { predictCommand } = await import("./app/commands/predict.ts");
    process.exitCode = await predictCommand(rest, print);
  } else if (command === undefined || command === "start") {
    await start(serviceOverrides);
  } else {
    print(USAGE);
    process.exitCode = command === "help" || command === "--help" ? 0 : 2;
  }
}

/** Runs the service until a signal stops it. A signal during the start takes effect once the start is complete. */
async function start(serviceOverrides: ServiceOverrides | undefined): Promise<void> {
  const opening = openService(serviceOverrides);
  let isStopping = false;
  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    void opening.then(stopService, () => undefined);
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  try {
    print((await opening).startBanner);
  } catch (error) {
    fail(`Trunkline did not start.\n${explain(error)}`);
  }
}

/** The database starts while the rest of the program is still being read: together they are the wait for the first start. */
async function openService(serviceOverrides: ServiceOverrides | undefined): Promise<RunningService> {
  const config = readConfig();
  const log = createLogger(config.logLevel);
  const [embedded, { startService: openService }] = await Promise.all([
    config.databaseUrl === undefined
      ? startEmbeddedPostgres({ dataDir: config.dataDir, log: (line) => log.warn(line), copyDatabase })
      : undefined,
    import("./app/run-service.ts"),
  ]);
  return openService(config, log, embedded, serviceOverrides);
}

/** Loaded only where data of an older PostgreSQL is upgraded. */
const copyDatabase: CopyDatabase = async (...copy) => (await import("./store/copy-database.ts")).copyDatabase(...copy);

async function stopService(runningService: RunningService): Promise<void> {
  try {
    await runningService.stop();
    process.exit(0);
  } catch (error) {
    fail(`Trunkline did not stop in order.\n${explain(error)}`);
  }
}

/** Whatever was opened on the way must not keep alive what has failed. */
function fail(message: string): void {
  print(message);
  process.exit(1);
}

/** A mistake of the person at the terminal is a sentence; a bug keeps its stack. */
function explain(error: unknown): string {
  if (error instanceof StartupError || error instanceof EmbeddedPostgresError) return error.message;
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
    return `The address is in use: ${error.message}. Stop what runs there, or set PORT to another number.`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
