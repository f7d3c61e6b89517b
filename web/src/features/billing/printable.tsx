import { Link } from "@tanstack/react-router";
import type { AnswerOf } from "@trunkline/sdk";
import { ArrowLeft, Download, Printer } from "lucide-react";
import type { ReactNode } from "react";
import { texts } from "../../texts/texts.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { nameOfCountry } from "./countries.ts";

const TEXTS = texts.billing.printable;

type Parties = Pick<AnswerOf<"GET /v1/receipts/{id}">, "issuer" | "recipient">;

/** The frame of what is printed: on screen with its buttons, on paper without. */
export function PrintablePage(props: {
  readonly title: string;
  readonly isReady: boolean;
  /** Where the same is as a PDF. */
  readonly pdf?: string;
  readonly children: ReactNode;
}) {
  return (
    <Page
      title={props.title}
      width="narrow"
      above={
        <Link to="/billing" className={`${TEXT_LINK} inline-flex items-center gap-1.5 justify-self-start print:hidden`}>
          <ArrowLeft aria-hidden="true" className="size-4" />
          {TEXTS.billing}
        </Link>
      }
      actions={
        props.isReady && (
          <>
            {props.pdf !== undefined && (
              <a href={props.pdf} download className={`${buttonClass()} print:hidden`}>
                <Download aria-hidden="true" className="size-4" />
                {TEXTS.pdf}
              </a>
            )}
            <Button
              icon={<Printer aria-hidden="true" />}
              className="print:hidden"
              onClick={() => {
                print();
              }}
            >
              {TEXTS.print}
            </Button>
          </>
        )
      }
    >
      {props.children}
    </Page>
  );
}

/** The sheet itself. */
export function PrintableDocument({ children }: { readonly children: ReactNode }) {
  return (
    <article className="grid gap-8 rounded-lg border border-line bg-surface p-5 sm:p-8 print:rounded-none print:border-0 print:p-0">
      {children}
    </article>
  );
}

/** Who issues it, and whom it is made out to. */
export function PrintableParties({ issuer, recipient }: Parties) {
  return (
    <div className="grid gap-6 sm:grid-cols-2 print:grid-cols-2">
      <Party label={TEXTS.from}>
        <p className="font-medium">{issuer.name}</p>
        {issuer.url !== null && <p className="wrap-anywhere">{issuer.url}</p>}
      </Party>
      <Party label={TEXTS.to}>
        <p className="font-medium wrap-anywhere">{recipient.company ?? recipient.name}</p>
        {recipient.company !== null && recipient.company !== recipient.name && (
          <p className="wrap-anywhere">{recipient.name}</p>
        )}
        {recipient.address.map((line, place) => (
          // Two lines of an address may be the same.
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines never move.
          <p key={place} className="wrap-anywhere">
            {line}
          </p>
        ))}
        {recipient.country !== null && <p>{nameOfCountry(recipient.country)}</p>}
        {recipient.tax_id !== null && <p className="wrap-anywhere">{TEXTS.taxNumber(recipient.tax_id)}</p>}
        {recipient.email !== null && <p className="wrap-anywhere">{recipient.email}</p>}
      </Party>
    </div>
  );
}

function Party({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <h2 className="mb-1 text-sm font-normal text-muted">{label}</h2>
      {children}
    </div>
  );
}

/** A table on paper: names at the left, figures at the right, and a sum below where there is one. */
export function PrintableTable(props: {
  readonly title: string;
  readonly head: readonly [string, ...string[]];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[];
  readonly sum?: readonly ReactNode[];
}) {
  const alignOf = (place: number) => (place === 0 ? "text-left wrap-anywhere" : "pl-4 text-right whitespace-nowrap");
  return (
    <section className="min-w-0">
      <h2 className="mb-2 font-semibold">{props.title}</h2>
      <div role="group" aria-label={props.title} tabIndex={0} className="overflow-x-auto print:overflow-visible">
        <table className="w-full">
          <thead>
            <tr>
              {props.head.map((name, place) => (
                <th
                  key={name}
                  scope="col"
                  className={`border-b border-line-strong pb-1.5 text-sm font-normal text-muted ${alignOf(place)}`}
                >
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {props.rows.map(({ key, cells }) => (
              <tr key={key} className="break-inside-avoid">
                {cells.map((cell, place) => (
                  <td key={props.head[place]} className={`border-b border-line py-1.5 wrap-anywhere ${alignOf(place)}`}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          {props.sum !== undefined && (
            <tfoot>
              <tr className="font-semibold">
                {props.sum.map((cell, place) => (
                  <td key={props.head[place]} className={`pt-2 ${alignOf(place)}`}>
                    {cell}
                  </td>
                ))}
              </tr>
            </tfoot>
          )}
        </table>
      </div>
    </section>
  );
}
