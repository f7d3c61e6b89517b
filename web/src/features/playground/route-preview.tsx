import { Link } from "@tanstack/react-router";
import { ApiError } from "@trunkline/sdk";
import type { ReactNode } from "react";
import { difficultyWords, domainWords, qualityWords } from "../../shared/route-words.ts";
import { texts } from "../../texts/texts.ts";
import { formatMs } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { detailsOf } from "./fetch-reply.ts";
import { Group } from "./option-group.tsx";
import { RunError } from "./run-error.tsx";
import type { Preview, usePreview } from "./use-preview.ts";

const { playground: words } = texts;

interface RoutePreviewProps {
  /** Names the model where there are several. */
  readonly number: number | undefined;
  /** Whether there is an input to route. */
  readonly hasInput: boolean;
  readonly preview: ReturnType<typeof usePreview>;
}

/** Which model would answer, why, and for how much, before anything is sent. */
export function RoutePreview({ number, hasInput, preview }: RoutePreviewProps) {
  const { data, error, isOutdated } = preview;
  return (
    <Group title={number === undefined ? words.routingPreview : words.routingPreviewNumber(number)} isOpen={hasInput}>
      {!hasInput ? (
        <p className="text-sm text-muted">{words.routingPreviewHint}</p>
      ) : error !== null && !isOutdated ? (
        error instanceof ApiError ? (
          <RunError error={{ type: error.type, message: error.message, ...detailsOf(error.body) }} isQuiet />
        ) : (
          <p className="text-sm text-muted">{words.noPreview}</p>
        )
      ) : data === undefined ? (
        <div aria-busy="true" className="grid gap-2">
          <Skeleton className="h-4 w-2/3" />
          <Skeleton className="h-4 w-full" />
          <Skeleton className="h-4 w-1/2" />
        </div>
      ) : (
        <div aria-busy={isOutdated} className={isOutdated ? "opacity-60" : undefined}>
          <Routed preview={data} />
        </div>
      )}
    </Group>
  );
}

function Routed({ preview: { candidates, left_out, strategy, reading } }: { readonly preview: Preview }) {
  const [chosen, ...others] = candidates;
  if (chosen === undefined) return null;
  return (
    <div className="grid gap-3">
      <div>
        <Link to="/models/$" params={{ _splat: chosen.model }} className={`${TEXT_LINK} font-medium wrap-anywhere`}>
          {chosen.model}
        </Link>
        <ul className="mt-1 list-disc pl-5 text-sm text-muted">
          {chosen.reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
          <li>{words.previewStrategy(words.routes[strategy])}</li>
          <li>{words.detected(domainWords(reading), difficultyWords(reading.difficulty))}</li>
        </ul>
      </div>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2 text-sm">
        <Figure label={words.estimatedCost} value={<Money credits={chosen.estimated_cost} />} />
        <Figure label={words.maximumCost} value={<Money credits={chosen.worst_case_cost} />} />
        <Figure label={words.expectedLatency} value={formatMs(chosen.expected_latency_ms)} />
        <Figure label={words.predictedQuality} value={qualityWords(chosen)} />
      </dl>
      {others.length > 0 && (
        <details>
          <summary className="w-fit rounded-sm text-sm font-medium text-muted hover:text-text">
            {words.nextModels(others.length)}
          </summary>
          <ol className="mt-2 grid max-h-64 gap-2 overflow-y-auto text-sm" tabIndex={0} start={2}>
            {others.map((other) => (
              <li key={other.model} className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3">
                <span className="wrap-anywhere">{other.model}</span>
                <Money credits={other.estimated_cost} />
                <span className="col-span-2 text-muted">
                  {words.latencyAndQuality(formatMs(other.expected_latency_ms), other.predicted_quality.toFixed(2))}
                </span>
              </li>
            ))}
          </ol>
        </details>
      )}
      {left_out.length > 0 && (
        <details>
          <summary className="w-fit rounded-sm text-sm font-medium text-muted hover:text-text">
            {words.excludedModels(left_out.length)}
          </summary>
          <ul className="mt-2 grid max-h-64 gap-2 overflow-y-auto text-sm" tabIndex={0}>
            {left_out.map((other) => (
              <li key={other.model}>
                <span className="wrap-anywhere">{other.model}</span>
                <span className="block text-muted">{other.reason}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function Figure({ label, value }: { readonly label: string; readonly value: ReactNode }) {
  return (
    <div>
      <dt className="text-muted">{label}</dt>
      <dd className="font-medium">{value}</dd>
    </div>
  );
}
