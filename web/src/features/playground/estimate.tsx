import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Money } from "../../ui/money.tsx";
import type { Preview } from "./use-preview.ts";

const { playground: words } = texts;

/** Where a message would go and what that would cost, all together. */
export function Estimate({ routes }: { readonly routes: readonly (Preview["candidates"][number] | undefined)[] }) {
  const known = routes.filter((route) => route !== undefined);
  if (known.length < routes.length) return null;
  const sum = Number(known.reduce((before, route) => before + route.estimated_cost, 0).toFixed(9));
  const models = [...new Set(known.map(({ model }) => model))].join(", ");
  return (
    <span className="wrap-anywhere">
      <Sentence
        text={sum === 0 ? words.freeEstimate : words.estimate}
        parts={{ models, cost: <Money credits={sum} /> }}
      />
    </span>
  );
}
