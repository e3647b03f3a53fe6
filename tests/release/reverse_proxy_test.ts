// The reverse proxy configurations of docs/site, run with other names, ports and certificates:
// sign-in, a full-size part of an upload, and the WebSocket of a page pass through.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const NAME = "sulcus.hospital.example";
const EMAIL = "it@hospital.test", PASSWORD = "correct-horse-7";
/** Size of one request of an upload, bytes. */
const PART_BYTES = 24 * 1024 * 1024;

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** A site started by its launcher, which trusts a proxy on this machine. */
async function startSite(folder: string) {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", `${ROOT}/main.ts`, "start"],
    env: {
      SULCUS_PORT: "0",
      SULCUS_DATA_DIR: `${folder}/data`,
      SULCUS_TRUSTED_PROXIES: "127.0.0.1",
      SULCUS_ADMIN_EMAIL: EMAIL,
      SULCUS_ADMIN_PASSWORD: PASSWORD,
      SULCUS_DISK_WARN: "100",
      SULCUS_DISK_ERROR: "100",
    },
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const ready = Promise.withResolvers<number>();
  const reading = (async () => {
    let said = "";
    for await (const chunk of process.stdout.pipeThrough(new TextDecoderStream())) {
      said += chunk;
      const port = /Sulcus serves http:\/\/[^:]+:(\d+)/.exec(said)?.[1];
      if (port) ready.resolve(Number(port));
    }
    ready.reject(new Error(`It ended before it served: ${said}`));
  })();
  let ending: Promise<void> | null = null;
  const stop = () =>
    ending ??= (async () => {
      process.kill("SIGTERM");
      await process.status;
      await reading.catch(() => {});
    })();
  return { port: await ready.promise, stop, [Symbol.asyncDispose]: stop };
}

/** Makes a self-signed certificate for {@link NAME}. */
async function makeCertificate(folder: string): Promise<void> {
  const { success } = await new Deno.Command("openssl", {
    args: [
      ..."req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2".split(" "),
      ...["-subj", `/CN=${NAME}`, "-addext", `subjectAltName=DNS:${NAME}`],
      ...["-addext", "basicConstraints=critical,CA:FALSE"],
      ...["-keyout", `${folder}/key.pem`, "-out", `${folder}/cert.pem`],
    ],
    stderr: "null",
  }).output();
  assert.ok(success, "openssl made no certificate");
}

/** Sends a request by TLS with the hospital's host name. @returns status line and headers. */
async function ask(
  port: number,
  ca: string,
  head: string,
  body = new Uint8Array(),
): Promise<string> {
  using socket = await Deno.startTls(await Deno.connect({ hostname: "127.0.0.1", port }), {
    hostname: NAME,
    caCerts: [ca],
  });
  const writing = (async () => {
    for (
      const bytes of [new TextEncoder().encode(head.replaceAll("\n", "\r\n") + "\r\n\r\n"), body]
    ) {
      for (let done = 0; done < bytes.length;) done += await socket.write(bytes.subarray(done));
    }
  })();
  let answer = "";
  for (const bytes = new Uint8Array(65_536);;) {
    const size = await socket.read(bytes);
    if (size === null) throw new Error(`The proxy closed: ${answer}`);
    answer += new TextDecoder("latin1").decode(bytes.subarray(0, size));
    const end = answer.indexOf("\r\n\r\n");
    if (end < 0) continue;
    // a response before the end of the request refuses the request
    await Promise.race([
      writing.catch(() => {}),
      new Promise((resolve) => setTimeout(resolve, 5000)),
    ]);
    return answer.slice(0, end);
  }
}

