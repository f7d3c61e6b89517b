import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Columns2, SearchX, X } from "lucide-react";
import { useDeferredValue, useMemo, useState } from "react";
import { catalogueQuery, type Offer } from "../../api/catalogue.ts";
import { usePermission } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Page } from "../../ui/page.tsx";
import { LoadMore } from "../../ui/pagination.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { useMediaQuery } from "../../ui/use-media-query.ts";
import { CompareView } from "./compare-view.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { ModelCards } from "./model-cards.tsx";
import { MOST_COMPARED, selectOffers, type View } from "./model-filters.ts";
import { ModelTable } from "./model-table.tsx";
import { ScatterView } from "./scatter-view.tsx";
import { type ModelSearchState, useModelSearch } from "./use-model-search.ts";

const TEXTS = texts.models;

const VIEW_WORDS: readonly { readonly value: View; readonly label: string }[] = [
  { value: "list", label: TEXTS.views.list },
  { value: "chart", label: TEXTS.views.chart },
  { value: "compare", label: TEXTS.views.compare },
];

/** Every model that can be called, with its price and how it does. */
export function ModelsPage() {
  const { data: offers, error, refetch } = useQuery(catalogueQuery);
  const state = useModelSearch();
  const view = state.search.view ?? "list";
  return (
    <Page
      title={TEXTS.title}
      description={TEXTS.description}
      width="wide"
      actions={
        <Segmented
          label={TEXTS.view}
          value={view}
          onValueChange={(next) => state.change({ view: next === "list" ? undefined : next }, { isStep: true })}
          options={VIEW_WORDS}
        />
      }
    >
      {offers === undefined ? (
        error === null ? (
          <SkeletonRows rows={8} label={TEXTS.loading} />
        ) : (
          <ErrorState error={error} onRetry={refetch} />
        )
      ) : (
        <Catalogue offers={offers} state={state} view={view} />
      )}
    </Page>
  );
}

interface CatalogueProps {
  readonly offers: readonly Offer[];
  readonly state: ModelSearchState;
  readonly view: View;
}

function Catalogue({ offers, state, view }: CatalogueProps) {
  const compared = useMemo(
    () =>
      state.compared.flatMap((name) => {
        const found = offers.find(({ full_name }) => full_name === name);
        return found === undefined ? [] : [found];
      }),
    [offers, state.compared],
  );
  // Typing stays quick while the list follows.
  const search = useDeferredValue(state.search);
  const selected = useMemo(() => selectOffers(offers, search), [offers, search]);
  if (view === "compare") return <CompareView offers={compared} onRemove={state.toggleCompared} />;
  return (
    <>
      {offers.every(({ provider }) => provider === "builtin") && <OnlyBuiltin />}
      <FilterBar offers={offers} state={state} />
      <p role="status" className="sr-only">
        {TEXTS.count(selected.length)}
      </p>
      {selected.length === 0 ? (
        <EmptyState icon={<SearchX />} title={TEXTS.noneFound}>
          {TEXTS.noneFoundText}
        </EmptyState>
      ) : view === "chart" ? (
        <ScatterView offers={selected} compared={state.compared} />
      ) : (
        <List key={JSON.stringify({ ...search, compare: undefined })} offers={selected} state={state} />
      )}
      <CompareTray
        names={state.compared}
        onRemove={state.toggleCompared}
        onCompare={() => state.change({ view: "compare" }, { isStep: true })}
      />
    </>
  );
}

/** How many are drawn at first, and how many more each time. */
const AT_ONCE = 60;

function List({ offers, state }: { readonly offers: readonly Offer[]; readonly state: ModelSearchState }) {
  const [count, setCount] = useState(AT_ONCE);
  const isWide = useMediaQuery("(min-width: 64rem)");
  const ListForm = isWide ? ModelTable : ModelCards;
  return (
    <>
      <ListForm
        offers={offers.slice(0, count)}
        sort={state.search.sort ?? "name"}
        onSort={(sort) => state.change({ sort: sort === "name" ? undefined : sort })}
        compared={state.compared}
        canCompareMore={state.canCompareMore}
        onCompare={state.toggleCompared}
      />
      <LoadMore
        hasMore={offers.length > count}
        loading={false}
        onMore={() => setCount(count + AT_ONCE)}
        count={TEXTS.count(Math.min(count, offers.length))}
      />
    </>
  );
}

/** The way from the built-in models to real ones: a provider's key. */
function OnlyBuiltin() {
  const mayConnect = usePermission("settings.change");
  const words = TEXTS.onlyBuiltin;
  return (
    <Banner
      title={words.title}
      action={
        mayConnect ? (
          <Link to="/settings/provider-keys" className={buttonClass("primary", "sm")}>
            {words.connect}
          </Link>
        ) : undefined
      }
    >
      {mayConnect ? words.text : words.ask}
    </Banner>
  );
}

interface CompareTrayProps {
  readonly names: readonly string[];
  readonly onRemove: (name: string) => void;
  readonly onCompare: () => void;
}

/** What was chosen to be compared, in sight while the list scrolls. */
function CompareTray({ names, onRemove, onCompare }: CompareTrayProps) {
  if (names.length === 0) return null;
  return (
    <section
      aria-label={TEXTS.compare.tray}
      className="sticky bottom-3 z-20 flex flex-wrap items-center gap-2 rounded-lg border border-line-strong bg-raised p-2.5 pl-4 shadow-overlay"
    >
      <ul className="flex min-w-0 grow flex-wrap gap-1.5">
        {names.map((name) => (
          <li key={name} className="flex max-w-full items-center rounded-full bg-hover pl-2.5 text-sm">
            <span className="truncate">{name}</span>
            <IconButton
              label={TEXTS.compare.remove(name)}
              size="sm"
              icon={<X aria-hidden="true" />}
              onClick={() => onRemove(name)}
            />
          </li>
        ))}
      </ul>
      <span role="status" className="text-sm text-muted">
        {names.length === 1 ? TEXTS.compare.selectMore : TEXTS.compare.selected(names.length, MOST_COMPARED)}
      </span>
      <Button variant="primary" icon={<Columns2 aria-hidden="true" />} disabled={names.length < 2} onClick={onCompare}>
        {TEXTS.compare.button}
      </Button>
    </section>
  );
}
