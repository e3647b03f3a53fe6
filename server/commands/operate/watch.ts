// Process that monitors the server and sends alarms, even if the server has crashed. The first line
// of standard input contains the settings, each further line an event of the launcher.
// The process ends when standard input closes.
import { writeError } from "@/server/core/log.ts";
import { type Alarm, Alarms, type Look, lookAt } from "@/server/commands/operate/alarms.ts";
import type { Language } from "@/model/text.ts";
import { sendMail } from "@/server/commands/operate/mail.ts";

/** Settings that the launcher sends as the first line. */
export interface WatchSettings {
  /** address of the site on this machine */
  url: string;
  /** address of the site with the machine's name, for texts that people read */
  site: string;
  /** token for reading the metrics; `null`: not needed on this machine */
  metricsToken: string | null;
  diskLimit: number;
  refusalLimit: number;
  alarmUrl: string | null;
  alarmMail: { to: string; host: string; port: number } | null;
  everyMs: number;
  /** language of the alarm texts */
  language: Language;
}
/** Event that the launcher sends to the watch process. */
export interface WatchNews {
  name: "backup" | "server";
  isBad: boolean;
  text: string;
}

const ANSWER_MS = 10_000;

const say = (text: string) => writeError(text + "\n");

async function look({ url, metricsToken }: WatchSettings): Promise<Look> {
  const headers = metricsToken === null ? undefined : { authorization: `Bearer ${metricsToken}` };
  const ask = async (path: string) => {
    const answer = await fetch(url + path, { headers, signal: AbortSignal.timeout(ANSWER_MS) });
    const text = await answer.text();
    return answer.ok ? text : null;
  };
  const [ready, metrics] = await Promise.all(
    ["/ready", "/metrics"].map((path) => ask(path).catch(() => null)),
  );
  return lookAt(ready !== null, metrics ?? null);
}

/** Sends an alarm to all addresses. A failure to send is written to the site's output. */
async function tell(
  { alarmUrl, alarmMail, site }: WatchSettings,
  { name, state, text }: Alarm,
): Promise<void> {
  const at = new Date().toISOString(), line = `Sulcus: ${text}`;
  const ways: Promise<unknown>[] = [];
  if (alarmUrl !== null) {
    ways.push(
      fetch(alarmUrl, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ product: "Sulcus", site, alarm: name, state, text: line, at }),
        signal: AbortSignal.timeout(ANSWER_MS),
      }).then(async (answer) => {
        await answer.body?.cancel();
        if (!answer.ok) throw new Error(`the receiver answered ${answer.status}`);
      }),
    );
  }
  if (alarmMail !== null) {
    const from = `sulcus@${alarmMail.to.split("@")[1]}`;
    ways.push(
      sendMail(alarmMail, {
        to: alarmMail.to,
        from,
        subject: line,
        text: `${line}\n${site}\n${at}\n`,
      }),
    );
  }
  for (const way of await Promise.allSettled(ways)) {
    if (way.status === "rejected") {
      say(`Cannot send the alarm "${line}": ${way.reason?.message ?? way.reason}`);
    }
  }
}

async function* lines(): AsyncGenerator<string> {
  let text = "";
  for await (const piece of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const parts = (text + piece).split("\n");
    text = parts.pop()!;
    yield* parts;
  }
}

if (import.meta.main) {
  let watching: { settings: WatchSettings; alarms: Alarms } | null = null;
  for await (const line of lines()) {
    if (watching === null) {
      const settings = JSON.parse(line) as WatchSettings,
        alarms = new Alarms(settings.diskLimit, settings.refusalLimit, settings.language);
      watching = { settings, alarms };
      const lookOnce = async () => {
        for (const alarm of alarms.look(await look(settings))) await tell(settings, alarm);
      };
      setInterval(
        () => void lookOnce().catch((error) => say(`Cannot check the site: ${error}`)),
        settings.everyMs,
      );
      continue;
    }
    const { name, isBad, text } = JSON.parse(line) as WatchNews;
    for (const alarm of watching.alarms.told(name, isBad, text)) {
      await tell(watching.settings, alarm);
    }
  }
  Deno.exit(0);
}
