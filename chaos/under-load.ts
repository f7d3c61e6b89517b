import { awaitQuiet, stopAndAudit } from "./await-quiet.ts";
import { checkRecords } from "./check-records.ts";
import { type Absence, checkRecovery } from "./check-recovery.ts";
import { ClientLog } from "./client-log.ts";
import { Dice } from "./dice.ts";
import type { ScenarioOptions } from "./options.ts";
import { type Report, tallyOf } from "./report.ts";
import { Supervisor } from "./supervisor.ts";
import type { Testbed } from "./testbed.ts";
import { Traffic } from "./traffic.ts";

const CREDITS = 100;

/** Puts mixed traffic on a testbed, takes its store away as `strike` does, and checks all that is promised of it. */
export async function strikeUnderLoad(
  testbed: Testbed,
  options: ScenarioOptions,
  scenario: string,
  strike: (dice: Dice) => Promise<readonly Absence[]>,
): Promise<Report> {
  const startedAt = performance.now();
  const dice = new Dice(options.seed);
  const log = new ClientLog();
  const customers = [await testbed.openCustomer(CREDITS), await testbed.openCustomer(CREDITS)] as const;
  const supervisor = new Supervisor(testbed);
  const traffic = new Traffic({ testbed, customers, log, dice: dice.fork("traffic") });
  traffic.start(options.clients ?? 12);
  const absences = await strike(dice.fork("strikes"));
  await traffic.stop();
  supervisor.leave();
  const { ledger, broken } = await awaitQuiet(testbed, customers, CREDITS);
  const recovery = checkRecovery(
    log,
    absences,
    testbed.instances.map(({ name }) => name),
  );
  return {
    scenario,
    seed: options.seed,
    ...tallyOf(log),
    kills: {},
    notes: recovery.notes,
    broken: [
      ...broken,
      ...recovery.broken,
      ...checkRecords({ log, ledger, asked: testbed.provider.asked, wereKilled: false }),
      ...(await stopAndAudit(testbed)),
    ],
    seconds: (performance.now() - startedAt) / 1000,
  };
}
