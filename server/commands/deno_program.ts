// Prints where Deno lies: the only program that the launcher may start. `deno task start` asks for
// it.
Deno.stdout.writeSync(new TextEncoder().encode(Deno.execPath()));
