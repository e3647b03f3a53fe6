// Start and end of alarm conditions. Pure functions;
// watch.ts polls the site and sends the alarms.
import { type Language, textIn } from "@/model/text.ts";
import { alarmText } from "@/model/text/site/alarms.ts";

/** State of a site at one poll of the watch process. */
export interface Look {
  /** whether the site responds and is ready */
  isReady: boolean;
  /** disk usage of the data folder, percent; `null`: unknown */
  diskPercent: number | null;
  /** whether the data folder can be written to; `null`: unknown */
  isWritable: boolean | null;
  /** number of failed jobs since the process started; `null`: unknown */
  failed: number | null;
  /** waiting time of the oldest job, s */
  oldestQueuedS: number | null;
  /** number of blocked queues to and from other systems; `null`: unknown */
  standing: number | null;
  /**
   * number of calls refused since the process started; `null`: unknown.
   * Calls are refused for a missing session or permission, or by the rate limit.
   * refused for a missing session or permission, or by the rate limit
   */
  refused: number | null;
  /** number of unhandled errors in the server and its helper processes; `null`: unknown */
  errors: number | null;
  /** number of scanners with routine norms outside their interval; `null`: unknown */
  norms: number | null;
  /** number of scanners with a lasting change of their results; `null`: unknown */
  scanners: number | null;
  /** scanners with withheld percentiles and no decision about them; `null`: unknown */
  stopped: number | null;
}

/** Names of all alarms; the reference of alarms is generated from this list. */
export const ALARMS = [
  "site",
  "disk",
  "writing",
  "jobs",
  "queue",
  "connections",
  "refusals",
  "errors",
  "norms",
  "scanners",
  "stopped",
  "backup",
  "server",
] as const;

export interface Alarm {
  name: (typeof ALARMS)[number];
  state: "firing" | "over";
  /** description in the site's language */
  text: string;
}

/** Number of consecutive failed polls before an alarm: a single failure may be due to a restart. */
const LOOKS_AWAY = 2;
/**
 * Number of failed jobs between two polls that raises an alarm: more than a few unusable series.
 */
const MANY_FAILED = 3;
/** HTTP status codes of calls refused for a missing permission or by a rate limit. */
const REFUSALS = /status="(401|403|429)"/;
const MAX_QUEUED_S = 2 * 60 * 60;

/** Stores the active alarms, so that each alarm is sent once at the start and once at the end. */
export class Alarms {
  readonly #firing = new Set<Alarm["name"]>();
  #away = 0;
  #failed: number | null = null;
  #refused: number | null = null;
  #errors: number | null = null;

  /** @param refusalLimit Refusals between two polls that raise an alarm. */
  constructor(
    private readonly diskLimit: number,
    private readonly refusalLimit = Infinity,
    private readonly language: Language = "en",
  ) {}

