// Whether the hospital's sign-in can be reached with the settings of this site.
import { probeDirectory } from "@/server/core/accounts/service/directory.ts";
import { configurationOf } from "@/server/core/accounts/service/oidc_provider.ts";
import type { IdentitySettings } from "@/server/core/accounts/service/identity_settings.ts";
import type { Finding } from "@/server/commands/doctor/checks.ts";

/** Messages of an error and all causes of the error, the outermost first. */
function reasonsOf(error: unknown): string {
  const reasons: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause) reasons.push(each.message);
  return reasons.join(": ");
}

/** Asks provider and directory as a sign-in does: configuration, certificates, search account. */
export async function checkSignIn({ oidc, ldap }: IdentitySettings): Promise<Finding[]> {
  const findings: Finding[] = [];
  if (oidc !== null) {
    const name = "OpenID";
    try {
      await configurationOf(oidc, Date.now());
      findings.push({ name, state: "good", text: `${oidc.issuer} answers` });
    } catch (error) {
      findings.push({
        name,
        state: "bad",
        text: `${oidc.issuer}: ${reasonsOf(error)}`,
        advice:
          "Check that SULCUS_OIDC_ISSUER matches the provider's issuer, that DENO_CERT names the authority that issued its certificate, and that the firewall allows the connection",
      });
    }
  }
  if (ldap !== null) {
    const name = "Directory", { url, base, bindDn } = ldap;
    try {
      await probeDirectory(ldap);
      const searched = bindDn === null ? "" : `, and ${bindDn} can read ${base}`;
      findings.push({ name, state: "good", text: `${url} answers${searched}` });
    } catch (error) {
      findings.push({
        name,
        state: "bad",
        text: `${url}: ${reasonsOf(error)}`,
        advice:
          "Check SULCUS_LDAP_URL, SULCUS_LDAP_CA, SULCUS_LDAP_BIND_DN, its password and SULCUS_LDAP_BASE against the directory's settings, and check the firewall",
      });
    }
  }
  return findings;
}
