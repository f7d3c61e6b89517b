import { parseArgs } from "node:util";
import { createLogger, type Logger } from "@trunkline/core/log.ts";
import { startEmbeddedPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import type { CopyDatabase } from "@trunkline/local-postgres/upgrade-cluster.ts";
import {
  type CommandOptions,
  type Config,
  readConfig,
  readControlSocket,
  readStoreLocation,
} from "./app/config/config.ts";
import { type Outcome, startControlSocket } from "./app/control-socket.ts";
import { explainError } from "./app/explain-error.ts";
import type { ServiceOverrides } from "./app/run-service.ts";
import type { ServiceManager } from "./app/service-manager.ts";

const USAGE = `Usage: trunkline [start] [--workers N]
       trunkline check-provider <url> [--key K] [--auth bearer|x-api-key|none] [--type text|image|audio|multimodal|embedding] [--streaming] [--wire W --model M]
       trunkline doctor [--json] [check …]
       trunkline reload
       trunkline rotate-secret [--finish]
       trunkline audit
       trunkline clusters [move <account id> <number>]
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
       trunkline verify-proof <file or URL>
       trunkline verify-audit-log <file>`;

/** The operator's command line (users' is cli/main.ts): `trunkline` starts the service, `check-provider <url>` checks a provider, `doctor` what the service needs, `audit` the ledger, `backup` and `restore` copy the data, `import-litellm` converts a configuration, `predict` predicts quality. */
export async function main(args: readonly string[], serviceOverrides?: ServiceOverrides): Promise<void> {
  const [command, ...rest] = args;
  if (command === "check-provider") {
    const { checkProviderCommand } = await import("./app/commands/check-provider.ts");
    process.exitCode = await checkProviderCommand(rest, print);
  } else if (command === "audit") {
    const { auditCommand } = await import("./app/commands/audit.ts");
    process.exitCode = await auditCommand(rest, readStoreLocation, print);
  } else if (command === "clusters") {
    const { clustersCommand } = await import("./app/commands/clusters.ts");
    process.exitCode = await clustersCommand(rest, readStoreLocation, print);
  } else if (command === "doctor") {
    const { doctorCommand } = await import("./app/commands/doctor.ts");
    process.exitCode = await doctorCommand(rest, readConfig, print);
  } else if (command === "reload") {
    const { reloadCommand } = await import("./app/commands/reload.ts");
    process.exitCode = await reloadCommand(rest, readControlSocket, print);
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
  /** Takes another configuration over: in this process, or by replacing the processes one after the other. */
  reload(next: Config): Promise<Outcome>;
}

/** Runs the service until a signal stops it. A signal during the start ends it: all that was begun ends with the process. */
async function start(options: CommandOptions, serviceOverrides: ServiceOverrides | undefined): Promise<void> {
  const config = readOrFail(options);
  if (config === undefined) return;
  const log = createLogger(config.logLevel);
  const serviceManager = await openServiceManager(config, log);
  const opening = openService(config, log, serviceOverrides);
  let running: Running | undefined;
  let isStopping = false;
  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    void serviceManager?.tellStopping();
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
      (service) => reload(service, options, log),
      () => undefined,
    );
  });
  try {
    running = await opening;
    print(running.startBanner);
    await takeOrders(config, running, options, log);
    await serviceManager?.tellReady();
  } catch (error) {
    fail(`Trunkline did not start.\n${explainError(error)}`);
  }
}

/** undefined: systemd did not start it, or does not ask. */
async function openServiceManager(config: Config, log: Logger): Promise<ServiceManager | undefined> {
  if (config.serviceManager === undefined) return undefined;
  const { ServiceManager } = await import("./app/service-manager.ts");
  return new ServiceManager(config.serviceManager, (error) => log.warn({ error }, "systemd could not be told."));
}

function readOrFail(options: CommandOptions): Config | undefined {
  try {
    return readConfig(undefined, options);
  } catch (error) {
    fail(`Trunkline did not start.\n${explainError(error)}`);
    return undefined;
  }
}

/** Reads the configuration again. A wrong one is refused, and the service goes on with the one before. */
async function reload(service: Running, options: CommandOptions, log: Logger): Promise<Outcome> {
  let outcome: Outcome;
  try {
    outcome = await service.reload(readConfig(undefined, options));
  } catch (error) {
    outcome = { isDone: false, message: explainError(error) };
  }
  if (outcome.isDone) {
    log.info(outcome.message);
    return outcome;
  }
  const message = `The configuration was not taken over, and the one before stays. ${outcome.message}`;
  log.error(message);
  return { isDone: false, message };
}

/** The service works without: then SIGHUP is the only way to reload. */
async function takeOrders(config: Config, running: Running, options: CommandOptions, log: Logger): Promise<void> {
  if (config.controlSocket === undefined) return;
  try {
    const socket = await startControlSocket(config.controlSocket, async (order) =>
      order === "reload"
        ? reload(running, options, log)
        : { isDone: order === "ping", message: order === "ping" ? "Here." : "There is no such order." },
    );
    // Removes its file, which would outlast the process.
    process.once("exit", () => socket.remove());
  } catch (error) {
    log.warn({ error, path: config.controlSocket }, "No orders of the command line are taken.");
  }
}

/** The database starts while the rest of the program is still being read: together they are the wait for the first start. */
async function openService(
  config: Config,
  log: Logger,
  serviceOverrides: ServiceOverrides | undefined,
): Promise<Running> {
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
      config,
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
