// Prints the path of the Deno executable, the only program that the launcher may run.
// Called by `deno task start`.
Deno.stdout.writeSync(new TextEncoder().encode(Deno.execPath()));
