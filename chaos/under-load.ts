import { type Absence, checkRecovery } from "./check-recovery.ts";
import { checkTellings } from "./check-tellings.ts";
import { ClientLog } from "./client-log.ts";
import { Dice } from "./dice.ts";
import type { ScenarioOptions } from "./options.ts";
import { type Report, tallyOf } from "./report.ts";
import { closeBooks, settleDown } from "./settle-down.ts";
import type { Stand } from "./stand.ts";
import { Supervisor } from "./supervisor.ts";
import { Traffic } from "./traffic.ts";

const CREDITS = 100;

/** Puts mixed traffic on a stand, takes its store away as `strike` does, and checks all that is promised of it. */
export async function strikeUnderLoad(
  stand: Stand,
  options: ScenarioOptions,
  scenario: string,
  strike: (dice: Dice) => Promise<readonly Absence[]>,
): Promise<Report> {
  const startedAt = performance.now();
  const dice = new Dice(options.seed);
  const log = new ClientLog();
  const customers = [await stand.openCustomer(CREDITS), await stand.openCustomer(CREDITS)] as const;
  const supervisor = new Supervisor(stand);
  const traffic = new Traffic({ stand, customers, log, dice: dice.fork("traffic") });
  traffic.start(options.clients ?? 12);
  const absences = await strike(dice.fork("strikes"));
  await traffic.stop();
  supervisor.leave();
  const { books, broken } = await settleDown(stand, customers, CREDITS);
  const recovery = checkRecovery(
    log,
    absences,
    stand.instances.map(({ name }) => name),
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
      ...checkTellings({ log, books, asked: stand.provider.asked, wereKilled: false }),
      ...(await closeBooks(stand)),
    ],
    seconds: (performance.now() - startedAt) / 1000,
  };
}
