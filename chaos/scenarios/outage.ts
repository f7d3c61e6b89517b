import { setTimeout as wait } from "node:timers/promises";
import type { Absence } from "../check-recovery.ts";
import { MissingMeans } from "../missing-tools.ts";
import type { Outage, ScenarioOptions } from "../options.ts";
import type { OwnPostgres } from "../own-postgres.ts";
import type { Report } from "../report.ts";
import { Testbed } from "../testbed.ts";
import { strikeUnderLoad } from "../under-load.ts";

/** Long enough to see that all is well again, and stays so. */
const AFTER_MS = 14_000;
const CALM_MS = [2_000, 5_000] as const;

/** PostgreSQL is restarted, stopped for a while, or killed under load. */
export async function outage(options: ScenarioOptions): Promise<Report> {
  const { say, instances = 3, kind = instances === 1 ? "kill" : "stop", seconds = 30 } = options;
  const { rounds = kind === "stop" ? 1 : 3 } = options;
  if (instances === 1 && kind !== "kill")
    throw new MissingMeans(
      "The embedded store can only be killed: --kind kill, or more --instances on a PostgreSQL beside them.",
    );
  const testbed = await Testbed.open({ instances, keep: options.keep ?? false });
  try {
    const scenario = `PostgreSQL: ${kind}${kind === "stop" ? ` for ${seconds} s` : ""}, ${rounds} times under ${instances} instances`;
    return await strikeUnderLoad(testbed, options, scenario, async (dice) => {
      const absences: Absence[] = [];
      for (let round = 1; round <= rounds; round++) {
        await wait(dice.between(...CALM_MS));
        say(`Outage ${round} of ${rounds}.`);
        absences.push(
          testbed.postgres === undefined
            ? await killEmbedded(testbed)
            : await takeAway(testbed.postgres, kind, seconds * 1000),
        );
        await wait(AFTER_MS);
      }
      return absences;
    });
  } finally {
    await testbed.close();
  }
}

async function takeAway(postgres: OwnPostgres, kind: Outage, awayMs: number): Promise<Absence> {
  const struckAt = performance.now();
  if (kind === "kill") await postgres.kill();
  else await postgres.stop();
  const from = performance.now();
  if (kind === "stop") await wait(awayMs);
  const to = performance.now();
  await postgres.startAgain();
  return { struckAt, from, to, backAt: performance.now() };
}

/** An embedded store is the service's own to bring back: it can only be killed. */
async function killEmbedded(testbed: Testbed): Promise<Absence> {
  const struckAt = performance.now();
  await testbed.killStore();
  const now = performance.now();
  return { struckAt, from: now, to: now, backAt: now };
}
