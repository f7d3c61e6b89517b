import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { formatMs } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import type { ReplyError } from "./conversation.ts";

const { playground: words } = texts;
const TITLES: Readonly<Record<string, string>> = words.errorTitles;

interface RunErrorProps {
  readonly error: ReplyError;
  /** Without an alarm: nothing was sent yet. */
  readonly isQuiet?: boolean;
}

/** Why a request was refused or failed, and what to do about it. */
export function RunError({ error, isQuiet = false }: RunErrorProps) {
  const { type, message, categories = [], attempts = [], cost, retryAfterSeconds } = error;
  return (
    <Banner tone={isQuiet ? "warning" : "danger"} title={TITLES[type] ?? words.errorTitle}>
      <p className="wrap-anywhere">{message}</p>
      {type === "insufficient_balance" && (
        <Hint>
          <Link to="/billing" className={TEXT_LINK}>
            {words.addCredits}
          </Link>
        </Hint>
      )}
      {categories.length > 0 && <Hint>{words.blockedFor(categories.join(", "))}</Hint>}
      {retryAfterSeconds !== undefined && <Countdown key={message} seconds={retryAfterSeconds} />}
      {attempts.length > 0 && (
        <ul className="mt-1 list-disc pl-5 text-sm">
          {attempts.map((attempt) => (
            <li key={`${attempt.model} ${attempt.ms}`} className="wrap-anywhere">
              {words.failedAttempt(attempt.model, attempt.reason, formatMs(attempt.ms))}
            </li>
          ))}
        </ul>
      )}
      {cost !== undefined && cost > 0 && (
        <Hint>
          <Sentence text={words.chargedAnyway} parts={{ cost: <Money credits={cost} /> }} />
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
  return <Hint>{left === 0 ? words.retryNow : words.retryIn(left)}</Hint>;
}
