import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ApiError } from "@trunkline/sdk";
import { ArrowLeft, SearchX } from "lucide-react";
import { modelQuery, type Offer } from "../../api/catalogue.ts";
import { requestCode } from "../../api/request-code.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Page } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { Skeleton, SkeletonRows } from "../../ui/skeleton.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { ModelCharts } from "./model-charts.tsx";
import { ModelOffer } from "./model-offer.tsx";

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
          {model !== undefined && <Badge>{model.type}</Badge>}
        </span>
      }
      {...(first?.description ? { description: first.description } : {})}
      above={
        <Link to="/models" className={`${TEXT_LINK} flex w-fit items-center gap-1 text-sm`}>
          <ArrowLeft aria-hidden="true" className="size-4" /> All models
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
              Compare
            </Link>
            <Link to="/playground" search={{ model: name }} className={buttonClass("primary")}>
              Try in the playground
            </Link>
          </>
        )
      }
    >
      {model === undefined ? (
        isMissing ? (
          <EmptyState
            icon={<SearchX />}
            title="There is no such model"
            action={
              <Link to="/models" className={buttonClass("primary")}>
                See all models
              </Link>
            }
          >
            It may have been withdrawn by its provider.
          </EmptyState>
        ) : error === null ? (
          <Loading />
        ) : (
          <ErrorState error={error} onRetry={refetch} />
        )
      ) : (
        <>
          <Section
            title={offers.length === 1 ? "Provider" : "Providers"}
            {...(offers.length > 1
              ? {
                  description: `Asked for as ${name}, the routing chooses among them; ask for one by its full name.`,
                }
              : {})}
          >
            <div className="grid gap-4">
              {offers.map((offer) => (
                <ModelOffer key={offer.full_name} offer={offer} />
              ))}
            </div>
          </Section>
          <ModelCharts offers={offers} />
          <Section title="Call it" description="With a key of yours in the variable TRUNKLINE_KEY.">
            <CodeBlock
              label={`A request to ${name}`}
              samples={requestCode({ origin: location.origin, ...sampleRequest(model.type, name) })}
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
      <SkeletonRows rows={4} label="Loading the model" />
      <Skeleton className="h-60 w-full" />
    </div>
  );
}

interface SampleRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A first request to a model of a type. */
function sampleRequest(type: Offer["type"], model: string): SampleRequest {
  switch (type) {
    case "image":
      return { path: "/v1/image", body: { input: "A lake at dawn", size: "1024x1024", model } };
    case "audio":
      return { path: "/v1/audio", body: { input: "Good morning.", model } };
    case "multimodal":
      return {
        path: "/v1/stream",
        body: {
          task: "vision",
          input: "What is in this picture?",
          model,
          attachments: [{ type: "image", url: "https://example.com/picture.png" }],
        },
      };
    case "embedding":
      return { path: "/v1/generate", body: { input: "Some text", model } };
    case "text":
      return { path: "/v1/stream", body: { task: "chat", input: "Hello", model } };
  }
}
