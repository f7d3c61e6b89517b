import { checkProviderCommand } from "./check-provider.ts";
import { type Config, ConfigMistake, readConfig } from "./config.ts";
import { buildApp } from "./edge/app.ts";
import { ensureSecretFile, prepareOperator } from "./first-start.ts";
import { buildHouse, type House } from "./house.ts";
import { type Logger, openLog } from "./kit/log.ts";
import { EmbeddedPostgresError } from "./store/embedded/embedded-postgres-error.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./store/embedded/start-embedded-postgres.ts";
import { welcome } from "./welcome.ts";

/** The command line: `trunkline` starts the service, `trunkline check-provider <url>` checks a provider. */
export async function main(args: readonly string[]): Promise<void> {
  const [command, ...rest] = args;
  if (command === "check-provider") {
    process.exitCode = await checkProviderCommand(rest, print);
  } else if (command === undefined || command === "start") {
    await start();
  } else {
    print(
      "Usage: trunkline [start]\n       trunkline check-provider <url> [--key K] [--auth bearer|x-api-key|none] [--type text|image|audio|multimodal] [--streaming]",
    );
    process.exitCode = command === "help" || command === "--help" ? 0 : 2;
  }
}

/** Starts one process: config, house, listen, and drain when told to stop. */
async function start(): Promise<void> {
  let embedded: EmbeddedPostgres | undefined;
  try {
    const config = readConfig();
    const log = openLog(config.logLevel);
    embedded =
      config.databaseUrl === undefined
        ? await startEmbeddedPostgres({ dataDir: config.dataDir, log: (line) => log.warn(line) })
        : undefined;
    await run(config, log, embedded);
  } catch (error) {
    await embedded?.stop();
    print(`Trunkline did not start.\n${explain(error)}`);
    process.exitCode = 1;
  }
}

async function run(config: Config, log: Logger, embedded: EmbeddedPostgres | undefined): Promise<void> {
  const secret = config.secret ?? (await ensureSecretFile(config.dataDir));
  const address = embedded?.connection ?? { connectionString: config.databaseUrl ?? "" };
  const house = await buildHouse({ config, address, secret, log });
  const firstKey = await prepareOperator(house);
  const app = await buildApp(house);
  const url = await app.listen({ port: config.port, host: config.host });
  print(welcome({ url, firstKey, notes: embedded?.notes ?? [], models: house.catalogue.all() }));

  let stopping = false;
  const stop = async (exitCode: number) => {
    if (stopping) return;
    stopping = true;
    await drain(house, () => app.close(), config.limits.drainMs);
    await house.close();
    await embedded?.stop();
    log.flush();
    process.exit(exitCode);
  };
  const stopOrFail = (exitCode: number) => {
    stop(exitCode).catch((error: unknown) => {
      log.fatal({ error }, "The service could not stop in order.");
      process.exit(1);
    });
  };
  process.on("SIGTERM", () => stopOrFail(0));
  process.on("SIGINT", () => stopOrFail(0));
  void embedded?.died.then((reason) => {
    log.fatal(reason);
    print(`The embedded database ended: ${reason}`);
    process.exit(1);
  });
}

/** Stops accepting, lets what runs finish, and breaks off what takes too long: its money is settled all the same. */
async function drain(house: House, closeServer: () => Promise<void>, limitMs: number): Promise<void> {
  const breakOff = setTimeout(() => {
    for (const controller of house.inFlight) controller.abort(new Error("The service is stopping."));
  }, limitMs);
  await closeServer();
  clearTimeout(breakOff);
}

/** A mistake of the person at the terminal is a sentence; a bug keeps its stack. */
function explain(error: unknown): string {
  if (error instanceof ConfigMistake || error instanceof EmbeddedPostgresError) return error.message;
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
    return `The address is in use: ${error.message}. Stop what runs there, or set PORT to another number.`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
