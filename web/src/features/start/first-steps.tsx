import { Link } from "@tanstack/react-router";
import { Check, X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { usePermission } from "../../api/session.ts";
import { buttonClass } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";
import { formatMoney } from "../../ui/format.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { FirstRequest } from "./first-request.tsx";
import { areStepsDone, type Overview } from "./overview-query.ts";

export interface FirstStepsProps {
  readonly overview: Overview;
  readonly onHide: () => void;
}

/** A key, credits, a request. Each step ticks by itself; when all are done the list folds to a line. */
export function FirstSteps({ overview, onHide }: FirstStepsProps) {
  const { steps, first_request: first } = overview;
  const id = useId();
  const isDone = areStepsDone(overview);
  const count = [steps.key, steps.funded, steps.request].filter(Boolean).length;
  const section = useFocusAfterFold(isDone);

  return (
    <section ref={section} aria-labelledby={id} className="min-w-0 rounded-lg border border-line bg-surface p-4 sm:p-6">
      <header className="flex items-start justify-between gap-4">
        <div>
          <h2 id={id} tabIndex={-1} className="text-lg font-semibold outline-none">
            {isDone ? "The first steps are done" : "First steps"}
          </h2>
          <p className="text-muted">
            {isDone ? "Everything is in place." : `${count} of 3 done. The page notices each by itself.`}
          </p>
        </div>
        <IconButton
          label={isDone ? "Dismiss" : "Hide the first steps"}
          size="sm"
          icon={<X aria-hidden="true" />}
          className="-mt-1 -mr-1"
          onClick={onHide}
        />
      </header>
      {/* One region for all of it: it is there from the beginning, so that what comes later is spoken. */}
      <p role="status" className={isDone ? "mt-3" : "sr-only"}>
        {first === null
          ? ""
          : `The first request arrived: ${first.model ?? "a model"} answered for ${formatMoney(first.cost)}.`}
      </p>
      {isDone ? (
        first !== null && (
          <p className="mt-1">
            <Link to="/requests/$id" params={{ id: first.id }} className={TEXT_LINK}>
              See the first request
            </Link>
          </p>
        )
      ) : (
        <div className="mt-5 grid min-w-0 gap-x-8 gap-y-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
          <ol className="grid content-start gap-5">
            <KeyStep isDone={steps.key} />
            <FundStep isDone={steps.funded} />
            <Step number={3} title="Send a request" isDone={steps.request}>
              {first === null ? (
                "Paste one of these into a terminal. The built-in models answer it for free."
              ) : (
                <>
                  <span className="wrap-anywhere">{first.model ?? "A model"}</span> answered for{" "}
                  {formatMoney(first.cost)}.{" "}
                  <Link to="/requests/$id" params={{ id: first.id }} className={TEXT_LINK}>
                    See it
                  </Link>
                </>
              )}
            </Step>
          </ol>
          <FirstRequest isWaiting={!steps.request} hasKey={steps.key} />
        </div>
      )}
    </section>
  );
}

function KeyStep({ isDone }: { readonly isDone: boolean }) {
  const mayMake = usePermission("keys.change");
  return (
    <Step
      number={1}
      title="Make a key"
      isDone={isDone}
      action={
        mayMake && (
          <Link to="/keys" search={{ create: true }} className={buttonClass(isDone ? "secondary" : "primary", "sm")}>
            {isDone ? "Make another" : "Create a key"}
          </Link>
        )
      }
    >
      {mayMake
        ? "A program shows it with every request. Its secret is shown once."
        : "Your role can't make keys. A developer, an admin or an owner can."}
    </Step>
  );
}

function FundStep({ isDone }: { readonly isDone: boolean }) {
  const mayPay = usePermission("billing.change");
  return (
    <Step
      number={2}
      title="Add credits"
      isDone={isDone}
      action={
        mayPay &&
        !isDone && (
          <Link to="/billing" className={buttonClass("secondary", "sm")}>
            Go to billing
          </Link>
        )
      }
    >
      {isDone
        ? "Credits were put on the balance."
        : mayPay
          ? "One balance pays for every model."
          : "One balance pays for every model. An owner, an admin or somebody for billing can add credits."}
    </Step>
  );
}

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

function Step({ number, title, isDone, action, children }: StepProps) {
  return (
    <li className="flex gap-3">
      <span
        aria-hidden="true"
        className={cx(
          "mt-px flex size-6 shrink-0 items-center justify-center rounded-full text-xs font-semibold",
          isDone ? "bg-accent text-on-accent" : "border border-line-strong text-muted",
        )}
      >
        {isDone ? <Check className="size-3.5" strokeWidth={3} /> : number}
      </span>
      <div className="min-w-0">
        <h3 className="font-medium">
          {title}
          {isDone && <span className="sr-only">, done</span>}
        </h3>
        <p className="text-muted">{children}</p>
        {action !== undefined && action !== false && <div className="mt-2">{action}</div>}
      </div>
    </li>
  );
}

/** Where the focus was inside what folds away it goes to the heading, not nowhere. */
function useFocusAfterFold(isDone: boolean) {
  const section = useRef<HTMLElement>(null);
  const hadFocus = useRef(false);
  useEffect(() => {
    const element = section.current;
    if (element === null) return undefined;
    const note = () => {
      hadFocus.current = element.contains(document.activeElement);
    };
    document.addEventListener("focusin", note);
    return () => document.removeEventListener("focusin", note);
  }, []);
  useEffect(() => {
    if (isDone && hadFocus.current) section.current?.querySelector("h2")?.focus();
  }, [isDone]);
  return section;
}
