import { canaryShareOf, weightOf } from "@trunkline/core/model.ts";
import { OUTAGE_MESSAGES, type Outage } from "@trunkline/core/provider-failure.ts";
import type { Health } from "@trunkline/core/route.ts";
import type { RegisteredModel } from "@trunkline/providers/catalogue/model-catalogue.ts";
import type { Services } from "../../app/services.ts";
import type { ModelCheck } from "../../store/models/models.ts";
import type { ReconciliationStatus } from "../../store/usage/reconciliation.ts";
import { toDataClaimResponse, toNextPricingResponse, toPricingResponse } from "../requests/model-schema.ts";

/** A model as its owner sees it. */
export async function toRegisteredModelResponse(services: Services, model: RegisteredModel) {
  const [response] = await toRegisteredModelResponses(services, [model]);
  return response;
}

/** Models as their owner sees them: everything except the credentials, with their health. */
export async function toRegisteredModelResponses(services: Services, models: readonly RegisteredModel[]) {
  const reconciliationStatuses = await services.usage.reconciled.statusesOf([
    ...new Set(models.map(({ provider }) => provider)),
  ]);
  const checks = await services.providers.modelStore.checksOf(models.map(({ id }) => id));
  return models.map((model) => {
    const reconciliationStatus = reconciliationStatuses.find(
      (known) => known.provider === model.provider && known.model === model.name,
    );
    return {
      ...toModelFields(model),
      reconciliation: toReconciliationResponse(reconciliationStatus),
      health: toHealthResponse(services.providers.health.of(model.id)),
      last_check: toCheckResponse(checks.get(model.id)),
    };
  });
}

function toHealthResponse(health: Health) {
  return {
    available: health.available,
    breaker: health.state,
    calls: health.calls,
    error_rate: Math.round(health.errorRate * 1000) / 1000,
    latency_ms: health.latencyMs ?? null,
    latency_p95_ms: health.wholeP95Ms ?? null,
    first_part_ms: health.firstPartMs ?? null,
    first_part_p95_ms: health.firstPartP95Ms ?? null,
    tokens_per_second: health.tokensPerSecond ?? null,
    in_flight: health.inFlight,
    room: health.room ?? null,
    outage: toOutageResponse(health.outage),
  };
}

function toOutageResponse(outage: Outage | undefined) {
  if (outage === undefined) return null;
  return {
    why: outage.why,
    reason: OUTAGE_MESSAGES[outage.why],
    since: new Date(outage.sinceMs).toISOString(),
    next_try_at: new Date(outage.nextTryMs).toISOString(),
  };
}

function toCheckResponse(check: ModelCheck | undefined) {
  if (check === undefined) return null;
  return { passed: check.passed, checked_at: check.checkedAt.toISOString(), findings: check.findings };
}

function toReconciliationResponse(reconciliationStatus: ReconciliationStatus | undefined) {
  return {
    flagged: reconciliationStatus?.isFlagged ?? false,
    flagged_days: reconciliationStatus?.flaggedDays ?? 0,
    last_flagged_day: reconciliationStatus?.lastFlaggedDay ?? null,
    last_reported_at: reconciliationStatus?.lastReportedAt.toISOString() ?? null,
  };
}

function toModelFields(model: RegisteredModel) {
  return {
    id: model.id,
    name: model.name,
    provider: model.provider,
    type: model.type,
    description: model.description,
    endpoint: model.endpoint,
    wire: model.wire,
    ...(model.upstreamModel === undefined ? {} : { upstream_model: model.upstreamModel }),
    batch_discount: (model.batchDiscount ?? 0) / 10_000,
    auth_type: model.authType,
    has_credential: model.credential !== undefined,
    pricing: model.price === undefined ? null : toPricingResponse(model.price),
    next_pricing: toNextPricingResponse(model.nextPrice),
    price_version: model.price?.version ?? null,
    capabilities: model.capabilities,
    specialties: model.specialties,
    performance: {
      ...(model.avgLatencyMs === undefined ? {} : { avg_latency_ms: model.avgLatencyMs }),
      ...(model.accuracyScore === undefined ? {} : { accuracy_score: model.accuracyScore }),
    },
    ...(model.costEfficiency === undefined ? {} : { cost_efficiency: model.costEfficiency }),
    streaming: model.streaming,
    ...(model.contextWindow === undefined ? {} : { context_window: model.contextWindow }),
    ...(model.maxOutputTokens === undefined ? {} : { max_output_tokens: model.maxOutputTokens }),
    data: toDataClaimResponse(model),
    backups: model.backups,
    limits: {
      connect_ms: model.limits.connectMs,
      first_byte_ms: model.limits.firstByteMs,
      silence_ms: model.limits.silenceMs,
      whole_ms: model.limits.wholeMs,
      response_bytes: model.limits.responseBytes,
      chunk_bytes: model.limits.chunkBytes,
    },
    weight: weightOf(model),
    canary_share: canaryShareOf(model),
    state: model.state,
    declared: model.declared,
    created_at: model.createdAt.toISOString(),
  };
}
