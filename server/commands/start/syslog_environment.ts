import {
  PLAIN_FORM,
  type SyslogForm,
  syslogTarget,
} from "@/server/core/site/service/audit/syslog.ts";

/** Private enterprise numbers have at most 32 bits. */
const MAX_ENTERPRISE = 4_294_967_295;

/** Reads the receiver of the audit log and the form of entries; adds faults to `problems`. */
export function syslogOf(
  text: (name: string) => string | undefined,
  problems: string[],
): { syslog: string | null; syslogForm: SyslogForm } {
  const syslog = text("SULCUS_SYSLOG") ?? null, dicom = text("SULCUS_SYSLOG_DICOM");
  const number = text("SULCUS_SYSLOG_ENTERPRISE");
  const target = syslog === null ? null : syslogTarget(syslog);
  if (syslog !== null && target === null) {
    problems.push("SULCUS_SYSLOG must be tls://host:port or tcp://host:port");
  }
  for (const [name, value] of Object.entries({ DICOM: dicom, ENTERPRISE: number })) {
    if (value !== undefined && syslog === null) {
      problems.push(`SULCUS_SYSLOG_${name} requires SULCUS_SYSLOG as well`);
    }
  }
  if (dicom !== undefined && dicom !== "on" && dicom !== "off") {
    problems.push("SULCUS_SYSLOG_DICOM must be on or off");
  }
  // messages in DICOM form name patients, so TLS is required
  if (dicom === "on" && target !== null && !target.isTls) {
    problems.push("SULCUS_SYSLOG_DICOM requires a tls:// address in SULCUS_SYSLOG");
  }
  const enterprise = number === undefined ? PLAIN_FORM.enterprise : Number(number);
  if (number !== undefined && (!/^[1-9]\d{0,9}$/.test(number) || enterprise > MAX_ENTERPRISE)) {
    problems.push("SULCUS_SYSLOG_ENTERPRISE must be a private enterprise number");
  }
  return { syslog, syslogForm: { isDicom: dicom === "on", enterprise } };
}
