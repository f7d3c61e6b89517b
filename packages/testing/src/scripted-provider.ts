import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A call that the provider received. */
export interface ReceivedCall {
  readonly headers: IncomingMessage["headers"];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape and assert what they find.
  readonly body: any;
  /** Resolves when the gateway closes the connection before the answer is complete. */
  readonly aborted: Promise<void>;
}

export type Script = (response: ServerResponse, call: ReceivedCall) => void | Promise<void>;

/** A provider that does exactly what a test says, on a real socket. */
export interface ScriptedProvider {
  readonly endpoint: string;
  readonly calls: ReceivedCall[];
  script: Script;
  stop(): Promise<void>;
}

export const USAGE = { input_tokens: 10, output_tokens: 20 };

/** Answers like a well-behaved text model. */
export const answerPlainly: Script = (response) => {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ output: "A plain answer.", usage: USAGE, latency_ms: 5 }));
};

/** By a port of its own a provider can come back to where one was before. */
export async function startProvider(script: Script = answerPlainly, atPort = 0): Promise<ScriptedProvider> {
  const calls: ReceivedCall[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const aborted = new Promise<void>((resolve) => {
      response.on("close", () => {
        if (!response.writableFinished) resolve();
      });
    });
    const call = {
      headers: request.headers,
      body: parse(Buffer.concat(chunks).toString() || "null"),
      aborted,
    };
    calls.push(call);
    await provider.script(response, call);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(atPort, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const provider: ScriptedProvider = {
    endpoint: `http://127.0.0.1:${port}/v1/generate`,
    calls,
    script,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A conformance check sends what is no JSON on purpose.
    return text;
  }
}

/** A registration body for a provider, priced so that sums are easy to check by hand. */
export function registrationOf(provider: ScriptedProvider, name: string, more: Record<string, unknown> = {}) {
  return {
    name,
    type: "text",
    endpoint: provider.endpoint,
    auth_type: "bearer",
    credential: "provider-credential-of-the-tests",
    pricing: { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002 },
    capabilities: ["chat"],
    ...more,
  };
}
