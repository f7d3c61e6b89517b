import type pg from "pg";

/** A connection can be cut without anybody being told: it is asked for a sign of life this often. */
const PULSE_MS = 1_000;
const PULSE_WAIT_MS = 5_000;

/** Cuts a connection that gives no sign of life, so that its end is noticed. Runs until it is cleared. */
export function keepFeelingPulse(client: pg.Client): NodeJS.Timeout {
  let isWaiting = false;
  const pulse = setInterval(() => {
    if (isWaiting) return;
    isWaiting = true;
    const cut = setTimeout(() => client.connection.stream.destroy(), PULSE_WAIT_MS);
    void client
      .query("SELECT 1")
      .catch(() => undefined)
      .finally(() => {
        clearTimeout(cut);
        isWaiting = false;
      });
  }, PULSE_MS);
  pulse.unref();
  return pulse;
}
