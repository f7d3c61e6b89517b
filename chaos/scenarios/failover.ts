import { setTimeout as wait } from "node:timers/promises";
import { findPrograms, PatroniCluster, STRIKES } from "../../server/test/support/patroni-cluster.ts";
import type { Absence } from "../check-recovery.ts";
import { MissingMeans } from "../missing-tools.ts";
import type { ScenarioOptions } from "../options.ts";
import type { Report } from "../report.ts";
import { Testbed } from "../testbed.ts";
import { strikeUnderLoad } from "../under-load.ts";

/** One machine may be away, and the two others still have every commit twice. */
const MACHINES = 3;
const CALM_MS = [1_000, 3_000] as const;
/** Long enough to see that the service is back, and stays so. */
const AFTER_MS = 12_000;

/** The primary of a cluster under Patroni is taken away under load, again and again; a synchronous replica takes its place. */
export async function failover(options: ScenarioOptions): Promise<Report> {
  const { say, instances = 2, rounds = 20 } = options;
  const programs = requirePrograms();
  let cluster: PatroniCluster | undefined;
  const testbed = await Testbed.open({
    instances,
    keep: options.keep ?? false,
    startStore: async (folder) => {
      cluster = await PatroniCluster.start(folder, MACHINES, programs);
      return cluster;
    },
  });
  try {
    const scenario = `fail-over, ${rounds} times under ${instances} instances on ${MACHINES} machines`;
    return await strikeUnderLoad(testbed, options, scenario, async (dice) => {
      if (cluster === undefined) throw new Error("There is no cluster.");
      const absences: Absence[] = [];
      for (let round = 1; round <= rounds; round++) {
        await wait(dice.between(...CALM_MS));
        const how = options.strike ?? STRIKES[(round - 1) % STRIKES.length] ?? "machine";
        const { struckAt, name } = await cluster.strike(how);
        const elected = ((performance.now() - struckAt) / 1000).toFixed(1);
        say(`Fail-over ${round} of ${rounds}: ${how} of ${name}; another primary after ${elected} s.`);
        absences.push({ struckAt, from: struckAt, to: struckAt, backAt: struckAt });
        await wait(Math.max(0, struckAt + AFTER_MS - performance.now()));
        await cluster.bringBack(name, how);
      }
      return absences;
    });
  } finally {
    await testbed.close();
  }
}

function requirePrograms(): string {
  try {
    return findPrograms();
  } catch (error) {
    throw new MissingMeans(error instanceof Error ? error.message : String(error));
  }
}
