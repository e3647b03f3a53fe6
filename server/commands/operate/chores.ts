// Other tasks of the launcher: a daily verified backup, and the watch process that sends alarms.
import { hostAndPort } from "@/model/site/networks.ts";
import { writeError } from "@/server/core/log.ts";
import { fileURLToPath } from "node:url";
import type { Environment } from "@/server/commands/start/environment.ts";
import { untilMinuteMs } from "@/server/commands/operate/backup_times.ts";
import { textIn } from "@/model/text.ts";
import { alarmText } from "@/model/text/site/alarms.ts";
import type { WatchNews, WatchSettings } from "@/server/commands/operate/watch.ts";

const MAIN = fileURLToPath(new URL("../../../main.ts", import.meta.url));
const WATCH = fileURLToPath(new URL("./watch.ts", import.meta.url));
const WATCH_EVERY_MS = 60_000;

const say = (text: string) => writeError(text + "\n");

/** Local address of the site; `null` if the port is chosen at start. */
function ownUrl({ host, port, tls }: Environment): string | null {
  if (port === 0) return null;
  const there = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http${tls ? "s" : ""}://${hostAndPort(there, port)}`;
}

/**
 * Address with the machine's name, by which administrators of several sites distinguish the sites.
 */
function namedUrl(url: string): string {
  const named = new URL(url);
  named.hostname = Deno.hostname();
  return named.origin;
}

/** Permissions of the watch process: network access to the site and alarm targets only. */
export function watchFlags(
  url: string,
  { alarmUrl, alarmMail }: Environment["operating"],
): string[] {
  const address = (text: string) => {
    const { hostname, port, protocol } = new URL(text);
    return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
  };
  const net = [url, ...(alarmUrl === null ? [] : [alarmUrl])].map(address);
  if (alarmMail !== null) net.push(`${alarmMail.host}:${alarmMail.port}`);
  const { hostname, protocol } = new URL(url);
  return [
    `--allow-net=${[...new Set(net)].join(",")}`,
    "--ignore-env",
    // uses the local address, although the certificate names the public host
    ...(protocol === "https:"
      ? [`--unsafely-ignore-certificate-errors=${hostname.replace(/[[\]]/g, "")}`]
      : []),
  ];
}

/** Running background tasks of the launcher. */
interface Chores {
  /** Sends an alarm about the server's crash. */
  serverEnded(code: number): void;
  end(): Promise<void>;
}

/**
 * Starts the background tasks that the settings enable.
 * @param start Starts Deno with these arguments and a piped stdin.
 * `isPlain`: without the site's environment variables.
 * @param until Time until a minute of the day, ms.
 */
export function startChores(
  environment: Environment,
  start: (args: readonly string[], isPlain: boolean) => Deno.ChildProcess,
  until = untilMinuteMs,
): Chores {
  const { operating, diskLimits, language } = environment,
    { backup, alarmUrl, alarmMail, metricsToken } = operating;
  const url = ownUrl(environment),
    isWatched = url !== null && (alarmUrl !== null || alarmMail !== null);
  let watch: Deno.ChildProcess | null = null,
    writer: WritableStreamDefaultWriter<Uint8Array> | null = null;
  const write = (value: WatchSettings | WatchNews) =>
    void writer?.write(new TextEncoder().encode(JSON.stringify(value) + "\n")).catch(() => {});
  if (isWatched) {
    watch = start([...watchFlags(url, operating), WATCH], true);
    writer = watch.stdin.getWriter();
    write({
      url,
      site: namedUrl(url),
      metricsToken,
      alarmUrl,
      alarmMail,
      diskLimit: diskLimits.warn,
      refusalLimit: operating.alarmRefusals,
      everyMs: WATCH_EVERY_MS,
      language,
    });
  }

  let timer: ReturnType<typeof setTimeout> | undefined, underWay: Deno.ChildProcess | null = null;
  const run = async (...args: string[]): Promise<boolean> => {
    // this process has all permissions, which SQLite's backup needs
    underWay = start(["-A", MAIN, "admin", ...args], false);
    const { success } = await underWay.status;
    underWay = null;
    return success;
  };
  const backUp = async (folder: string) => {
    // runs a second backup, which replaces files that verification found damaged
    const copy = () => run("backup", folder, "--nightly"), verify = () => run("verify", folder);
    const isWhole = await copy() && (await verify() || await copy() && await verify());
    if (!isWhole) say(`The backup in ${folder} failed or is not complete: see the messages above`);
    write({
      name: "backup",
      isBad: !isWhole,
      text: textIn(alarmText[isWhole ? "backup_over" : "backup"], language, { folder }),
    });
  };
  const schedule = ({ folder, atMinute }: NonNullable<typeof backup>) => {
    timer = setTimeout(
      () => void backUp(folder).finally(() => schedule({ folder, atMinute })),
      until(atMinute),
    );
  };
  if (backup !== null && environment.coreUrl === null) schedule(backup);
  return {
    serverEnded: (code) =>
      write({ name: "server", isBad: true, text: textIn(alarmText.server, language, { code }) }),
    async end() {
      clearTimeout(timer);
      try {
        underWay?.kill("SIGTERM");
      } catch { /* it has ended */ }
      // sends the last queued event before the process ends
      await writer?.close().catch(() => {});
      await watch?.status;
    },
  };
}
