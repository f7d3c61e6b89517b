import { expect } from "vitest";
import type { Answer, CallOptions, StartedService } from "./started-service.ts";

export interface Line {
  readonly custom_id: string;
  readonly method?: string;
  readonly url?: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Lines for a batch of our own inference operation. */
export function linesOf(count: number, model = "plain"): Line[] {
  return Array.from({ length: count }, (_, at) => ({
    custom_id: `line-${at + 1}`,
    body: { model, input: `Question ${at + 1}` },
  }));
}

export const jsonLines = (lines: readonly Line[], url = "/v1/generate"): string =>
  lines.map((line) => JSON.stringify({ method: "POST", url, ...line })).join("\n");

/** Batches of one account, by its key. */
export class BatchTrial {
  readonly #service: Pick<StartedService, "call">;
  readonly #options: CallOptions;

  constructor(service: Pick<StartedService, "call">, key: string) {
    this.#service = service;
    this.#options = { key };
  }

  upload(text: string): Promise<Answer> {
    const headers = { "content-type": "application/jsonl" };
    return this.#service.call("POST", "/v1/files", text, { ...this.#options, headers });
  }

  async create(text: string, endpoint = "/v1/generate"): Promise<Answer> {
    const file = await this.upload(text);
    expect(file.status, file.text).toBe(200);
    return this.call("POST", "/v1/batches", {
      input_file_id: file.json.id,
      endpoint,
      completion_window: "24h",
    });
  }

  call(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.#service.call(method, path, body, this.#options);
  }

  /** The batch once it is in one of these states. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape and assert what they find.
  async until(id: string, ...states: string[]): Promise<any> {
    for (;;) {
      const { json } = await this.call("GET", `/v1/batches/${id}`);
      if (states.includes(json.status)) return json;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above.
  async results(fileId: string): Promise<any[]> {
    const { text } = await this.call("GET", `/v1/files/${fileId}/content`);
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  }
}
