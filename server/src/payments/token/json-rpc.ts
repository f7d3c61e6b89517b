import { setMaxListeners } from "node:events";
import type { Secret } from "@trunkline/core/secret.ts";
import type { DialLimits } from "@trunkline/providers/dialer/dial-request.ts";
import type { Dialer } from "@trunkline/providers/dialer/dialer.ts";
import { z } from "zod";

/** The node answered that it can't: a wrong call, a range that is too large, a state that it does not keep. */
export class RpcRefusal extends Error {
  override readonly name = "RpcRefusal";
}

/** The node did not answer, or not in the form of JSON-RPC. */
export class RpcAway extends Error {
  override readonly name = "RpcAway";
}

/** One node of the chain. */
export interface RpcNode {
  /** The node's host, for the log. Its address may hold a key. */
  readonly host: string;
  /** Calls a method. Throws `RpcRefusal` or `RpcAway`. */
  call(method: string, params: readonly unknown[]): Promise<unknown>;
}

const WAIT_MS = 15_000;
const LIMITS: DialLimits = {
  connectMs: WAIT_MS,
  firstByteMs: WAIT_MS,
  silenceMs: WAIT_MS,
  wholeMs: 2 * WAIT_MS,
  responseBytes: 16 * 1024 * 1024,
  chunkBytes: 16 * 1024 * 1024,
};

const answerSchema = z.object({
  result: z.unknown().optional(),
  error: z.object({ message: z.string().optional() }).nullish(),
});

/** Speaks JSON-RPC with a node. The operator chose its address, so that it may be a private one. */
export function createRpcNode(dialer: Pick<Dialer, "post">, url: Secret, signal: AbortSignal): RpcNode {
  const { host } = new URL(url.reveal());
  let lastId = 0;
  // Every running call listens to it.
  setMaxListeners(0, signal);
  return {
    host,
    async call(method, params) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params });
      const headers = { "content-type": "application/json", accept: "application/json" };
      let text = "";
      let status = 0;
      try {
        const request = { url: url.reveal(), headers, body, mayDialPrivate: true, limits: LIMITS };
        const response = await dialer.post(request, signal);
        status = response.status;
        const pieces: Buffer[] = [];
        for await (const piece of response.body) pieces.push(piece);
        text = Buffer.concat(pieces).toString();
      } catch (error) {
        throw new RpcAway(`${host} did not answer ${method}.`, { cause: error });
      }
      const answer = answerSchema.safeParse(parseJson(text));
      // A node that is overloaded may say so in the form of a refusal, which would be taken for an answer.
      if (!answer.success || status === 429 || status >= 500)
        throw new RpcAway(`${host} answered ${method} with status ${status} and no JSON-RPC.`);
      const { error, result } = answer.data;
      if (error !== undefined && error !== null) {
        throw new RpcRefusal(`${host} refused ${method}: ${(error.message ?? "no reason").slice(0, 200)}`);
      }
      return result;
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
