import { Link } from "@tanstack/react-router";
import { ApiError } from "@trunkline/sdk";
import type { ReactNode } from "react";
import { difficultyWords, domainWords, qualityWords } from "../../shared/route-words.ts";
import { formatMs } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { RunError } from "./run-error.tsx";
import type { Preview, usePreview } from "./use-preview.ts";

interface RoutePreviewProps {
  /** Names the side where there are two. */
  readonly name: "Left" | "Right" | undefined;
  /** Whether there is an input to route. */
  readonly hasInput: boolean;
  readonly preview: ReturnType<typeof usePreview>;
}

/** Who would answer, why, and for how much, before anything is sent. */
export function RoutePreview({ name, hasInput, preview }: RoutePreviewProps) {
  const { data, error, isOutdated } = preview;
  return (
    <section
      aria-label={name === undefined ? "Routing preview" : `Routing preview, ${name.toLowerCase()}`}
      className="grid min-w-0 gap-3 rounded-lg border border-line bg-surface p-4"
    >
      <h2 className="font-medium">{name === undefined ? "Routing preview" : `${name}: routing preview`}</h2>
      {!hasInput ? (
        <p className="text-sm text-muted">
          Type an input to see which model would answer, why, and what it would cost.
        </p>
      ) : error !== null && !isOutdated ? (
        error instanceof ApiError ? (
          <RunError error={error} isQuiet />
        ) : (
          <p className="text-sm text-muted">The preview could not be had.</p>
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
    </section>
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
          <li>Strategy: {strategy}</li>
          <li>
            Taken for: {domainWords(reading)}. {difficultyWords(reading.difficulty)}.
          </li>
        </ul>
      </div>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2 text-sm">
        <Figure label="Estimated cost" value={<Money credits={chosen.estimated_cost} />} />
        <Figure label="At the very most" value={<Money credits={chosen.worst_case_cost} />} />
        <Figure label="Expected time" value={formatMs(chosen.expected_latency_ms)} />
        <Figure label="Predicted quality" value={qualityWords(chosen)} />
      </dl>
      {others.length > 0 && (
        <details>
          <summary className="w-fit rounded-sm text-sm font-medium text-muted hover:text-text">
            Next in line ({others.length})
          </summary>
          <ol className="mt-2 grid max-h-64 gap-2 overflow-y-auto text-sm" tabIndex={0} start={2}>
            {others.map((other) => (
              <li key={other.model} className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3">
                <span className="wrap-anywhere">{other.model}</span>
                <Money credits={other.estimated_cost} />
                <span className="col-span-2 text-muted">
                  {formatMs(other.expected_latency_ms)}, quality {other.predicted_quality.toFixed(2)}
                </span>
              </li>
            ))}
          </ol>
        </details>
      )}
      {left_out.length > 0 && (
        <details>
          <summary className="w-fit rounded-sm text-sm font-medium text-muted hover:text-text">
            Left out ({left_out.length})
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
