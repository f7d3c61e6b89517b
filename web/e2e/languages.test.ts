import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LANGUAGES } from "../src/texts/choose-language.ts";
import { openChromium } from "./chromium.ts";
import { expectNoBarriers, overflowOf } from "./find-barriers.ts";
import { type FurnishedService, PLAIN_WORDS, startFurnishedService } from "./furnished-service.ts";
import { measureLoad } from "./measure-load.ts";
import { PAGES } from "./pages.ts";
import { followLink, goTo, openVisitor, SIZES, settle } from "./visit.ts";

let browser: Browser;
let furnished: FurnishedService;

beforeAll(async () => {
  [browser, furnished] = await Promise.all([openChromium(), startFurnishedService(PLAIN_WORDS)]);
});

afterAll(async () => {
  await browser.close();
  await furnished.stop();
});

const TITLES = { en: "Log in", de: "Anmelden", es: "Iniciar sesión", ja: "ログイン", zh: "登录" } as const;

describe("the dashboard's language", () => {
  it.each(Object.keys(LANGUAGES) as (keyof typeof LANGUAGES)[])("is the browser's: %s", async (language) => {
    const { page, context, troubles } = await openVisitor(browser, furnished.service.url, { locale: language });
    await goTo(page, "/log-in");
    expect(await page.locator("html").getAttribute("lang")).toBe(language);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(TITLES[language]);
    await expectNoBarriers(page);
    expect(troubles).toEqual([]);
    await context.close();
  });

  it("is chosen under Settings, and kept", async () => {
    const { page, context } = await openVisitor(browser, furnished.service.url, { member: furnished.owner });
    await goTo(page, "/settings/profile");
    await page.getByRole("combobox", { name: "Language" }).selectOption("ja");
    await page.getByRole("heading", { level: 1, name: "設定" }).waitFor();
    await goTo(page, "/billing");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("請求");
    await context.close();
  });

  it("fits every page on a phone, also where words are long", async () => {
    for (const by of ["owner", "operator"] as const) {
      const member = furnished[by];
      const { page, context, troubles } = await openVisitor(browser, furnished.service.url, { member, locale: "de" });
      await goTo(page, "/log-in");
      await page.setViewportSize(SIZES.phone);
      const wide: string[] = [];
      for (const { path } of PAGES.filter((one) => one.by === by)) {
        await followLink(page, path);
        await settle(page);
        if ((await overflowOf(page)) > 0) wide.push(path);
      }
      expect(wide).toEqual([]);
      expect(troubles).toEqual([]);
      await context.close();
    }
  });

  it.each(["/", "/keys"])("is loaded with the page in less than 250 kB of compressed script: %s", async (path) => {
    const { scriptBytes } = await measureLoad(browser, furnished.service.url, path, furnished.owner, { locale: "ja" });
    expect(scriptBytes).toBeLessThan(250_000);
  });
});
