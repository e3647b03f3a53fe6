/** Settings of those who operate a site, beside what it does. */
export interface Operating {
  /** whom to tell of a weakness, `mailto:` or `https:`; `null`: security@ its host name */
  securityContact: string | null;
}

/** Every name that is read. */
export const OPERATING_VARIABLES = ["SULCUS_SECURITY_CONTACT"];

/** Reads {@link OPERATING_VARIABLES}. @param problems Gets one line for each value that is not valid. */
export function readOperating(text: (name: string) => string | undefined, problems: string[]): Operating {
  const securityContact = text("SULCUS_SECURITY_CONTACT") ?? null;
  if (securityContact !== null && !/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(securityContact)) {
    problems.push("SULCUS_SECURITY_CONTACT must be mailto:somebody@hospital.example or an https: address");
  }
  return { securityContact };
}
