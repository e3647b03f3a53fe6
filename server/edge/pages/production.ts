// Must be the first import of fresh.config.ts: React selects development or production when loaded.
// The development build of React renders four times slower.
import process from "node:process";

process.env.NODE_ENV ??= "production";
