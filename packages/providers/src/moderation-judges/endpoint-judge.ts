import { JudgeFailure, type JudgeRequest, type JudgeResponse, type ModerationJudge } from "@trunkline/core/verdict.ts";
import { DialFailure, type DialLimits, type DialResponse } from "../dialer/dial-request.ts";
import type { Dialer } from "../dialer/dialer.ts";
import { type JudgeAccess, type JudgeFormat, unreadableAnswer } from "./judge-format.ts";

/** The caller's time limit ends the call long before these limits do. */
const WAIT_MS = 60_000;
const ANSWER_BYTES = 256 * 1024;
const LIMITS: DialLimits = {
  connectMs: WAIT_MS,
  firstByteMs: WAIT_MS,
  silenceMs: WAIT_MS,
  wholeMs: WAIT_MS,
  responseBytes: ANSWER_BYTES,
  chunkBytes: ANSWER_BYTES,
};

interface EndpointJudgeOptions extends JudgeAccess {
  readonly dialer: Dialer;
  /** The whole URL to post to. The operator chose it, so it may be private. */
  readonly url: string;
  readonly format: JudgeFormat;
}

/** A moderation endpoint as a judge. One call, no retry. */
export function endpointJudge({ dialer, url, format, ...access }: EndpointJudgeOptions): ModerationJudge {
  async function post(question: JudgeRequest, signal: AbortSignal): Promise<DialResponse> {
    const headers = {
      "content-type": "application/json",
      accept: "application/json",
      ...format.headers(access),
    };
    const body = JSON.stringify(format.body(question, access));
    return dialer.post({ url, headers, body, mayDialPrivate: true, limits: LIMITS }, signal);
  }

  return {
    categories: format.categories,
    async ask(question, signal): Promise<JudgeResponse> {
      try {
        const reply = await post(question, signal);
        if (reply.status !== 200) {
          reply.discardBody();
          throw new JudgeFailure("unreachable", `it answered with status ${reply.status}`);
        }
        return { scores: format.read(await readJson(reply)) };
      } catch (error) {
        if (!(error instanceof DialFailure)) throw error;
        throw new JudgeFailure("unreachable", error.message, { cause: error });
      }
    },
  };
}

async function readJson(reply: DialResponse): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of reply.body) pieces.push(piece);
  try {
    return JSON.parse(Buffer.concat(pieces).toString("utf8"));
  } catch (error) {
    throw unreadableAnswer("is not JSON", error);
  }
}
