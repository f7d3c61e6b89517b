import { canaryShareOf, weightOf } from "@trunkline/core/model.ts";
import { OUTAGE_WORDS, type Outage } from "@trunkline/core/outage.ts";
import type { Health } from "@trunkline/core/route.ts";
import type { RegisteredModel } from "@trunkline/providers/catalogue/model-store.ts";
import type { House } from "../../app/services.ts";
import type { ModelCheck } from "../../store/models/model-checks.ts";
import type { Standing } from "../../store/usage/reconciled-usage.ts";
import { pricingOf } from "../requests/model.ts";

/** A model as its owner sees it. */
export async function showModel(house: House, model: RegisteredModel) {
  const [shownModel] = await showModels(house, [model]);
  return shownModel;
}

/** Models as their owner sees them: everything but the credentials, with how they do. */
export async function showModels(house: House, models: readonly RegisteredModel[]) {
  const standings = await house.reconciled.standingsOf([...new Set(models.map(({ provider }) => provider))]);
  const checks = await house.modelStore.checksOf(models.map(({ id }) => id));
  return models.map((model) => {
    const standing = standings.find(
      (known) => known.provider === model.provider && known.model === model.name,
    );
    return {
      ...modelToWire(model),
      reconciliation: standingToWire(standing),
      health: healthToWire(house.health.of(model.id)),
      last_check: checkToWire(checks.get(model.id)),
    };
  });
}

function healthToWire(health: Health) {
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
    outage: outageToWire(health.outage),
  };
}

function outageToWire(outage: Outage | undefined) {
  if (outage === undefined) return null;
  return {
    why: outage.why,
    reason: OUTAGE_WORDS[outage.why],
    since: new Date(outage.sinceMs).toISOString(),
    next_try_at: new Date(outage.nextTryMs).toISOString(),
  };
}

function checkToWire(check: ModelCheck | undefined) {
  if (check === undefined) return null;
  return { passed: check.passed, checked_at: check.checkedAt.toISOString(), findings: check.findings };
}

function standingToWire(standing: Standing | undefined) {
  return {
    flagged: standing?.isFlagged ?? false,
    flagged_days: standing?.flaggedDays ?? 0,
    last_flagged_day: standing?.lastFlaggedDay ?? null,
    last_reported_at: standing?.lastReportedAt.toISOString() ?? null,
  };
}

function modelToWire(model: RegisteredModel) {
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
    pricing: model.price === undefined ? null : pricingOf(model.price),
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
