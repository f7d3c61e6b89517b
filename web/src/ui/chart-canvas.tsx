import { texts } from "../texts/texts.ts";
import "uplot/dist/uPlot.min.css";
import { type KeyboardEvent, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import uPlot from "uplot";
import { chartOptions, type Palette } from "./chart-options.ts";
import type { ChartProps } from "./chart-props.ts";
import { formatDateTime } from "./format.ts";
import { onThemeChange } from "./theme.ts";

interface Spot {
  readonly index: number;
  readonly left: number;
}

/** The chart itself: a canvas, its legend, a tooltip that the pointer or the arrow keys move, and a table for those who don't see it. */
export function ChartCanvas({
  label,
  kind = "line",
  stacked = false,
  times,
  series,
  formatValue,
  scale = "linear",
  formatTime,
  zone,
  heightPx = 240,
  active,
  onActiveChange,
  hasTable = false,
}: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [palette, setPalette] = useState<Palette>();
  const [spot, setSpot] = useState<Spot>();
  const seconds = useMemo(() => times.map((at) => new Date(at).getTime() / 1_000), [times]);
  const writeTime = (index: number) => {
    const at = new Date((seconds[index] ?? 0) * 1_000);
    return formatTime === undefined ? formatDateTime(at, zone) : formatTime(at);
  };

  const moveSpot = useEffectEvent((next: Spot | undefined) => {
    setSpot(next);
    if (next?.index !== active) onActiveChange?.(next?.index);
  });

  useEffect(() => {
    const read = () => {
      if (frame.current !== null) setPalette(readPalette(frame.current));
    };
    read();
    return onThemeChange(read);
  }, []);

  useEffect(() => {
    const home = frame.current;
    if (home === null || palette === undefined) return undefined;
    const { options, data } = chartOptions({
      kind,
      stacked,
      seconds,
      series,
      formatValue,
      scale,
      zone,
      palette,
      widthPx: home.clientWidth,
      heightPx,
      onSpot: (index, left) => moveSpot(index === undefined ? undefined : { index, left }),
    });
    const made = new uPlot(options, data, home);
    plot.current = made;
    const observer = new ResizeObserver(() => {
      if (home.clientWidth > 0) made.setSize({ width: home.clientWidth, height: heightPx });
    });
    observer.observe(home);
    return () => {
      observer.disconnect();
      plot.current = null;
      made.destroy();
    };
  }, [palette, kind, stacked, seconds, series, formatValue, scale, zone, heightPx]);

  const isLinked = onActiveChange !== undefined;
  useEffect(() => {
    const made = plot.current;
    if (!isLinked || made === null || (made.cursor.idx ?? undefined) === active) return;
    const left = active === undefined ? -10 : made.valToPos(seconds[active] ?? 0, "x");
    made.setCursor({ left, top: active === undefined ? -10 : 0 });
  }, [active, isLinked, seconds]);

  function moveBy(event: KeyboardEvent) {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const made = plot.current;
    if (step === 0 || made === null || seconds.length === 0) return;
    event.preventDefault();
    const start = spot?.index ?? (step > 0 ? -1 : seconds.length);
    const index = Math.max(0, Math.min(seconds.length - 1, start + step));
    made.setCursor({ left: made.valToPos(seconds[index] ?? 0, "x"), top: 0 });
  }

  return (
    <figure className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2">
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted">
        {series.map((one, index) => (
          <li key={one.label} className="flex min-w-0 items-center gap-1.5">
            <span
              aria-hidden="true"
              className="size-2.5 shrink-0 rounded-[3px]"
              style={{ background: `var(--series-${colourOf(one.colour, index)})` }}
            />
            <span className="truncate">{one.label}</span>
          </li>
        ))}
      </ul>
      <div
        role="group"
        aria-label={texts.common.chartKeys(label)}
        tabIndex={0}
        onKeyDown={moveBy}
        onBlur={() => {
          setSpot(undefined);
          onActiveChange?.(undefined);
        }}
        className="relative rounded-md"
      >
        <div ref={frame} style={{ height: heightPx }} />
        {spot !== undefined && (
          <div
            role="status"
            className="pointer-events-none absolute top-2 z-10 min-w-36 rounded-md border border-line bg-raised px-2.5 py-1.5 text-sm shadow-overlay"
            style={
              spot.left > (frame.current?.clientWidth ?? 0) / 2
                ? { right: (frame.current?.clientWidth ?? 0) - spot.left + 12 }
                : { left: spot.left + 12 }
            }
          >
            <p className="text-xs text-muted">{writeTime(spot.index)}</p>
            {series.map((one, index) => (
              <p key={one.label} className="flex items-center justify-between gap-4">
                <span className="flex min-w-0 items-center gap-1.5">
                  <span
                    aria-hidden="true"
                    className="size-2 shrink-0 rounded-[2px]"
                    style={{ background: `var(--series-${colourOf(one.colour, index)})` }}
                  />
                  <span className="max-w-40 truncate">{one.label}</span>
                </span>
                <span className="font-medium">{writeValue(one.values[spot.index], formatValue)}</span>
              </p>
            ))}
            {stacked && series.length > 1 && (
              <p className="mt-1 flex items-center justify-between gap-4 border-t border-line pt-1 font-medium">
                <span>{texts.common.total}</span>
                <span>{formatValue(series.reduce((sum, { values }) => sum + (values[spot.index] ?? 0), 0))}</span>
              </p>
            )}
          </div>
        )}
      </div>
      {!hasTable && (
        <div className="sr-only">
          <table>
            <caption>{label}</caption>
            <thead>
              <tr>
                <th scope="col">{texts.common.time}</th>
                {series.map((one) => (
                  <th key={one.label} scope="col">
                    {one.label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {seconds.map((second, index) => (
                <tr key={second}>
                  <th scope="row">{writeTime(index)}</th>
                  {series.map((one) => (
                    <td key={one.label}>{writeValue(one.values[index], formatValue)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </figure>
  );
}

function colourOf(colour: number | undefined, index: number): number {
  return colour ?? (index % 9) + 1;
}

function writeValue(value: number | null | undefined, formatValue: (value: number) => string): string {
  return value === null || value === undefined ? texts.common.noValue : formatValue(value);
}

/** A canvas takes only colours that are worked out, and light-dark() is not: an element of the page works them out. */
function readPalette(home: HTMLElement): Palette {
  const probe = home.appendChild(document.createElement("span"));
  // A colour that fades in would be read at its beginning.
  probe.style.transition = "none";
  const read = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const palette = {
    line: read("line"),
    text: read("muted"),
    series: [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => read(`series-${number}`)),
  };
  probe.remove();
  return palette;
}
