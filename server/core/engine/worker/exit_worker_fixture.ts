/** A worker for tests that dies before it can answer. */
throw new Error("worker died at start");
