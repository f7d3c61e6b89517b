import { parseArgs } from "node:util";
import { createLogger } from "@trunkline/core/log.ts";
import { startEmbeddedPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import type { CopyDatabase } from "@trunkline/local-postgres/upgrade-cluster.ts";
import { type CommandOptions, readConfig, readStoreLocation } from "./app/config/config.ts";
import { explainError } from "./app/explain-error.ts";
import type { ServiceOverrides } from "./app/run-service.ts";

const USAGE = `Usage: trunkline [start] [--workers N]
       trunkline check-provider <url> [--key K] [--auth bearer|x-api-key|none] [--type text|image|audio|multimodal|embedding] [--streaming] [--wire W --model M]
       trunkline doctor [--json] [check …]
       trunkline rotate-secret [--finish]
       trunkline audit
       trunkline backup <folder> [--rows]
       trunkline restore <folder> [--wal <folder>] [--at <time>]
       trunkline import-litellm <config.yaml>
       trunkline predict --models <catalogue.json> --prompts <file.jsonl> [--evidence <outcomes.jsonl>]

For users of a service, each with --help:
       trunkline login | logout
       trunkline chat [prompt]
       trunkline models [search words]
       trunkline keys list | create | revoke
       trunkline usage | logs | balance
       trunkline verify-proof <file or URL>`;

/** The operator's command line (users' is cli/main.ts): `trunkline` starts the service, `check-provider <url>` checks a provider, `doctor` what the service needs, `audit` the ledger, `backup` and `restore` copy the data, `import-litellm` converts a configuration, `predict` predicts quality. */
export async function main(args: readonly string[], serviceOverrides?: ServiceOverrides): Promise<void> {
  const [command, ...rest] = args;
  if (command === "check-provider") {
    const { checkProviderCommand } = await import("./app/commands/check-provider.ts");
    process.exitCode = await checkProviderCommand(rest, print);
  } else if (command === "audit") {
    const { auditCommand } = await import("./app/commands/audit.ts");
    process.exitCode = await auditCommand(rest, readStoreLocation, print);
  } else if (command === "doctor") {
    const { doctorCommand } = await import("./app/commands/doctor.ts");
    process.exitCode = await doctorCommand(rest, readConfig, print);
  } else if (command === "rotate-secret") {
    const { rotateSecretCommand } = await import("./app/commands/rotate-secret.ts");
    process.exitCode = await rotateSecretCommand(rest, readConfig, print);
  } else if (command === "backup") {
    const { backupCommand } = await import("./app/commands/backup.ts");
    process.exitCode = await backupCommand(rest, readStoreLocation, print);
  } else if (command === "restore") {
    const { restoreCommand } = await import("./app/commands/restore.ts");
    process.exitCode = await restoreCommand(rest, readStoreLocation, print);
  } else if (command === "predict") {
    const { predictCommand } = await import("./app/commands/predict.ts");
    process.exitCode = await predictCommand(rest, print);
  } else if (command === "import-litellm") {
    const { importLiteLlmCommand } = await import("./app/commands/import-litellm.ts");
    process.exitCode = importLiteLlmCommand(rest, print, (line) => process.stderr.write(`${line}\n`));
  } else if (command === "worker" && process.send !== undefined) {
    const { runWorker } = await import("./app/workers/worker.ts");
    runWorker(serviceOverrides);
  } else {
    const options = readStartOptions(args);
    if (options !== undefined) return start(options, serviceOverrides);
    print(USAGE);
    process.exitCode = command === "help" || command === "--help" ? 0 : 2;
  }
}

/** The options of `trunkline [start]`; undefined: these arguments mean something else. */
function readStartOptions(args: readonly string[]): CommandOptions | undefined {
  const isNamed = args[0] === "start";
  try {
    const { values } = parseArgs({
      args: args.slice(isNamed ? 1 : 0),
      options: { workers: { type: "string" } },
    });
    return values;
  } catch {
    return undefined;
  }
}

/** A service that runs, in this process or in several. */
interface Running {
  readonly startBanner: string;
  stop(): Promise<void>;
  /** Replaces the processes one after the other; undefined: there is only this one. */
  restart?(): void;
}

/** Runs the service until a signal stops it. A signal during the start ends it: all that was begun ends with the process. */
async function start(options: CommandOptions, serviceOverrides: ServiceOverrides | undefined): Promise<void> {
  const opening = openService(options, serviceOverrides);
  let running: Running | undefined;
  let isStopping = false;
  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    if (running !== undefined) return void stopService(running);
    print("Trunkline was stopped while it started.");
    process.exit(0);
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  process.on("SIGHUP", () => {
    // A terminal that is closed sends it, too.
    if (process.stdin.isTTY || process.stdout.isTTY) return stop();
    void opening.then(
      (service) => (service.restart === undefined ? stop() : service.restart()),
      () => undefined,
    );
  });
  try {
    running = await opening;
    print(running.startBanner);
  } catch (error) {
    fail(`Trunkline did not start.\n${explainError(error)}`);
  }
}

/** The database starts while the rest of the program is still being read: together they are the wait for the first start. */
async function openService(options: CommandOptions, serviceOverrides: ServiceOverrides | undefined): Promise<Running> {
  const config = readConfig(undefined, options);
  const log = createLogger(config.logLevel);
  const startStore = async () =>
    config.databaseUrl === undefined
      ? startEmbeddedPostgres({
          dataDir: config.dataDir,
          walArchive: config.walArchive,
          log: (line) => log.warn(line),
          copyDatabase,
        })
      : undefined;
  if (config.workers > 1) {
    const { startWorkers } = await import("./app/workers/primary.ts");
    const { workers, port, host } = config;
    const { lameDuckMs } = config.limits;
    return startWorkers({
      workers,
      lameDuckMs,
      port,
      host,
      httpPort: config.tls?.httpPort,
      log,
      startStore,
      onFailure: (reason) => fail(`Trunkline ended.\n${reason}`),
    });
  }
  const [embedded, { startService }] = await Promise.all([startStore(), import("./app/run-service.ts")]);
  return startService(config, log, embedded, serviceOverrides);
}

/** Loaded only where data of an older PostgreSQL is upgraded. */
const copyDatabase: CopyDatabase = async (...copy) => (await import("./store/copy-database.ts")).copyDatabase(...copy);

async function stopService(running: Running): Promise<void> {
  try {
    await running.stop();
    process.exit(0);
  } catch (error) {
    fail(`Trunkline did not stop in order.\n${explainError(error)}`);
  }
}

/** Whatever was opened on the way must not keep alive what has failed. */
function fail(message: string): void {
  print(message);
  process.exit(1);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
