import type { Services } from "../../app/services.ts";

export interface ServicePage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type MakePage = (services: Services) => Promise<ServicePage>;

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

/** What is asked of a service by what runs it and watches over it, without a key. */
export const SERVICE_PAGES: ReadonlyMap<string, MakePage> = new Map<string, MakePage>([
  ["/healthz", async () => ({ status: 200, headers: JSON_TYPE, body: '{"status":"alive"}' })],
  [
    "/readyz",
    async ({ lifecycle }) =>
      (await lifecycle.isReady())
        ? { status: 200, headers: JSON_TYPE, body: '{"status":"ready"}' }
        : { status: 503, headers: { ...JSON_TYPE, "retry-after": "1" }, body: '{"status":"not ready"}' },
  ],
  [
    "/metrics",
    async ({ metrics }) => ({
      status: 200,
      headers: { "content-type": metrics.contentType },
      body: await metrics.text(),
    }),
  ],
]);
