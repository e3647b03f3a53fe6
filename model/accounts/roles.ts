// Who may do what: one table, by which the server answers or refuses, pages hide what is not allowed, and docs/roles.md
// is made. Which call does what is in role_calls.ts.

/** What somebody is at a site, from the least to the most; the auditor stands beside the others. */
export const ROLES = ["reader", "physician", "administrator", "auditor"] as const;
export type Role = (typeof ROLES)[number];
export const isRole = (text: unknown): text is Role => ROLES.includes(text as Role);

const ALL: readonly Role[] = ROLES;
const CLINICAL: readonly Role[] = ["reader", "physician", "administrator"];
const EDITORS: readonly Role[] = ["physician", "administrator"];
const OVERSIGHT: readonly Role[] = ["administrator", "auditor"];
const ADMINISTRATORS: readonly Role[] = ["administrator"];

/** What can be done, and by whom. */
export const ACTIONS = {
  /** one's own account, sign-in, settings and password; what the product is; the licence */
  own: ALL,
  /** worklist, images, results and reports */
  look: CLINICAL,
  /** reports, tables and DICOM objects that leave the site */
  export: CLINICAL,
  upload: EDITORS,
  analyse: EDITORS,
  /** patients, labels and what a physician enters for a report */
  edit: EDITORS,
  /** studies, whoever has uploaded them: into the bin */
  delete: EDITORS,
  /** takes out of the bin what one has deleted oneself; an administrator takes out everything */
  restore: EDITORS,
  /** settings of the organisation */
  groupSettings: EDITORS,
  /** deletes out of the bin before its time */
  purge: ADMINISTRATORS,
  /** the audit log: reads, checks and exports it */
  audit: OVERSIGHT,
  /** how the server is, and who must wait to sign in */
  status: OVERSIGHT,
  /** accounts, roles, delays of sign-in, norms of the site */
  administer: ADMINISTRATORS,
} as const satisfies Record<string, readonly Role[]>;
export type Action = keyof typeof ACTIONS;

/** Whether somebody may do something; without a role nothing. */
export const mayDo = (role: Role | undefined, action: Action): boolean =>
  role !== undefined && ACTIONS[action].includes(role);

/** The permission that the documents know: an administrator's. */
export const MAINTENANCE = "maintenance";

interface RoleHolder {
  role?: Role;
  permission_list: readonly string[];
}

/** What somebody is, also where a core tells only of the maintenance permission. */
const roleOf = ({ role, permission_list }: RoleHolder): Role =>
  role ?? (permission_list.includes(MAINTENANCE) ? "administrator" : "physician");

/** Whether somebody may do something; `null`: nobody is signed in. */
export const userMay = (user: RoleHolder | null, action: Action): boolean =>
  user !== null && mayDo(roleOf(user), action);

/** Why a study is deleted, in one's own words. */
export const MAX_REASON_CHARS = 200;