async function untilItListens(port: number): Promise<void> {
  for (let left = 100; left > 0; left--) {
    const isOpen = await Deno.connect({ hostname: "127.0.0.1", port }).then(
      (one) => (one.close(), true),
      () => false,
    );
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("The proxy does not listen");
}

interface Proxy {
  program: string;
  /** Writes the configuration of docs/site for this machine. @returns arguments of the program. */
  prepare(folder: string, ports: { site: number; http: number; https: number }): Promise<string[]>;
  /** log files in the folder */
  logs?: readonly string[];
}

const document = (name: string) => Deno.readTextFile(`${ROOT}/docs/site/${name}`);
/** Replaces parts of a configuration. @throws if a part is missing, as the test would differ. */
function replaced(text: string, parts: readonly [string, string][]): string {
  return parts.reduce((all, [part, by]) => {
    assert.ok(all.includes(part), part);
    return all.replaceAll(part, by);
  }, text);
}

/** Writes a complete configuration around the documented part. @returns arguments of nginx. */
async function writeNginx(folder: string, server: string): Promise<string[]> {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`).join(" ");
  const user = Deno.uid() === 0 ? "user root;" : "";
  await Deno.writeTextFile(
    `${folder}/nginx.conf`,
    `pid ${folder}/pid; error_log stderr; daemon off; worker_processes 1; ${user}\n` +
      `events {} http { access_log off; ${temporary}\n${server}\n}`,
  );
  return ["-c", `${folder}/nginx.conf`];
}

const PROXIES: Record<string, Proxy> = {
  nginx: {
    program: "/usr/sbin/nginx",
    async prepare(folder, { site, http, https }) {
      const server = replaced(await document("nginx.conf"), [
        ["listen 80;", `listen 127.0.0.1:${http};`],
        ["listen 443 ", `listen 127.0.0.1:${https} `],
        ["/etc/nginx/sulcus/", `${folder}/`],
        ["/var/log/nginx/", `${folder}/`],
        ["127.0.0.1:8000", `127.0.0.1:${site}`],
      ]);
      return await writeNginx(folder, server);
    },
    logs: ["access.log", "error.log"],
  },
  caddy: {
    program: "/usr/bin/caddy",
    async prepare(folder, { site, http, https }) {
      const server = replaced(await document("Caddyfile"), [
        ["/etc/caddy/sulcus/", `${folder}/`],
        ["127.0.0.1:8000", `127.0.0.1:${site}`],
      ]);
      await Deno.writeTextFile(
        `${folder}/Caddyfile`,
        `{\n\tadmin off\n\thttp_port ${http}\n\thttps_port ${https}\n\tskip_install_trust\n}\n${server}`,
      );
      return ["run", "--config", `${folder}/Caddyfile`, "--adapter", "caddyfile"];
    },
  },
};

for (const [name, { program, prepare, logs = [] }] of Object.entries(PROXIES)) {
  const isThere = existsSync(program) && existsSync("/usr/bin/openssl");
  Deno.test({
    name: `${name} by docs/site: sign-in, an upload's part of 24 MiB and a page's socket pass${
      isThere ? "" : ` (skipped: ${name} or openssl is not installed)`
    }`,
    ignore: !isThere,
    fn: async () => {
      const folder = await Deno.makeTempDir();
      try {
        await using site = await startSite(folder);
        await makeCertificate(folder);
        const ca = await Deno.readTextFile(`${folder}/cert.pem`);
        const ports = { site: site.port, http: freePort(), https: freePort() };
        const proxy = new Deno.Command(program, {
          args: await prepare(folder, ports),
          env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
          stderr: "null",
        }).spawn();
        try {
          const port = ports.https, host = `${NAME}:${port}`;
          await untilItListens(port);
          const credentials = new TextEncoder().encode(
            JSON.stringify({ email: EMAIL, password: PASSWORD }),
          );
          const login = (origin: string) =>
            ask(
              port,
              ca,
              `POST /api/v1/auth/login HTTP/1.1\nHost: ${host}\nOrigin: ${origin}\nContent-Type: application/json\nContent-Length: ${credentials.length}`,
              credentials,
            );
          const signedIn = await login(`https://${host}`);
          assert.match(signedIn, /^HTTP\/1\.1 204 /);
          // the site knows that the connection is HTTPS, otherwise the cookie would not be Secure
          const cookie = /^set-cookie: (__Host-sulcus_session=[^;]+);.*Secure/im.exec(signedIn)
            ?.[1];
          assert.ok(cookie, signedIn);
          assert.match(signedIn, /^strict-transport-security:/im);
          assert.match(await login("https://elsewhere.example"), /^HTTP\/1\.1 403 /);
          const from = `Host: ${host}\nOrigin: https://${host}\nCookie: ${cookie}`;
          const part = await ask(
            port,
            ca,
            `POST /api/v1/patients HTTP/1.1\n${from}\nContent-Type: multipart/form-data; boundary=b\nContent-Length: ${
              PART_BYTES + 84
            }`,
            new TextEncoder().encode(
              `--b\r\nContent-Disposition: form-data; name="files"; filename="one"\r\n\r\n${
                "0".repeat(PART_BYTES)
              }\r\n--b--\r\n`.padEnd(PART_BYTES + 84),
            ),
          );
          assert.match(part, /^HTTP\/1\.1 200 /);
          // a whole study by DICOMweb exceeds an upload's size; Caddy has no size limit, so it is
          // not tested
          if (name === "nginx") {
            const study = await ask(
              port,
              ca,
              `POST /api/v1/dicomweb/studies HTTP/1.1\nHost: ${host}\nContent-Type: multipart/related; boundary=b\nContent-Length: ${
                700 << 20
              }`,
            );
            assert.match(study, /^HTTP\/1\.1 401 /);
          }
          const socket = await ask(
            port,
            ca,
            `GET /api/v1/ws HTTP/1.1\n${from}\nConnection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==`,
          );
          assert.match(socket, /^HTTP\/1\.1 101 /);
          // a launch link of a PACS, before and after the site has stopped: its values must not be
          // logged
          const link = `GET /viewer?study=1.2&patientID=NOBODY-1 HTTP/1.1\n${from}`;
          await ask(port, ca, link);
          await site.stop();
          assert.match(await ask(port, ca, link), /^HTTP\/1\.1 502 /);
          const read = (log: string) => Deno.readTextFile(`${folder}/${log}`);
          const written = (await Promise.all(logs.map(read))).join("");
          assert.equal(written.includes("NOBODY-1"), false, written);
          if (logs.length > 0) assert.match(written, /"GET \/viewer" 502 /);
        } finally {
          proxy.kill("SIGTERM");
          await proxy.status;
        }
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

const NGINX = PROXIES.nginx!.program;
Deno.test({
  name: "nginx takes the lines of docs/site/pacs.md for certificates of clients",
  ignore: !existsSync(NGINX) || !existsSync("/usr/bin/openssl"),
  fn: async () => {
    const blocks = [...(await document("pacs.md")).matchAll(/^```nginx\n([\s\S]*?)^```$/gm)];
    assert.equal(blocks.length, 2, "one of the server, one of the location");
    const [server, location] = blocks.map(([, lines]) => lines!) as [string, string];
    const folder = await Deno.makeTempDir();
    try {
      await makeCertificate(folder);
      const whole = replaced(await document("nginx.conf"), [
        ["    ssl_protocols ", `${server}    ssl_protocols `],
        ['        proxy_set_header X-Client-Cert     "";\n', ""],
        ['        proxy_set_header Client-Cert       "";\n', location],
        ["/etc/nginx/hospital-ca.pem", `${folder}/cert.pem`],
        ["/etc/nginx/sulcus/", `${folder}/`],
        ["/var/log/nginx/", `${folder}/`],
      ]);
      const { success, stderr } = await new Deno.Command(NGINX, {
        args: ["-t", ...await writeNginx(folder, whole)],
      }).output();
      assert.ok(success, new TextDecoder().decode(stderr));
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
