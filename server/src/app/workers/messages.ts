import type { AddressInfo } from "node:net";
import type { DatabaseAddress } from "../../store/database/servers.ts";
import type { MetricValues } from "../metrics.ts";

/** How a worker is to serve. */
export interface WorkerTerms {
  /** From 1. A successor has the number of the worker that it replaces. */
  readonly number: number;
  /** How many workers serve the port together. */
  readonly workers: number;
  /** The embedded PostgreSQL; undefined: the settings name a server. */
  readonly store: { readonly connection: DatabaseAddress; readonly notes: readonly string[] } | undefined;
  /** One worker of a start makes the first key and the first log-in. */
  readonly isFirst: boolean;
}

/** Where the ports are. */
export interface PortAddresses {
  readonly service: AddressInfo;
  /** The port of plain HTTP before TLS; undefined: there is none. */
  readonly redirect?: AddressInfo | undefined;
}

/** What the primary process tells a worker. */
export type WorkerOrder =
  | { readonly kind: "open"; readonly terms: WorkerTerms }
  /** The primary process accepts connections at these addresses. */
  | { readonly kind: "serve"; readonly addresses: PortAddresses }
  /** Comes with the connection's socket. */
  | { readonly kind: "connection"; readonly port: keyof PortAddresses }
  /** `/readyz` says from now on that the service is about to stop. */
  | { readonly kind: "announce-stop" }
  /** With a successor, clients are moved over without a connection being closed under a request. */
  | { readonly kind: "stop"; readonly hasSuccessor: boolean }
  | { readonly kind: "report-metrics" }
  /** To be answered at once: a worker whose loop hangs does not. */
  | { readonly kind: "report-life" }
  | { readonly kind: "merged-metrics"; readonly text: string };

/** What a worker tells the primary process. */
export type WorkerNotice =
  /** Everything is open that needs no address. */
  | { readonly kind: "prepared" }
  | { readonly kind: "ready"; readonly startBanner: string }
  | { readonly kind: "connection-received" }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "alive" }
  | { readonly kind: "metrics"; readonly metrics: MetricValues }
  | { readonly kind: "merge-metrics"; readonly metrics: MetricValues };
