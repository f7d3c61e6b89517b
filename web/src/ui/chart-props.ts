/** One line or one set of bars. */
export interface ChartSeries {
  readonly label: string;
  /** One for each time; null where there is nothing. */
  readonly values: readonly (number | null)[];
  /** Which of the colours; its place in the list if left out. The sixth is grey. */
  readonly colour?: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | undefined;
}

/** What a chart takes. */
export interface ChartProps {
  /** What the chart shows, in a sentence. */
  readonly label: string;
  readonly kind?: "line" | "area" | "bar";
  /** Puts the series on top of each other. */
  readonly stacked?: boolean;
  /** When, in ascending order. */
  readonly times: readonly (string | number | Date)[];
  readonly series: readonly ChartSeries[];
  readonly formatValue: (value: number) => string;
  /** `log`: by the logarithm, for values of very different sizes. Nothing that is stacked. */
  readonly scale?: "linear" | "log";
  /** How a time is written in the tooltip and the table. */
  readonly formatTime?: (at: Date) => string;
  readonly zone?: string;
  readonly heightPx?: number;
  /** Where the cursor is, for a page that shows the same times elsewhere; it hears where it goes. */
  readonly active?: number | undefined;
  readonly onActiveChange?: (index: number | undefined) => void;
  /** A table of the same figures stands on the page already. */
  readonly hasTable?: boolean;
}
