import { expect, it, onTestFinished } from "vitest";
import { readConfig } from "../../src/app/config/config.ts";
import { startService } from "../support/started-service.ts";
import { startVictoriaMetrics } from "../support/victoria-metrics.ts";

it("metrics that are sent by OTLP are found in VictoriaMetrics as they are at /metrics", async () => {
  const store = await startVictoriaMetrics();
  onTestFinished(() => store.stop());
  const { telemetry } = readConfig({
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: store.metricsEndpoint,
    OTEL_SERVICE_NAME: "gateway",
  });
  const service = await startService((config) => ({ ...config, telemetry }));
  for (let request = 0; request < 3; request++)
    await service.call("POST", "/v1/generate", { input: "What is Trunkline?", model: "guide" });
  await service.call("POST", "/v1/generate", { input: 5 });
  // What is left is sent when the service stops.
  await service.stop();
  expect(service.logged()).not.toContain("was dropped");
  // What was written last is found after a moment.
  const find = () => store.query('trunkline_requests_total{path="/v1/generate"}');
  await expect.poll(find).toHaveLength(2);
  const answers = await find();
  expect(Object.fromEntries(answers.map(({ labels, value }) => [labels.status, value]))).toEqual({ 200: 3, 400: 1 });
  expect(answers[0]?.labels).toMatchObject({ "service.name": "gateway" });
  const all = await store.query('sum(trunkline_request_seconds_bucket{path="/v1/generate",le="+Inf"})');
  expect(all).toMatchObject([{ value: 4 }]);
  expect(await store.query('sum(trunkline_request_seconds_count{path="/v1/generate"})')).toMatchObject([{ value: 4 }]);
  expect(await store.query("trunkline_held_credits")).toMatchObject([{ value: 0 }]);
});
