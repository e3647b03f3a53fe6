// Playwright for what is not in this folder: it is installed here, and not with the product (tests/package.json).
export { chromium } from "@playwright/test";
export type { Browser, BrowserContext, CDPSession, Page } from "@playwright/test";
