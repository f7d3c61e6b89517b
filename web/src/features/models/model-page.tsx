import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ApiError } from "@trunkline/sdk";
import { ArrowLeft, SearchX } from "lucide-react";
import { modelQuery } from "../../api/catalogue.ts";
import { modelCode } from "../../api/model-code.ts";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Page } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { Skeleton, SkeletonRows } from "../../ui/skeleton.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { modalitiesOf } from "./modalities.ts";
import { ModelCharts } from "./model-charts.tsx";
import { ModelOffer } from "./model-offer.tsx";

const TEXTS = texts.models.page;

/** One model: who offers it, for how much, and how it does. */
export function ModelPage() {
  const { _splat: name = "" } = useParams({ strict: false });
  const { data: model, error, refetch } = useQuery(modelQuery(name));
  const isMissing = error instanceof ApiError && error.status === 404;
  const offers = model?.providers ?? [];
  const first = offers[0];
  return (
    <Page
      title={name}
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {name}
          {model !== undefined && <Badge>{texts.models.types[model.type]}</Badge>}
        </span>
      }
      {...(first?.description ? { description: first.description } : {})}
      above={
        <Link to="/models" className={`${TEXT_LINK} flex w-fit items-center gap-1 text-sm`}>
          <ArrowLeft aria-hidden="true" className="size-4" /> {TEXTS.back}
        </Link>
      }
      actions={
        model !== undefined && (
          <>
            <Link
              to="/models"
              search={{ compare: offers.slice(0, 4).map(({ full_name }) => full_name) }}
              className={buttonClass("secondary")}
            >
              {TEXTS.compare}
            </Link>
            <Link to="/playground" search={{ model: name }} className={buttonClass("primary")}>
              {TEXTS.playground}
            </Link>
          </>
        )
      }
    >
      {model === undefined ? (
        isMissing ? (
          <EmptyState
            icon={<SearchX />}
            title={TEXTS.missing}
            action={
              <Link to="/models" className={buttonClass("primary")}>
                {TEXTS.seeAll}
              </Link>
            }
          >
            {TEXTS.missingText}
          </EmptyState>
        ) : error === null ? (
          <Loading />
        ) : (
          <ErrorState error={error} onRetry={refetch} />
        )
      ) : (
        <>
          <Section
            title={TEXTS.providers(offers.length)}
            {...(offers.length > 1 ? { description: TEXTS.chosen(name) } : {})}
          >
            <div className="grid gap-4">
              {offers.map((offer) => (
                <ModelOffer key={offer.full_name} offer={offer} />
              ))}
            </div>
          </Section>
          <ModelCharts offers={offers} />
          <Section title={TEXTS.code} description={TEXTS.codeText}>
            <CodeBlock
              label={TEXTS.codeLabel(name)}
              samples={modelCode({
                origin: location.origin,
                key: undefined,
                model: name,
                output: first === undefined ? "text" : (modalitiesOf(first).output[0] ?? "text"),
                input: first === undefined ? "text" : (modalitiesOf(first).input[0] ?? "text"),
              })}
            />
          </Section>
        </>
      )}
    </Page>
  );
}

function Loading() {
  return (
    <div className="grid gap-6">
      <SkeletonRows rows={4} label={TEXTS.loading} />
      <Skeleton className="h-60 w-full" />
    </div>
  );
}
