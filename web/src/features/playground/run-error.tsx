import { Link } from "@tanstack/react-router";
import { ApiError } from "@trunkline/sdk";
import { type ReactNode, useEffect, useState } from "react";
import { Banner } from "../../ui/banner.tsx";
import { formatMs } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";

const TITLES: Readonly<Record<string, string>> = {
  insufficient_balance: "The balance does not cover this",
  budget_exceeded: "The budget does not cover this",
  insufficient_scope: "You may not do this",
  unsafe_input: "The safety check refused the input",
  unsafe_output: "The safety check refused the answer",
  model_not_found: "There is no such model",
  rate_limited: "Too many requests",
  overloaded: "The service has too much to do",
  unavailable: "The service is not available",
  no_model_available: "No model can serve this now",
  provider_error: "The provider failed",
  provider_timeout: "The provider took too long",
  request_rejected: "The provider rejected this request",
  context_length_exceeded: "This is too long for the model",
  payload_too_large: "This is too large",
  unreachable: "No answer came",
};

interface RunErrorProps {
  readonly error: unknown;
  /** Without an alarm: nothing was sent yet. */
  readonly isQuiet?: boolean;
}

/** Why a request was refused or failed, and what to do about it. */
export function RunError({ error, isQuiet = false }: RunErrorProps) {
  const tone = isQuiet ? "warning" : "danger";
  if (!(error instanceof ApiError))
    return (
      <Banner tone={tone} title="Something unexpected happened">
        Send it again.
      </Banner>
    );
  const { categories, attempts, cost } = detailsOf(error.body);
  return (
    <Banner tone={tone} title={TITLES[error.type] ?? "The request was refused"}>
      <p className="wrap-anywhere">{error.message}</p>
      {error.type === "insufficient_balance" && (
        <Hint>
          <Link to="/billing" className={TEXT_LINK}>
            Top up the balance
          </Link>
        </Hint>
      )}
      {categories.length > 0 && <Hint>Found: {categories.join(", ")}.</Hint>}
      {error.retryAfterSeconds !== undefined && <Countdown key={error.message} seconds={error.retryAfterSeconds} />}
      {attempts.length > 0 && (
        <ul className="mt-1 list-disc pl-5 text-sm">
          {attempts.map((attempt) => (
            <li key={`${attempt.model} ${attempt.ms}`} className="wrap-anywhere">
              {attempt.model}: {attempt.reason}, after {formatMs(attempt.ms)}
            </li>
          ))}
        </ul>
      )}
      {cost !== undefined && cost > 0 && (
        <Hint>
          Charged all the same, as work was done: <Money credits={cost} />.
        </Hint>
      )}
    </Banner>
  );
}

function Hint({ children }: { readonly children: ReactNode }) {
  return <p className="mt-1 text-sm">{children}</p>;
}

/** When another try makes sense. */
function Countdown({ seconds }: { readonly seconds: number }) {
  const [left, setLeft] = useState(Math.ceil(seconds));
  useEffect(() => {
    const timer = setInterval(() => setLeft((before) => Math.max(0, before - 1)), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Hint>{left === 0 ? "You can try again now." : `Try again in ${left} ${left === 1 ? "second" : "seconds"}.`}</Hint>
  );
}

interface Attempt {
  readonly model: string;
  readonly reason: string;
  readonly ms: number;
}

/** The details of an error besides its message. They are checked: a proxy may have written them. */
function detailsOf(body: unknown) {
  const error = recordOf(recordOf(body)?.error);
  const categories = Array.isArray(error?.categories) ? error.categories.map(String) : [];
  const attempts: Attempt[] = (Array.isArray(error?.attempts) ? error.attempts : []).flatMap((attempt: unknown) => {
    const { model, reason, ms } = recordOf(attempt) ?? {};
    return typeof model === "string" && typeof reason === "string" ? [{ model, reason, ms: Number(ms) || 0 }] : [];
  });
  return { categories, attempts, cost: typeof error?.cost === "number" ? error.cost : undefined };
}

function recordOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}
