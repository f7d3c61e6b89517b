// @ts-check
import { BenchFailure } from "./bench-failure.mjs";
import { KEY } from "./stand.mjs";

const FIRST_CREDITS = 1_000;

/** Every request that was sent must be in the ledger, and every credit either charged or still there. @param {string} url @param {number} sent */
export async function checkLedger(url, sent) {
  const read = async (/** @type {string} */ path) => {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${KEY}` } });
    if (answer.status !== 200) throw new BenchFailure(`GET ${path} answered ${answer.status}.`);
    return answer.json();
  };
  const usage = /** @type {{ requests: number, cost: number }} */ (await read("/v1/usage"));
  const { balance, held } = /** @type {{ balance: number, held: number }} */ (await read("/v1/balance"));
  if (usage.requests !== sent) {
    throw new BenchFailure(`The ledger holds ${usage.requests} requests, and ${sent} were sent.`);
  }
  const nano = (/** @type {number} */ credits) => Math.round(credits * 1e9);
  const isCharged = usage.cost > 0;
  if (nano(balance) + nano(usage.cost) !== nano(FIRST_CREDITS) || held !== 0 || isCharged !== sent > 0) {
    throw new BenchFailure(
      `The money does not add up: of ${FIRST_CREDITS} credits ${balance} are left, ${usage.cost} were charged and ${held} are held.`,
    );
  }
}
