// Conditions that need a person at once, and their end. Pure: watch.ts looks at the site and sends
// the alarms.
import { type Language, textIn } from "@/model/text.ts";
import { alarmText } from "@/model/text/site/alarms.ts";

/** State of a site as one look found it. */
export interface Look {
  /** it answers that it can work */
  isReady: boolean;
  /** used part of the disk of the data folder, percent; `null`: unknown */
  diskPercent: number | null;
  /** whether the data folder can be written to; `null`: unknown */
  isWritable: boolean | null;
  /** jobs that failed since the process began; `null`: unknown */
  failed: number | null;
  /** how long the oldest job has waited, s */
  oldestQueuedS: number | null;
  /** queues to and from other systems that stand; `null`: unknown */
  standing: number | null;
  /**
   * calls that were refused since the process began: no session, no right, too many; `null`:
   * unknown
   */
  refused: number | null;
  /** errors that nothing handled, of the server and the processes beside it; `null`: unknown */
  errors: number | null;
  /** scanners whose norms from routine studies have left their interval; `null`: unknown */
  norms: number | null;
  /** number of scanners with a lasting change of their results; `null`: unknown */
  scanners: number | null;
}

/** Names of the alarms; the reference of alarms is made from it. */
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
  "backup",
  "server",
] as const;

export interface Alarm {
  name: (typeof ALARMS)[number];
  state: "firing" | "over";
  /** a sentence in the site's language */
  text: string;
}

/** One look may meet a restart; two in a row do not. */
const LOOKS_AWAY = 2;
/** Failed jobs between two looks that are more than a bad series or two. */
const MANY_FAILED = 3;
/** Answers of the site to whom may not, or asks too often. */
const REFUSALS = /status="(401|403|429)"/;
const MAX_QUEUED_S = 2 * 60 * 60;

/** Remembers the alarms that were sent: each once when it begins, and once when it is over. */
export class Alarms {
  readonly #firing = new Set<Alarm["name"]>();
  #away = 0;
  #failed: number | null = null;
  #refused: number | null = null;
  #errors: number | null = null;

  /**
   * @param refusalLimit Refusals between two looks from which on an administrator should see them.
   */
  constructor(
    private readonly diskLimit: number,
    private readonly refusalLimit = Infinity,
    private readonly language: Language = "en",
  ) {}

  /** @returns alarms that begin or end with this look. */
  look(
    look: Look,
  ): Alarm[] {
    const { isReady, diskPercent, isWritable, failed, oldestQueuedS } = look;
    const { standing, refused, errors, norms, scanners } = look;
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
    ];
  }

  /** News of the launcher: a backup that was made or failed, a server that died. */
  told(name: "backup" | "server", isBad: boolean, text: string): Alarm[] {
    // each death is news
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

/** How much a figure has grown; a process that was restarted counts from 0. */
function sinceLast(before: number | null, now: number | null): number {
  if (now === null || before === null) return 0;
  return now < before ? now : now - before;
}

/** A look at the text of `/metrics`. */
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
  };
}
