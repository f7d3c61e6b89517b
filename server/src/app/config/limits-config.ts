import type { ConfigFile } from "./config-file.ts";

/** What one client may take of the service, and how long anything may take. */
export interface LimitsConfig {
  readonly requestsPerMinute: number;
  /** What all keys of an account may send together, where the operator gave it no ceiling of its own. */
  readonly accountRequestsPerMinute: number;
  readonly burst: number;
  /** How many requests may run at once before more are refused. */
  readonly concurrentRequests: number;
  /** How many of these one account may have, whatever keys it uses. */
  readonly accountConcurrentRequests: number;
  readonly bodyBytes: number;
  readonly attachmentBodyBytes: number;
  /** How much of large bodies may be in one process at once; undefined: an eighth of its heap. */
  readonly bodyMemoryBytes: number | undefined;
  readonly headerWaitMs: number;
  readonly bodyWaitMs: number;
  /** How long a client may take nothing of its answer before its connection is closed. */
  readonly writeWaitMs: number;
  /** How long a realtime session may last, and how long without an event of either side. */
  readonly realtimeSessionMs: number;
  readonly realtimeIdleMs: number;
  readonly drainMs: number;
  /** How long a service that is to stop says so at `/readyz` before it closes its port. */
  readonly lameDuckMs: number;
}

/** Load balancers look at `/readyz` every few seconds. */
const LAME_DUCK_MS = 5_000;

/** `isAlone`: the service has no database that other instances could share. */
export function readLimits(limits: ConfigFile["limits"], isAlone: boolean): LimitsConfig {
  return {
    requestsPerMinute: limits.requests_per_minute,
    accountRequestsPerMinute: limits.account_requests_per_minute ?? 10 * limits.requests_per_minute,
    burst: limits.burst,
    concurrentRequests: limits.concurrent_requests,
    accountConcurrentRequests: limits.account_concurrent_requests ?? Math.ceil(limits.concurrent_requests / 2),
    bodyBytes: limits.body_bytes,
    attachmentBodyBytes: limits.attachment_body_bytes,
    bodyMemoryBytes: limits.body_memory_bytes,
    headerWaitMs: limits.header_wait_ms,
    bodyWaitMs: limits.body_wait_ms,
    writeWaitMs: limits.write_wait_ms,
    realtimeSessionMs: limits.realtime_session_ms,
    realtimeIdleMs: limits.realtime_idle_ms,
    drainMs: limits.drain_ms,
    // Without a database of its own, it is the only instance: no load balancer can send requests elsewhere.
    lameDuckMs: limits.lame_duck_ms ?? (isAlone ? 0 : LAME_DUCK_MS),
  };
}
