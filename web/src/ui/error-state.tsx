import { ApiError } from "@trunkline/sdk";
import { RotateCw, TriangleAlert } from "lucide-react";
import { Sentence } from "../texts/sentence.tsx";
import { texts } from "../texts/texts.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";

export interface ErrorStateProps {
  readonly error: unknown;
  readonly onRetry?: () => unknown;
  readonly title?: string;
}

/** What a view shows where its data could not be had: what happened, what to tell us, and another try. */
export function ErrorState({ error, onRetry, title = texts.common.loadFailed }: ErrorStateProps) {
  const known = error instanceof ApiError ? error : undefined;
  return (
    <div
      role="alert"
      className="flex min-w-0 flex-col items-center rounded-lg border border-line bg-surface px-6 py-10 text-center"
    >
      <span
        aria-hidden="true"
        className="mb-4 flex size-10 items-center justify-center rounded-lg bg-danger-soft text-danger"
      >
        <TriangleAlert className="size-5" />
      </span>
      <p className="text-lg font-semibold">{title}</p>
      <p className="mt-1 max-w-md text-balance text-muted">{known?.message ?? texts.common.unexpected}</p>
      {known?.requestId !== undefined && (
        <p className="mt-3 flex max-w-full items-center gap-1 text-xs text-muted">
          <span className="min-w-0 truncate">
            <Sentence text={texts.common.requestId} parts={{ id: <code>{known.requestId}</code> }} />
          </span>
          <CopyButton text={known.requestId} label={texts.common.copyRequestId} iconOnly />
        </p>
      )}
      {onRetry !== undefined && (
        <Button
          className="mt-5"
          icon={<RotateCw aria-hidden="true" />}
          onClick={() => {
            onRetry();
          }}
        >
          {texts.common.tryAgain}
        </Button>
      )}
    </div>
  );
}
