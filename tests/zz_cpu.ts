const KEY = "abcdefghijklmnopqrstuvwxyz0123456789AB", E = "a@b.test", P = "correct-horse-7";
const dir = await Deno.makeTempDir();
const run = (args: string[], env: Record<string, string>) => new Deno.Command(Deno.execPath(), { cwd: "/work/h/edge", args: ["run", "-A", "--no-check", "--v8-flags=--max-semi-space-size=4", ...args], env: { NODE_ENV: "production", SULCUS_CORE_KEY: KEY, ...env }, stdout: "null", stderr: "inherit" }).spawn();
const core = run(["main.ts", "serve"], { SULCUS_DATA_DIR: dir + "/core", SULCUS_PORT: "8471", SULCUS_TRUSTED_PROXIES: "127.0.0.1", SULCUS_ADMIN_EMAIL: E, SULCUS_ADMIN_PASSWORD: P });
const edge = run([...Deno.args, "main.ts", "serve"], { SULCUS_DATA_DIR: dir + "/edge", SULCUS_PORT: "8472", SULCUS_CORE_URL: "http://127.0.0.1:8471" });
for (const p of [8471, 8472]) for (let i = 0; i < 100; i++) { try { await (await fetch(`http://127.0.0.1:${p}/api/v1/status`)).text(); break; } catch { await new Promise((f) => setTimeout(f, 200)); } }
const cpu = (pid: number) => { const f = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ")[1]!.split(" "); return (Number(f[11]) + Number(f[12])) * 10; };
const token = (await (await fetch("http://127.0.0.1:8472/api/v1/auth/login", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ email: E, password: P }) })).json()).access_token;
const H = { authorization: `Bearer ${token}` };
async function rate(url: string, n: number, c = 8) { let left = n; const t = performance.now(); await Promise.all(Array.from({ length: c }, async () => { while (left-- > 0) { const r = await fetch(url, { headers: H }); if (r.status !== 200) throw new Error(String(r.status)); await r.arrayBuffer(); } })); return n / (performance.now() - t) * 1000 | 0; }
const N = 1000;
for (let i = 0; i < 4; i++) for (const p of [8471, 8472]) { const c0 = cpu(core.pid), e0 = cpu(edge.pid); const r = await rate(`http://127.0.0.1:${p}/api/v1/patients`, N); console.log(p, r + "/s", "core ms/call", (cpu(core.pid) - c0) / N, "edge ms/call", (cpu(edge.pid) - e0) / N); }
edge.kill(); core.kill(); await edge.status; await core.status;
