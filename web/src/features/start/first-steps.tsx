import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Check, X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { catalogueQuery } from "../../api/catalogue.ts";
import { isFree } from "../../api/pricing.ts";
import { usePermission } from "../../api/session.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { buttonClass } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";
import { formatMoney } from "../../ui/format.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { ConnectProvider } from "./connect-provider.tsx";
import { CreateFirstKey } from "./create-first-key.tsx";
import { FirstRequest } from "./first-request.tsx";
import { areStepsDone, type Overview, realOffersOf } from "./overview-query.ts";
import { TryModel } from "./try-model.tsx";

const TEXTS = texts.home;

export interface FirstStepsProps {
  readonly overview: Overview;
  readonly onHide: () => void;
}

/** From nothing to an app that a real model answers. Each step ticks by itself; when all are done the list folds to a line. */
export function FirstSteps({ overview, onHide }: FirstStepsProps) {
  const { steps, first_request: first } = overview;
  const id = useId();
  const needsCredits = useNeedsCredits(overview);
  const isDone = areStepsDone(overview);
  const section = useFocusAfterFold(isDone);
  const all: readonly StepProps[] = [
    {
      title: TEXTS.connect.title,
      isDone: steps.model,
      isOpen: true,
      children: <ConnectProvider isDone={steps.model} />,
    },
    ...(needsCredits || (steps.funded && !steps.answer)
      ? [
          {
            title: TEXTS.credits.title,
            isDone: steps.funded,
            isOpen: true,
            children: <AddCredits isDone={steps.funded} />,
          },
        ]
      : []),
    {
      title: TEXTS.tryModel.title,
      isDone: steps.answer,
      isOpen: steps.model,
      children: <TryModel />,
    },
    {
      title: TEXTS.key.title,
      isDone: steps.key,
      isOpen: true,
      children: <CreateFirstKey isDone={steps.key} />,
    },
    {
      title: TEXTS.request.title,
      isDone: steps.request,
      isOpen: true,
      children:
        first === null ? (
          <FirstRequest isWaiting={!steps.request} hasKey={steps.key} />
        ) : (
          <p className="text-muted">
            <Sentence
              text={TEXTS.request.answered}
              parts={{
                model: <span className="wrap-anywhere">{first.model ?? TEXTS.steps.aModel}</span>,
                cost: formatMoney(first.cost),
                link: (
                  <Link to="/requests/$id" params={{ id: first.id }} className={TEXT_LINK}>
                    {TEXTS.request.view}
                  </Link>
                ),
              }}
            />
          </p>
        ),
    },
  ];
  const count = all.filter((step) => step.isDone).length;

  return (
    <section ref={section} aria-labelledby={id} className="min-w-0 rounded-lg border border-line bg-surface p-4 sm:p-6">
      <header className="flex items-start justify-between gap-4">
        <div>
          <h2 id={id} tabIndex={-1} className="text-lg font-semibold outline-none">
            {isDone ? TEXTS.steps.doneTitle : TEXTS.steps.title}
          </h2>
          <p className="text-muted">{isDone ? TEXTS.steps.doneText : TEXTS.steps.progress(count, all.length)}</p>
        </div>
        <IconButton
          label={isDone ? TEXTS.steps.dismiss : TEXTS.steps.hide}
          size="sm"
          icon={<X aria-hidden="true" />}
          className="-mt-1 -mr-1"
          onClick={onHide}
        />
      </header>
      {/* One region for all of it: it is there from the beginning, so that what comes later is spoken. */}
      <p role="status" className={isDone ? "mt-3" : "sr-only"}>
        {first === null ? "" : TEXTS.steps.firstArrived(first.model ?? TEXTS.steps.aModel, formatMoney(first.cost))}
      </p>
      {isDone ? (
        first !== null && (
          <p className="mt-1">
            <Link to="/requests/$id" params={{ id: first.id }} className={TEXT_LINK}>
              {TEXTS.steps.viewFirst}
            </Link>
          </p>
        )
      ) : (
        <ol className="mt-5 grid min-w-0 gap-6">
          {all.map((step, index) => (
            <Step key={step.title} number={index + 1} {...step} />
          ))}
        </ol>
      )}
    </section>
  );
}

/** Whether the models there are cost something, and nothing is there to pay with. */
function useNeedsCredits({ steps }: Overview): boolean {
  const { data = [] } = useQuery(catalogueQuery);
  const offers = realOffersOf(data);
  return !steps.funded && offers.length > 0 && offers.every(({ pricing }) => !isFree(pricing));
}

function AddCredits({ isDone }: { readonly isDone: boolean }) {
  const mayPay = usePermission("billing.change");
  if (isDone) return <p className="text-muted">{TEXTS.credits.done}</p>;
  return (
    <div className="grid justify-items-start gap-2">
      <p className="text-muted">{mayPay ? TEXTS.credits.text : TEXTS.credits.forbidden}</p>
      {mayPay && (
        <Link to="/billing" className={buttonClass("primary")}>
          {TEXTS.credits.add}
        </Link>
      )}
    </div>
  );
}

interface StepProps {
  readonly title: string;
  readonly isDone: boolean;
  /** What is in it is shown; a step that waits for another is its title alone. */
  readonly isOpen: boolean;
  readonly children: ReactNode;
}

function Step({ number, title, isDone, isOpen, children }: StepProps & { readonly number: number }) {
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
      <div className="grid min-w-0 grow gap-2">
        <h3 className={cx("font-medium", !isOpen && "text-muted")}>
          {title}
          {isDone && <span className="sr-only"> {TEXTS.steps.done}</span>}
        </h3>
        {isOpen && children}
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
