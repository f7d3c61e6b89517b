import { MissingMeans } from "./missing-tools.ts";
import { HELP, readRequest } from "./options.ts";
import { renderReport } from "./report.ts";
import { runScenario } from "./run-scenario.ts";
import { Testbed } from "./testbed.ts";

const say = (text: string) => process.stdout.write(`${text}\n`);

/** Nothing that was started may outlive the command, however it ends. */
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.once(signal, () => {
    say("Broken off: stopping everything that was started.");
    void Testbed.closeAll().finally(() => process.exit(code));
  });
}

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const request = readRequest(args, say);
  if (request.kind !== "run") {
    say(request.kind === "help" ? HELP : `${request.sentence}\n\n${HELP}`);
    return request.kind === "help" ? 0 : 2;
  }
  const { scenario, options } = request;
  say(`Scenario ${scenario}, seed ${options.seed}`);
  try {
    const report = await runScenario(scenario, options);
    say(renderReport(report));
    return report.broken.length === 0 ? 0 : 1;
  } catch (error) {
    say(
      error instanceof MissingMeans
        ? error.message
        : `The scenario could not be run to its end, seed ${options.seed}.\n${error instanceof Error ? error.stack : String(error)}`,
    );
    return 2;
  }
}
