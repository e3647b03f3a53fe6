// Imported first by fresh.config.ts: React picks its build when it is loaded, and its development
// build renders a page four times slower.
import process from "node:process";

process.env.NODE_ENV ??= "production";
