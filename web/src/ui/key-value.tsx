import type { ReactNode } from "react";

export interface KeyValueProps {
  /** Those with an undefined value are left out. */
  readonly items: readonly { readonly label: ReactNode; readonly value: ReactNode; readonly key?: string }[];
}

/** The properties of one thing, one a line. */
export function KeyValue({ items }: KeyValueProps) {
  return (
    <dl className="grid min-w-0 divide-y divide-line">
      {items
        .filter(({ value }) => value !== undefined)
        .map((item, index) => (
          <div
            key={item.key ?? (typeof item.label === "string" ? item.label : index)}
            className="grid gap-x-4 py-2 sm:grid-cols-[minmax(8rem,1fr)_2fr]"
          >
            <dt className="text-muted">{item.label}</dt>
            <dd className="min-w-0 wrap-anywhere">{item.value}</dd>
          </div>
        ))}
    </dl>
  );
}
