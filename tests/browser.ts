// Playwright for files outside of tests/: the package is installed only here (tests/package.json).
export { chromium } from "@playwright/test";
export type { Browser, BrowserContext, CDPSession, Page } from "@playwright/test";