  /** @returns alarms that start or end at this poll. */
  look(
    look: Look,
  ): Alarm[] {
    const { isReady, diskPercent, isWritable, failed, oldestQueuedS } = look;
    const { standing, refused, errors, norms, scanners, stopped } = look;
    this.#away = isReady ? 0 : this.#away + 1;
    const more = sinceLast(this.#failed, failed), moreRefused = sinceLast(this.#refused, refused);
    const moreErrors = sinceLast(this.#errors, errors);
    this.#failed = failed ?? this.#failed;
    this.#errors = errors ?? this.#errors;
    this.#refused = refused ?? this.#refused;
    return [
      ...this.#look("site", this.#away >= LOOKS_AWAY),
      ...(diskPercent === null
        ? []
        : this.#look("disk", diskPercent >= this.diskLimit, { percent: Math.round(diskPercent) })),
      ...(isWritable === null ? [] : this.#look("writing", !isWritable)),
      ...(failed === null ? [] : this.#look("jobs", more >= MANY_FAILED, { n: more })),
      ...(oldestQueuedS === null
        ? []
        : this.#look("queue", oldestQueuedS > MAX_QUEUED_S, { n: Math.round(oldestQueuedS / 60) })),
      ...(standing === null ? [] : this.#look("connections", standing > 0)),
      ...(refused === null
        ? []
        : this.#look("refusals", moreRefused > this.refusalLimit, { n: moreRefused })),
      ...(errors === null ? [] : this.#look("errors", moreErrors > 0, { n: moreErrors })),
      ...(norms === null ? [] : this.#look("norms", norms > 0, { n: norms })),
      ...(scanners === null ? [] : this.#look("scanners", scanners > 0, { n: scanners })),
      ...(stopped === null ? [] : this.#look("stopped", stopped > 0, { n: stopped })),
    ];
  }

  /** Alarms from the launcher: a backup succeeded or failed, or the server crashed. */
  told(name: "backup" | "server", isBad: boolean, text: string): Alarm[] {
    // raises an alarm for each crash, even if the alarm of an earlier crash is active
    if (name === "server") return [{ name, state: "firing", text }];
    return this.#set(name, isBad, text);
  }

  #look(
    name: Exclude<Alarm["name"], "backup" | "server">,
    isFiring: boolean,
    values: Record<string, number> = {},
  ): Alarm[] {
    return this.#set(
      name,
      isFiring,
      textIn(alarmText[isFiring ? name : `${name}_over` as const], this.language, values),
    );
  }

  #set(name: Alarm["name"], isFiring: boolean, text: string): Alarm[] {
    if (isFiring === this.#firing.has(name)) return [];
    if (isFiring) this.#firing.add(name);
    else this.#firing.delete(name);
    return [{ name, state: isFiring ? "firing" : "over", text }];
  }
}

/** Increase of a counter between two polls; a restarted process counts from 0 again. */
function sinceLast(before: number | null, now: number | null): number {
  if (now === null || before === null) return 0;
  return now < before ? now : now - before;
}

/** Parses the text of `/metrics`. */
export function lookAt(isReady: boolean, metrics: string | null): Look {
  if (metrics === null) {
    return {
      isReady,
      diskPercent: null,
      isWritable: null,
      failed: null,
      oldestQueuedS: null,
      standing: null,
      refused: null,
      errors: null,
      norms: null,
      scanners: null,
      stopped: null,
    };
  }
  const figures = [...metrics.matchAll(/^(\w+)(\{[^}]*\})? (\S+)$/gm)].map((
    [, name, labels = "", value],
  ) => ({
    name,
    labels,
    value: Number(value),
  }));
  const valueOf = (name: string) => figures.find((each) => each.name === name)?.value ?? null;
  const writable = valueOf("sulcus_disk_writable");
  const free = valueOf("sulcus_disk_free_bytes"), size = valueOf("sulcus_disk_size_bytes");
  const failed = figures.filter(({ name, labels }) =>
    name === "sulcus_jobs_ended_total" && !/outcome="(done|job\.canceled)"/.test(labels)
  );
  return {
    isReady,
    diskPercent: free === null || !size ? null : 100 * (1 - free / size),
    isWritable: writable === null ? null : writable === 1,
    failed: failed.reduce((sum, { value }) => sum + value, 0),
    oldestQueuedS: valueOf("sulcus_oldest_queued_job_seconds"),
    standing: valueOf("sulcus_connection_queues_standing"),
    refused: figures.filter(({ name, labels }) =>
      name === "sulcus_http_requests_total" && REFUSALS.test(labels)
    ).reduce((sum, { value }) => sum + value, 0),
    errors: figures.filter(({ name }) => name === "sulcus_unhandled_errors_total")
      .reduce((sum, { value }) => sum + value, 0),
    norms: valueOf("sulcus_local_norms_left_interval"),
    scanners: valueOf("sulcus_scanners_changed"),
    stopped: valueOf("sulcus_scanners_stopped"),
  };
}
