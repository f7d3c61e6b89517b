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
  /** The browser's language. */
  readonly locale?: string;
}

/** Opens a window, logged in as somebody or as a stranger. */
export async function openVisitor(
  browser: Browser,
  url: string,
  { member, theme = "light", size = "desk", locale = "en-GB" }: VisitorTerms = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: SIZES[size],
    colorScheme: theme,
    reducedMotion: "reduce",
    timezoneId: "Europe/Berlin",
    locale,
  });
  if (member !== undefined) {
    const [name = "", value = ""] = member.cookie.split("=");
    await context.addCookies([{ name, value, url, httpOnly: true, sameSite: "Strict" }]);
  }
  // Far above what a slow, busy machine needs: only what hangs gets there.
  context.setDefaultTimeout(240_000);
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

/** One window for each person who looks, as the browser keeps what it has loaded once. */
export class Visitors {
  readonly #open: () => { browser: Browser; url: string };
  readonly #visitors = new Map<TestMember | undefined, Promise<Visitor>>();

  constructor(open: () => { browser: Browser; url: string }) {
    this.#open = open;
  }

  /** The window of a member, or of a stranger, made ready for the next look: on a desk, light, without troubles. */
  async of(member?: TestMember): Promise<Visitor> {
    const { browser, url } = this.#open();
    const opening = this.#visitors.get(member) ?? openVisitor(browser, url, { member });
    this.#visitors.set(member, opening);
    const visitor = await opening;
    visitor.troubles.length = 0;
    await visitor.page.setViewportSize(SIZES.desk);
    await visitor.page.emulateMedia({ colorScheme: "light" });
    return visitor;
  }

  /** The window of a member at a page that is loaded anew. */
  async at(member: TestMember, path: string): Promise<Visitor> {
    const visitor = await this.of(member);
    await goTo(visitor.page, path);
    return visitor;
  }
}

/** Goes to a page and waits until it has what it shows. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await settle(page);
}

/** Goes to another page as a link does, without loading the application anew, and waits until it has what it shows. */
export async function followLink(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    // Every page gives the document its title.
    document.title = "";
    history.pushState({}, "", to);
    dispatchEvent(new PopStateEvent("popstate"));
  }, path);
  await page.waitForFunction(() => document.title !== "");
  await settle(page);
}

/** Waits until nothing is loading any more: what is still to come has a skeleton. */
export async function settle(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await page.waitForFunction(() => document.querySelector("[data-skeleton]") === null);
}
