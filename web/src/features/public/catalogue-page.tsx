import { queryOptions, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { AnswerOf } from "@trunkline/sdk";
import { Search, SearchX } from "lucide-react";
import { useDeferredValue } from "react";
import { api } from "../../api/client.ts";
import { isFree, perMillion } from "../../api/pricing.ts";
import { isRefusal } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { formatCompact, formatMs, formatNumber } from "../../ui/format.ts";
import { Input } from "../../ui/input.tsx";
import { Money } from "../../ui/money.tsx";
import { NativeSelect } from "../../ui/native-select.tsx";
import { Page } from "../../ui/page.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { NotPublic, PublicFrame } from "./public-frame.tsx";

const TEXTS = texts.publicPages.models;
const TYPES = texts.modelImport.types;

type PublicModel = AnswerOf<"GET /v1/public/models">["data"][number];
type ModelType = PublicModel["type"];

const publicModelsQuery = queryOptions({
  queryKey: ["public-models"],
  queryFn: ({ signal }) => api.call("GET /v1/public/models", { signal }),
  staleTime: 60_000,
});

/** Every model and its price, for everyone. */
export function CataloguePage() {
  const { data, error, refetch } = useQuery(publicModelsQuery);
  const isClosed = isRefusal(error, "not_found");
  return (
    <PublicFrame>
      <Page title={TEXTS.title} description={TEXTS.description}>
        {isClosed ? (
          <NotPublic />
        ) : error !== null ? (
          <ErrorState error={error} onRetry={refetch} />
        ) : data === undefined ? (
          <SkeletonRows rows={8} label={TEXTS.loading} />
        ) : (
          <Catalogue models={data.data} />
        )}
      </Page>
    </PublicFrame>
  );
}

function Catalogue({ models }: { readonly models: readonly PublicModel[] }) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const { q = "", type } = search;
  const words = useDeferredValue(q).toLowerCase().split(/\s+/).filter(Boolean);
  const shown = models.filter((model) => {
    if (type !== undefined && model.type !== type) return false;
    const text = `${model.full_name} ${model.description} ${model.capabilities.join(" ")}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const change = (nextWords: string, nextType: ModelType | undefined) =>
    void navigate({
      to: "/catalogue",
      search: {
        ...(nextWords === "" ? {} : { q: nextWords }),
        ...(nextType === undefined ? {} : { type: nextType }),
      },
      replace: true,
    });
  const types = Object.keys(TYPES) as ModelType[];
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-end gap-3">
        <Field label={TEXTS.search} hideLabel className="w-full sm:w-80">
          <Input
            type="search"
            icon={<Search />}
            placeholder={TEXTS.search}
            value={q}
            onChange={(event) => change(event.target.value, type)}
          />
        </Field>
        <Field label={TEXTS.type} hideLabel className="w-44">
          <NativeSelect
            value={type ?? ""}
            onChange={(event) =>
              change(
                q,
                types.find((known) => known === event.target.value),
              )
            }
          >
            <option value="">{TEXTS.allTypes}</option>
            {types.map((value) => (
              <option key={value} value={value}>
                {TYPES[value]}
              </option>
            ))}
          </NativeSelect>
        </Field>
        <p role="status" className="text-sm text-muted sm:ml-auto">
          {TEXTS.count(shown.length)}
        </p>
      </div>
      {shown.length === 0 ? (
        <EmptyState icon={<SearchX />} title={TEXTS.none}>
          {TEXTS.noneText}
        </EmptyState>
      ) : (
        <ul aria-label={TEXTS.title} className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
          {shown.map((model) => (
            <ModelCard key={model.full_name} model={model} />
          ))}
        </ul>
      )}
    </div>
  );
}

function ModelCard({ model }: { readonly model: PublicModel }) {
  const facts = factsOf(model);
  return (
    <li className="grid min-w-0 content-between gap-3 rounded-lg border border-line bg-surface p-4 [contain-intrinsic-size:auto_14rem] [content-visibility:auto]">
      <div className="grid min-w-0 gap-1.5">
        <p className="font-medium wrap-anywhere">{model.full_name}</p>
        <p className="flex flex-wrap gap-1.5">
          <Badge>{TYPES[model.type]}</Badge>
          {isFree(model.pricing) && <Badge tone="positive">{TEXTS.free}</Badge>}
        </p>
        <p className="line-clamp-3 text-sm text-muted">{model.description}</p>
      </div>
      {facts.length > 0 && (
        <dl className="grid grid-cols-2 gap-x-4 gap-y-2 border-t border-line pt-3 text-sm">
          {facts.map(([label, value]) => (
            <div key={label} className="min-w-0">
              <dt className="text-muted">{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}

/** What is known of a model, prices first. */
function factsOf(model: PublicModel) {
  const { pricing, context_window: context, max_output_tokens: output, latency_ms: latency } = model;
  const byTokens = (pricing.input_per_1k_tokens ?? 0) > 0 || (pricing.output_per_1k_tokens ?? 0) > 0;
  const money = (credits: number | undefined) => <Money credits={credits ?? 0} />;
  return [
    byTokens && ([TEXTS.input, money(perMillion(pricing.input_per_1k_tokens ?? 0))] as const),
    byTokens && ([TEXTS.output, money(perMillion(pricing.output_per_1k_tokens ?? 0))] as const),
    (pricing.per_image ?? 0) > 0 && ([TEXTS.perImage, money(pricing.per_image)] as const),
    (pricing.per_second ?? 0) > 0 && ([TEXTS.perAudioSecond, money(pricing.per_second)] as const),
    (pricing.per_request ?? 0) > 0 && ([TEXTS.perRequest, money(pricing.per_request)] as const),
    context !== null && ([TEXTS.context, formatCompact(context)] as const),
    output !== null && ([TEXTS.maxOutput, formatCompact(output)] as const),
    latency !== null && ([TEXTS.latency, formatMs(latency)] as const),
    model.tokens_per_second !== null &&
      ([TEXTS.speed, TEXTS.perSecond(formatNumber(Math.round(model.tokens_per_second)))] as const),
  ].filter((fact) => fact !== false);
}
