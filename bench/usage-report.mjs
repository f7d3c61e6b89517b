// @ts-check
import { machineAt } from "./report.mjs";
import { digits, median, tableOf } from "./statistics.mjs";

/**
 * @typedef {object} Timing One read, by the large account and by the small one.
 * @property {string} name
 * @property {readonly number[]} largeMs
 * @property {readonly number[]} smallMs
 */
/**
 * @typedef {object} Circumstances
 * @property {number} requests
 * @property {number} days
 * @property {number} loadBefore The machine's load average before the bench put any on it.
 * @property {number} plainSumMs How long the plain sum over the requests of the large account takes.
 * @property {string} size Of the whole database.
 * @property {readonly { requests: number, quarters: number }[]} accounts The large one and the small one.
 */

/** The whole report as Markdown. @param {readonly Timing[]} timings @param {Circumstances} circumstances */
export function usageReportOf(timings, { requests, days, loadBefore, plainSumMs, size, accounts }) {
  const rows = timings.map(({ name, largeMs, smallMs }) => {
    const [large, small] = [median(largeMs), median(smallMs)];
    return [name, digits(large, 1), digits(small, 1), `${digits(large / small, 1)}×`];
  });
  const [large, small] = accounts.map((account) => ({
    requests: digits(account.requests, 0),
    quarters: digits(account.quarters, 0),
  }));
  return [
    machineAt(loadBefore),
    "",
    `${digits(requests, 0)} requests over ${days} days, a database of ${size}. The large account has ${large?.requests} of them in ${large?.quarters} sums, the small one ${small?.requests} in ${small?.quarters}.`,
    "",
    ...tableOf(["read", "large account, ms", "small account, ms", "ratio"], rows, 1),
    "",
    `Every sum of usage and of each group was equal to the plain sum over the requests, which takes ${digits(plainSumMs, 0)} ms for the large account.`,
    "",
  ].join("\n");
}
