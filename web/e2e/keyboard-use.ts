import type { Page } from "playwright-core";
import { expect } from "vitest";

/** More than any page has: who needs more steps than this is lost in a trap. */
const MOST_STEPS = 400;

/** Everything that the mouse can use and the Tab key should reach, by a number that is put on it. */
function markReachable(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wanted = "a[href], button, input, select, textarea, summary, [tabindex]";
    const reachable = [...document.querySelectorAll<HTMLElement>(wanted)].filter((element) => {
      const isShown = element.checkVisibility({ visibilityProperty: true });
      const isOff = element.matches(":disabled, [aria-hidden=true], [aria-hidden=true] *, [inert] *");
      // In a group of radio buttons or tabs the Tab key reaches one, and the arrow keys the rest.
      const isRoving = element.tabIndex < 0 || element.matches("input[type=radio]:not(:checked), [role=radiogroup]");
      return isShown && !isOff && !isRoving;
    });
    return reachable.map((element, place) => {
      element.dataset.place = String(place);
      return `${place} ${element.outerHTML.slice(0, 120)}`;
    });
  });
}

interface Focused {
  readonly place: string | undefined;
  readonly isMarked: boolean;
  readonly html: string;
}

/** How often Tab is pressed before the page is asked what it met. */
const STEPS_AT_ONCE = 20;

/** Presses Tab so often, and says what had the focus after each; undefined: the page's body, so it has come round. */
async function pressTab(page: Page, times: number): Promise<(Focused | undefined)[]> {
  await page.evaluate(() => {
    const met: (Focused | undefined)[] = [];
    Object.assign(window, { met });
    const note = (event: KeyboardEvent) => {
      if (event.key !== "Tab") return;
      const element = document.activeElement;
      if (!(element instanceof HTMLElement) || element === document.body) {
        met.push(undefined);
        return;
      }
      const style = getComputedStyle(element);
      const ring = style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) > 0;
      const isMarked = ring || style.boxShadow !== "none";
      met.push({ place: element.dataset.place, isMarked, html: element.outerHTML.slice(0, 160) });
    };
    const { tabWatch } = window as unknown as { tabWatch?: AbortController };
    tabWatch?.abort();
    const watch = new AbortController();
    Object.assign(window, { tabWatch: watch });
    // The key comes up when the focus has moved.
    addEventListener("keyup", note, { capture: true, signal: watch.signal });
  });
  await sendTabs(page, times);
  return page.evaluate(() => (window as unknown as { met: (Focused | undefined)[] }).met);
}

const TAB = { key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 };

/** The browser takes keys one after the other: to wait for each here would take most of the time. */
async function sendTabs(page: Page, times: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const events: Promise<unknown>[] = [];
  for (let press = 0; press < times; press++)
    for (const type of ["rawKeyDown", "keyUp"] as const)
      events.push(session.send("Input.dispatchKeyEvent", { ...TAB, type }));
  await Promise.all(events);
  await session.detach();
}

/** Presses Tab until it comes round, and says what it met: where, and whether one could see that it was there. */
async function tabThrough(page: Page): Promise<{ met: Set<string>; unseen: string[] }> {
  const met = new Set<string>();
  const unseen: string[] = [];
  let last: string | undefined;
  for (let steps = 0; steps < MOST_STEPS; steps += STEPS_AT_ONCE) {
    for (const focus of await pressTab(page, STEPS_AT_ONCE)) {
      if (focus === undefined) return { met, unseen };
      // A date's day, month and year are three steps in one field.
      if (focus.place !== undefined && focus.place !== last && met.has(focus.place)) return { met, unseen };
      if (focus.place !== undefined) met.add(focus.place);
      last = focus.place;
      if (!focus.isMarked) unseen.push(focus.html);
    }
  }
  throw new Error("The Tab key never came round.");
}

/** Goes through the page as it stands by the Tab key alone: it reaches everything, visibly, and is never caught. */
export async function expectKeyboardUse(page: Page, path: string): Promise<void> {
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    document.body.tabIndex = -1;
    document.body.focus();
  });
  const reachable = await markReachable(page);
  const { met, unseen } = await tabThrough(page);
  const missed = reachable.filter((element) => !met.has(element.split(" ")[0] ?? ""));
  expect(missed, `out of the Tab key's reach on ${path}`).toEqual([]);
  expect(unseen, `reached, but not to be seen on ${path}`).toEqual([]);
}
