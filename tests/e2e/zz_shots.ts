import { launchBrowser, signIn } from "@/tests/e2e/site.ts";
const [what = "all", lang = "en", size = "1280x910"] = Deno.args;
const [width, height] = size.split("x").map(Number) as [number, number];
const url = "http://localhost:8791", out = "/tmp/wl_shots";
const browser = await launchBrowser({ gl: what.includes("viewer") });
const context = await browser.newContext({
  viewport: { width, height },
  baseURL: url,
  locale: lang === "ko" ? "ko-KR" : "en-US",
});
const page = await context.newPage();
page.on("pageerror", (e) => console.log("PAGEERROR", String(e)));
page.on("console", (m) => m.type() === "error" && console.log("CONSOLE", m.text()));
const shot = async (name: string) => {
  await page.waitForTimeout(500);
  await page.screenshot({ path: `${out}/${name}_${lang}_${width}.png` });
  const w = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  console.log(name, "wide by", w);
};
const is = (name: string) => what === "all" || what.split(",").includes(name);
if (is("login")) {
  await page.goto("/login");
  await shot("login");
}
await signIn(page);
if (is("first")) {
  await page.waitForTimeout(1500);
  await shot("first");
}
if (is("load")) {
  await page.getByRole("button", { name: /Load demo|데모 환자 불러/ }).click();
  await shot("loading");
}
if (is("list")) {
  await page.waitForTimeout(1000);
  await shot("list");
}
if (is("help")) {
  await page.getByRole("button", { name: /^(Help|도움말)$/ }).click();
  await shot("help");
  await page.keyboard.press("Escape");
}
if (is("export")) {
  await page.getByRole("button", { name: /^(Export All|전체 내보내기)$/ }).click();
  await page.waitForTimeout(1500);
  await shot("export");
  await page.getByRole("button", { name: /^(Choose columns|열 선택)$/ }).click();
  await shot("export_columns");
  await page.keyboard.press("Escape");
}
if (is("tray")) {
  await page.getByRole("button", { name: /^(Export All|전체 내보내기)$/ }).click();
  await page.waitForTimeout(800);
  await page.locator("dialog").getByRole("button", { name: /^(Export|내보내기)$/ }).click();
  await page.waitForTimeout(1500);
  await shot("tray_toast");
  await page.locator("header button[aria-expanded]").first().click();
  await shot("tray");
}
if (is("cards")) {
  await page.getByRole("button", { name: /^(Cards|카드)$/ }).click();
  await page.waitForTimeout(1200);
  await shot("cards");
  await page.getByRole("button", { name: /^(Table|표)$/ }).click();
}
if (is("upload")) {
  await page.getByRole("button", { name: /^(Upload|업로드)$/ }).first().click();
  await page.waitForTimeout(800);
  await shot("upload");
  await page.keyboard.press("Escape");
}
if (is("checked")) {
  await page.locator("tr[data-pid] input").first().check();
  await shot("checked");
}
if (is("labels")) {
  await page.locator("tr[data-pid] input").first().check();
  await page.getByRole("toolbar").getByRole("button", { name: /^(Labels|라벨)$/ }).click();
  await page.waitForTimeout(700);
  await shot("labels");
  await page.keyboard.press("Escape");
}
if (is("filter")) {
  await page.getByRole("button", { name: /^(Filter|필터)$/ }).click();
  await page.waitForTimeout(800);
  await shot("filter");
  await page.keyboard.press("Escape");
}
if (is("status")) {
  await page.goto("/status");
  await page.waitForTimeout(2500);
  await shot("status");
  const tabs = await page.getByRole("tab").all();
  for (const [n, tab] of tabs.entries()) {
    await tab.click();
    await page.waitForTimeout(900);
    await shot(`status${n}`);
  }
}
if (is("settings")) {
  await page.locator("header button[aria-haspopup]").click();
  await page.getByRole("menuitem").first().click();
  await page.waitForTimeout(1200);
  await shot("settings");
}
if (is("menu")) {
  await page.locator("header button[aria-haspopup]").click();
  await page.waitForTimeout(900);
  await shot("menu");
}
await browser.close();
