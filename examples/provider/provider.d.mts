import type { Server } from "node:http";

/** What can be set on the reference provider; `generate` is where a real model goes. */
export interface ProviderOptions {
  key?: string;
  maxPerSecond?: number;
  now?: () => number;
  generate?: (input: string, signal: AbortSignal) => AsyncIterable<string>;
}

export function describeText(input: string, signal: AbortSignal): AsyncGenerator<string>;
export function createProvider(options?: ProviderOptions): Server;
