import type pg from "pg";

/** A connection can be cut without anybody being told: it is asked for a sign of life this often. */
const HEARTBEAT_MS = 1_000;
const HEARTBEAT_TIMEOUT_MS = 5_000;

/** Cuts a connection that gives no sign of life, so that its end is noticed. Runs until it is cleared. */
export function startHeartbeat(client: pg.Client): NodeJS.Timeout {
  let isWaiting = false;
  const pulse = setInterval(() => {
    if (isWaiting) return;
    isWaiting = true;
    const cut = setTimeout(() => client.connection.stream.destroy(), HEARTBEAT_TIMEOUT_MS);
    void client
      .query("SELECT 1")
      .catch(() => undefined)
      .finally(() => {
        clearTimeout(cut);
        isWaiting = false;
      });
  }, HEARTBEAT_MS);
  pulse.unref();
  return pulse;
}
