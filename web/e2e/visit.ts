import type { Browser, BrowserContext, Page } from "playwright-core";
import type { TestMember } from "../../server/test/support/member.ts";

export const SIZES = { phone: { width: 360, height: 740 }, desk: { width: 1440, height: 900 } } as const;

/** A browser window, and what went wrong in it. */
export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors, and what the content security policy refused. */
  readonly troubles: string[];
}

export interface VisitorTerms {
  readonly member?: TestMember | undefined;
  readonly theme?: "light" | "dark";
  readonly size?: keyof typeof SIZES;
}

/** Opens a window, logged in as somebody or as a stranger. */
export async function openVisitor(
  browser: Browser,
  url: string,
  { member, theme = "light", size = "desk" }: VisitorTerms = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: SIZES[size],
    colorScheme: theme,
    reducedMotion: "reduce",
    timezoneId: "Europe/Berlin",
    locale: "en-GB",
  });
  if (member !== undefined) {
    const [name = "", value = ""] = member.cookie.split("=");
    await context.addCookies([{ name, value, url, httpOnly: true, sameSite: "Strict" }]);
  }
  const troubles: string[] = [];
  await context.exposeFunction("reportViolation", (text: string) => troubles.push(text));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      const { reportViolation } = window as unknown as { reportViolation: (text: string) => void };
      reportViolation(`The policy refused ${event.blockedURI} (${event.violatedDirective}).`);
    });
  });
  const page = await context.newPage();
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("console", (message) => {
    // A 4xx is told by the page itself; the browser's own line about it is no error of ours.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) troubles.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url()))
      troubles.push(`The page asked ${request.url()}, which is not ours.`);
  });
  return { context, page, troubles };
}

/** Goes to a page and waits until it has what it shows. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await settle(page);
}

/** Waits until nothing is loading any more: what is still to come has a skeleton. */
export async function settle(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await page.waitForFunction(() => document.querySelector("[data-skeleton]") === null);
}
