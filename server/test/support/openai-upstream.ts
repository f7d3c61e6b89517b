import { readConfig } from "../../src/app/config/config.ts";
import { startUpstream, type Upstream, type UpstreamAnswer, type UpstreamRequest } from "./scripted-upstream.ts";
import { type StartedService, startService } from "./started-service.ts";

/** An answer in OpenAI's chat form. */
export const chatAnswer = (text: string, usage = { prompt_tokens: 10, completion_tokens: 5 }): UpstreamAnswer => ({
  body: JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "any",
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
  }),
});

/** A refusal in OpenAI's form, which repeats the key, as some providers do. */
export const refusal = (
  status: number,
  request: UpstreamRequest,
  headers: Record<string, string> = {},
): UpstreamAnswer => ({
  status,
  headers,
  body: JSON.stringify({
    error: { message: `Incorrect API key provided: ${keyIn(request)}`, type: "invalid_request_error" },
  }),
});

/** The key that a request came with. */
export function keyIn({ headers }: UpstreamRequest): string {
  return String(headers.authorization ?? headers["x-api-key"] ?? "").replace(/^Bearer /, "");
}

/** A service that finds what these variables say, and nothing else. */
export function startDiscovering(environment: Readonly<Record<string, string>>): Promise<StartedService> {
  const { discovery, ownKeyFeePpm } = readConfig({ TRUNKLINE_LOCAL_SERVERS: "off", ...environment });
  return startService((config) => ({ ...config, discovery, ownKeyFeePpm }));
}

/** An upstream that answers in OpenAI's form, and a service that takes it for OpenAI. */
export async function startWithOpenAi(
  environment: Readonly<Record<string, string>>,
): Promise<{ upstream: Upstream; service: StartedService }> {
  const upstream = await startUpstream(() => chatAnswer("Hello."));
  const service = await startDiscovering({ OPENAI_BASE_URL: `${upstream.url}/v1`, ...environment });
  return { upstream, service };
}
