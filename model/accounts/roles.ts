// Roles and permissions. The server refuses calls by this table, pages hide controls by it, and
// docs/reference/roles.md is generated from it. The permission of each call is in model/api/.

/**
 * Roles of a site, from the fewest permissions to the most; the auditor is apart from that order.
 */
export const ROLES = ["reader", "physician", "administrator", "auditor"] as const;
export type Role = (typeof ROLES)[number];
export const isRole = (text: unknown): text is Role => ROLES.includes(text as Role);

const ALL: readonly Role[] = ROLES;
const CLINICAL: readonly Role[] = ["reader", "physician", "administrator"];
const EDITORS: readonly Role[] = ["physician", "administrator"];
const OVERSIGHT: readonly Role[] = ["administrator", "auditor"];
const ADMINISTRATORS: readonly Role[] = ["administrator"];

/** Permissions, each with the roles that have it. */
export const ACTIONS = {
  /** the user's own account, sign-in, settings and password; product information; the licence */
  own: ALL,
  /** worklist, images, results and reports */
  look: CLINICAL,
  /** reports, tables and DICOM objects that leave the site */
  export: CLINICAL,
  upload: EDITORS,
  analyse: EDITORS,
  /** patients, labels and the physician's entries for a report */
  edit: EDITORS,
  /** signs the text of a report, and withdraws a signature */
  sign: EDITORS,
  /** moves studies to the bin, regardless of the uploader */
  delete: EDITORS,
  /** restores studies that the user deleted; administrators restore all */
  restore: EDITORS,
  /** settings of the organisation */
  groupSettings: EDITORS,
  /** deletes out of the bin before its time */
  purge: ADMINISTRATORS,
  /** the audit log: reads, checks and exports it */
  audit: OVERSIGHT,
  /** state of the server, and the delays of failed sign-ins */
  status: OVERSIGHT,
  /** accounts, roles, sign-in delays and the site's norms */
  administer: ADMINISTRATORS,
} as const satisfies Record<string, readonly Role[]>;
export type Action = keyof typeof ACTIONS;

/** Whether a role has a permission; false without a role. */
export const mayDo = (role: Role | undefined, action: Action): boolean =>
  role !== undefined && ACTIONS[action].includes(role);

/** Name of the administrator's permission in the hospital's documents (D1). */
export const MAINTENANCE = "maintenance";

interface RoleHolder {
  role?: Role;
  permission_list: readonly string[];
}

/** The user's role; from a core that sends no roles it follows from the maintenance permission. */
const roleOf = ({ role, permission_list }: RoleHolder): Role =>
  role ?? (permission_list.includes(MAINTENANCE) ? "administrator" : "physician");

/** Whether a user has a permission; `null`: not signed in. */
export const userMay = (user: RoleHolder | null, action: Action): boolean =>
  user !== null && mayDo(roleOf(user), action);

/** Maximum length of the reason that a user types for deleting a study. */
export const MAX_REASON_CHARS = 200;
