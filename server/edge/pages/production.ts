// Must be the first import of fresh.config.ts: React selects its build when it is loaded, and the
// development build renders four times slower.
import process from "node:process";

process.env.NODE_ENV ??= "production";
