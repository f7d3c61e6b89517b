import type { IncomingMessage, ServerResponse } from "node:http";
import { serveHttp } from "./throwaway-server.ts";

/** What a test's endpoint was asked. */
export interface Asked {
  readonly key: string | undefined;
  /** Undefined where the body is not JSON. */
  readonly body: { input?: unknown; parameters?: { max_tokens?: number }; stream?: boolean } | undefined;
  /** How many requests with this very body and key there have been, this one included. */
  readonly times: number;
  readonly response: ServerResponse;
}

/** What it answers; "taken" where the response was dealt with already. */
export interface Reply {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: unknown;
}

const RIGHT = "Bearer right";

export type Change = (reply: Reply, asked: Asked) => Reply | "taken";

/** An endpoint for the length of one test that keeps the contract in everything but what the test changes. */
export async function serveWith(change: Change): Promise<string> {
  const seen = new Map<string, number>();
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const text = await readText(request);
    const key = request.headers.authorization;
    const times = (seen.get(`${key} ${text}`) ?? 0) + 1;
    seen.set(`${key} ${text}`, times);
    const asked = { key, body: parse(text), times, response };
    const reply = change(answer(asked), asked);
    if (reply === "taken") return;
    if (reply.type !== undefined) response.setHeader("content-type", reply.type);
    response.statusCode = reply.status;
    response.end(typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body));
  };
  const { url } = await serveHttp((request, response) => void serve(request, response));
  return `${url}/v1/generate`;
}

function answer({ key, body }: Asked): Reply {
  if (key !== RIGHT) return refuse(401, "This key is unknown.");
  if (typeof body?.input !== "string") return refuse(400, "There is no input.");
  const words = "Hello to everyone who is reading this here.".split(/(?= )/).slice(0, body.parameters?.max_tokens);
  const usage = { input_tokens: 4, output_tokens: words.length };
  if (body.stream !== true) {
    return { status: 200, type: "application/json", body: { output: words.join(""), usage, latency_ms: 1 } };
  }
  const chunks = [...words.map((delta) => ({ delta })), { done: true, usage }];
  const lines = chunks.map((chunk) => `${JSON.stringify(chunk)}\n`);
  return { status: 200, type: "application/x-ndjson", body: lines.join("") };
}

/** An error in the form of the contract. */
export function refuse(code: number, message: string): Reply {
  return { status: code, type: "application/json", body: { error: { message, code } } };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function parse(text: string): Asked["body"] {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Answers differently where the request is of one kind. */
export function when(kind: (asked: Asked) => boolean, other: Partial<Reply>): Change {
  return (reply, asked) => (kind(asked) ? { ...reply, ...other } : reply);
}

/** Changes the fields of plain answers. */
export function plainBody(fields: object): Change {
  return (reply) =>
    reply.status === 200 && reply.type === "application/json"
      ? { ...reply, body: { ...(reply.body as object), ...fields } }
      : reply;
}

export const isMalformed = ({ key, body }: Asked) => key === RIGHT && body === undefined;

export const isPlain = ({ key, body }: Asked) =>
  key === RIGHT && body?.parameters?.max_tokens === 64 && body.stream !== true;
