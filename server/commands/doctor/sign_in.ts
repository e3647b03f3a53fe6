// Whether the hospital's sign-in can be reached with the settings of this site.
import { configurationOf } from "@/server/core/accounts/service/oidc_provider.ts";
import type { IdentitySettings } from "@/server/core/accounts/service/identity_settings.ts";
import { checkReach, type Finding } from "@/server/commands/doctor/checks.ts";

/** Messages of an error and of its causes, the outermost first. */
function reasonsOf(error: unknown): string {
  const reasons: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause) reasons.push(each.message);
  return reasons.join(": ");
}

/** Asks the OpenID provider for its configuration, as a sign-in does, and calls the directory. */
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
          "Check that SULCUS_OIDC_ISSUER is the issuer of the provider, that DENO_CERT names the authority of its certificate, and that the firewall allows the connection",
      });
    }
  }
  const url = ldap && URL.parse(ldap.url);
  if (url) {
    const port = Number(url.port) || (url.protocol === "ldaps:" ? 636 : 389);
    findings.push(
      await checkReach(
        "Directory",
        url.hostname,
        port,
        "Compare SULCUS_LDAP_URL with the address of the directory server",
      ),
    );
  }
  return findings;
}
