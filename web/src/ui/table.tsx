import {
  type ColumnDef,
  createSortedRowModel,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { type MouseEvent, type ReactNode, useMemo, useState } from "react";
import { cx } from "./cx.ts";
import { locale } from "./locale.ts";

type SortValue = string | number | bigint | boolean | Date | null | undefined;

export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** What the column is sorted by; left out, it can't be sorted. What is null comes last. */
  readonly sortBy?: (row: Row) => SortValue;
  readonly align?: "left" | "right";
  /** Left out below 640 px. */
  readonly wideOnly?: boolean;
  /** Keeps the header for those who listen, for a column of buttons. */
  readonly hideHeader?: boolean;
  readonly className?: string;
}

export interface TableProps<Row> {
  /** What the table shows, for those who don't see it. */
  readonly label: string;
  /** Keep it stable: at the module's top or in useMemo. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Opens a row: by a click anywhere on it, or by the button that its first cell becomes. */
  readonly onRowClick?: (row: Row) => void;
  readonly initialSort?: { readonly id: string; readonly descending?: boolean };
  /** Marks one row, such as the one that a sheet shows. */
  readonly selectedKey?: string | undefined;
  /** The header stays in sight while the table scrolls within this height, such as `max-h-128`. */
  readonly className?: string;
}

const FEATURES = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });
const INTERACTIVE = "a, button, input, select, textarea, label, [role='menuitem'], [role='checkbox'], [role='switch']";

/** Rows and columns. On phones it scrolls sideways in its own frame. */
export function Table<Row extends object>({
  label,
  columns,
  rows,
  rowKey,
  onRowClick,
  initialSort,
  selectedKey,
  className,
}: TableProps<Row>) {
  const [sorting, setSorting] = useState<SortingState>(
    initialSort === undefined ? [] : [{ id: initialSort.id, desc: initialSort.descending ?? false }],
  );
  const definitions = useMemo(() => columns.map((column) => definitionOf(column)), [columns]);
  const data = useMemo(() => [...rows], [rows]);
  const table = useTable({
    features: FEATURES,
    columns: definitions,
    data,
    getRowId: rowKey,
    state: { sorting },
    onSortingChange: setSorting,
  });
  const byId = useMemo(() => new Map(columns.map((column) => [column.id, column])), [columns]);

  function clickRow(event: MouseEvent, row: Row) {
    const target = event.target as Element;
    // What is inside has its own click, and so has what was portalled out of the row.
    if (target.closest(INTERACTIVE) !== null || !event.currentTarget.contains(target)) return;
    if (getSelection()?.toString() !== "") return;
    onRowClick?.(row);
  }

  return (
    <div
      role="group"
      aria-label={label}
      tabIndex={0}
      className={cx("min-w-0 overflow-auto rounded-lg border border-line bg-surface", className)}
    >
      <table className="w-full border-separate border-spacing-0 text-left">
        <caption className="sr-only">{label}</caption>
        <thead className="sticky top-0 z-10">
          <tr>
            {table.getFlatHeaders().map((header) => {
              const column = byId.get(header.id);
              if (column === undefined) return null;
              const sorted = header.column.getIsSorted();
              return (
                <th
                  key={header.id}
                  scope="col"
                  aria-sort={sorted === false ? undefined : sorted === "asc" ? "ascending" : "descending"}
                  className={cx(
                    "h-9 border-b border-line bg-subtle px-4 text-xs font-medium whitespace-nowrap text-muted",
                    column.align === "right" && "text-right",
                    column.wideOnly && "max-sm:hidden",
                  )}
                >
                  {column.sortBy === undefined ? (
                    <span className={column.hideHeader ? "sr-only" : undefined}>{column.header}</span>
                  ) : (
                    <button
                      type="button"
                      onClick={header.column.getToggleSortingHandler()}
                      className="-mx-1.5 inline-flex items-center gap-1 rounded-sm px-1.5 py-1 hover:text-text [&_svg]:size-3.5"
                    >
                      {column.header}
                      {sorted === false ? (
                        <ChevronsUpDown aria-hidden="true" className="opacity-50" />
                      ) : sorted === "asc" ? (
                        <ArrowUp aria-hidden="true" />
                      ) : (
                        <ArrowDown aria-hidden="true" />
                      )}
                    </button>
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            // The first cell is a button that does the same for the keyboard.
            <tr
              key={row.id}
              onClick={onRowClick === undefined ? undefined : (event) => clickRow(event, row.original)}
              className={cx(
                "group",
                onRowClick !== undefined && "cursor-pointer hover:bg-subtle",
                selectedKey === row.id && "bg-accent-soft!",
              )}
            >
              {columns.map((column, index) => (
                <td
                  key={column.id}
                  className={cx(
                    "h-12 border-b border-line px-4 py-2 group-last:border-b-0",
                    column.align === "right" && "text-right whitespace-nowrap",
                    column.wideOnly && "max-sm:hidden",
                    column.className,
                  )}
                >
                  {index === 0 && onRowClick !== undefined ? (
                    <button
                      type="button"
                      onClick={() => onRowClick(row.original)}
                      className="rounded-sm text-left font-medium hover:underline"
                    >
                      {column.cell(row.original)}
                    </button>
                  ) : (
                    column.cell(row.original)
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function definitionOf<Row extends object>(column: Column<Row>): ColumnDef<typeof FEATURES, Row> {
  const { sortBy } = column;
  return {
    id: column.id,
    header: column.header,
    // A missing value is undefined, which sorts last in both directions.
    accessorFn: (row) => sortBy?.(row) ?? undefined,
    enableSorting: sortBy !== undefined,
    sortUndefined: "last",
    sortFn: (a, b, id) => compare(a.getValue<SortValue>(id), b.getValue<SortValue>(id)),
  };
}

function compare(a: SortValue, b: SortValue): number {
  if (typeof a === "string" && typeof b === "string") return a.localeCompare(b, locale(), { numeric: true });
  const left = a ?? 0;
  const right = b ?? 0;
  return left < right ? -1 : left > right ? 1 : 0;
}
