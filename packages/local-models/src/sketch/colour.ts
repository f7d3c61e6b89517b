/** Red, green and blue as the screen takes them, 0 to 255 with fractions. */
export type Colour = readonly [number, number, number];

/** Lightness, and two opponent axes (OKLab): mixing here keeps colours clean where red, green and blue turn grey. */
type Perceived = readonly [lightness: number, greenRed: number, blueYellow: number];

/** A colour from its hexadecimal form, `#rrggbb`. */
export function colour(hex: string): Colour {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** The colour between two, by a share of the second. */
export function mix(one: Colour, other: Colour, share: number): Colour {
  const [l1, a1, b1] = perceive(one);
  const [l2, a2, b2] = perceive(other);
  return show([l1 + (l2 - l1) * share, a1 + (a2 - a1) * share, b1 + (b2 - b1) * share]);
}

/** Turns a colour's hue towards another, by degrees in OKLab, keeping how light it is. */
export function tint(base: Colour, hueDegrees: number, share: number): Colour {
  const [lightness, a, b] = perceive(base);
  const strength = Math.max(Math.hypot(a, b), 0.05 + 0.05 * Math.sin(Math.PI * lightness));
  const hue = (hueDegrees * Math.PI) / 180;
  return show([lightness, a + (strength * Math.cos(hue) - a) * share, b + (strength * Math.sin(hue) - b) * share]);
}

/** A colour made lighter (above 1) or darker (below 1). */
export function shade(base: Colour, factor: number): Colour {
  const [lightness, a, b] = perceive(base);
  return show([Math.min(1, lightness * factor), a, b]);
}

/** Colours along a line from the first stop to the last: three numbers a step. */
export function gradient(stops: readonly Colour[], steps: number): Float32Array {
  const perceived = stops.map(perceive);
  const ramp = new Float32Array(steps * 3);
  for (let step = 0; step < steps; step += 1) {
    const place = (step / Math.max(1, steps - 1)) * (stops.length - 1);
    const from = Math.min(stops.length - 1, Math.floor(place));
    const one = perceived[from] ?? [0, 0, 0];
    const other = perceived[Math.min(stops.length - 1, from + 1)] ?? one;
    const share = place - from;
    ramp.set(
      show([
        one[0] + (other[0] - one[0]) * share,
        one[1] + (other[1] - one[1]) * share,
        one[2] + (other[2] - one[2]) * share,
      ]),
      step * 3,
    );
  }
  return ramp;
}

function perceive([red, green, blue]: Colour): Perceived {
  const r = toLinear(red);
  const g = toLinear(green);
  const b = toLinear(blue);
  const long = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const medium = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const short = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short,
    0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short,
  ];
}

function show([lightness, a, b]: Perceived): Colour {
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    fromLinear(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
    fromLinear(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
    fromLinear(-0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short),
  ];
}

function toLinear(value: number): number {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

function fromLinear(value: number): number {
  const share = Math.min(1, Math.max(0, value));
  return 255 * (share <= 0.0031308 ? share * 12.92 : 1.055 * share ** (1 / 2.4) - 0.055);
}
