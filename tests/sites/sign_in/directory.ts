// The LDAP server slapd with two people and two groups, in a temporary folder.
import { existsSync } from "node:fs";
import { Attribute, Change, Client } from "ldapts";
import { CERTIFICATE, KEY } from "@/server/edge/web/tls/tls_certificate_fixture.ts";
import type { LdapSettings } from "@/server/core/accounts/service/identity_settings.ts";
import { until } from "@/tests/sites/until.ts";

const SLAPD = "/usr/sbin/slapd", SCHEMAS = "/etc/ldap/schema", MODULES = "/usr/lib/ldap";
/** Whether Debian's slapd is on this machine. */
export const hasSlapd = existsSync(SLAPD) && existsSync(`${SCHEMAS}/core.schema`);

const BASE = "dc=hospital,dc=example",
  ADMIN = `cn=admin,${BASE}`,
  ADMIN_PASSWORD = "admin-secret-1";
export const KIM = {
  email: "kim@hospital.example",
  password: "kims-password-1",
  dn: `uid=kim,ou=people,${BASE}`,
};
export const LEE = {
  email: "lee@hospital.example",
  password: "lees-password-1",
  dn: `uid=lee,ou=people,${BASE}`,
};
export const GHOST = {
  email: null,
  password: "ghosts-password-1",
  dn: `uid=ghost,ou=people,${BASE}`,
};

/** A port that is currently free. */
function freePort(): number {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" }),
    { port } = listener.addr as Deno.NetAddr;
  listener.close();
  return port;
}

/** Starts slapd, also with TLS, and adds the entries. */
export async function servedDirectory() {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-slapd-" }),
    port = freePort(),
    tlsPort = freePort();
  await Deno.mkdir(`${folder}/data`);
  await Deno.writeTextFile(`${folder}/cert.pem`, CERTIFICATE);
  await Deno.writeTextFile(`${folder}/key.pem`, KEY, { mode: 0o600 });
  const schemas = ["core", "cosine", "inetorgperson"].map((name) =>
    `include ${SCHEMAS}/${name}.schema`
  );
  await Deno.writeTextFile(
    `${folder}/slapd.conf`,
    [
      ...schemas,
      `modulepath ${MODULES}`,
      "moduleload back_mdb",
      `TLSCertificateFile ${folder}/cert.pem`,
      `TLSCertificateKeyFile ${folder}/key.pem`,
      `pidfile ${folder}/pid`,
      "database mdb",
      `suffix "${BASE}"`,
      `rootdn "${ADMIN}"`,
      `rootpw ${ADMIN_PASSWORD}`,
      `directory ${folder}/data`,
      "maxsize 10485760",
    ].join("\n") + "\n",
  );
  const url = `ldap://127.0.0.1:${port}`, tlsUrl = `ldaps://127.0.0.1:${tlsPort}`;
  const process = new Deno.Command(SLAPD, {
    args: ["-f", `${folder}/slapd.conf`, "-h", `${url} ${tlsUrl}`, "-d", "0"],
    stdout: "null",
    stderr: "null",
  }).spawn();
  const client = await until(async () => {
    const trying = new Client({ url, connectTimeout: 2000 });
    return await trying.bind(ADMIN, ADMIN_PASSWORD).then(() => trying, () => null);
  });
  const person = (uid: string, of: { email: string | null; password: string; dn: string }) =>
    client.add(of.dn, {
      objectClass: ["inetOrgPerson"],
      uid,
      cn: `Dr ${uid}`,
      sn: uid,
      userPassword: of.password,
      ...(of.email === null ? {} : { mail: of.email }),
    });
  await client.add(BASE, {
    objectClass: ["dcObject", "organization"],
    dc: "hospital",
    o: "Hospital",
  });
  for (const ou of ["people", "groups"]) {
    await client.add(`ou=${ou},${BASE}`, { objectClass: ["organizationalUnit"], ou });
  }
  await person("kim", KIM);
  await person("lee", LEE);
  await person("ghost", GHOST);
  const members = [KIM.dn, GHOST.dn];
  await client.add(`cn=neuro,ou=groups,${BASE}`, {
    objectClass: ["groupOfNames"],
    cn: "neuro",
    member: members,
  });
  await client.unbind();
  const groupOf = (name: string) => `cn=${name},ou=groups,${BASE}`;
  /** Changes entries as the directory's administrator. */
  const asAdministrator = async (work: (client: Client) => Promise<void>) => {
    const client = new Client({ url, connectTimeout: 2000 });
    await client.bind(ADMIN, ADMIN_PASSWORD);
    await work(client).finally(() => client.unbind());
  };
  const change = (operation: "add" | "delete") => (group: string, dn: string) =>
    asAdministrator((client) =>
      client.modify(
        groupOf(group),
        new Change({ operation, modification: new Attribute({ type: "member", values: [dn] }) }),
      )
    );
  const settings: LdapSettings = {
    url,
    startTls: false,
    ca: CERTIFICATE,
    base: BASE,
    filter: "(|(mail={login})(uid={login}))",
    bindDn: ADMIN,
    bindPassword: ADMIN_PASSWORD,
    userDn: null,
    groupAttribute: "memberOf",
    groupFilter: "(&(objectClass=groupOfNames)(member={dn}))",
    idAttribute: "entryUUID",
    roles: [{ group: "neuro", role: "physician" }],
  };
  const stop = async () => {
    process.kill("SIGTERM");
    await process.status;
  };
  let isStopped = false;
  return {
    settings,
    tlsUrl,
    addMember: change("add"),
    removeMember: change("delete"),
    /** adds a group; Lee is always a member, because groups must not be empty */
    addGroup: (name: string, dn: string) =>
      asAdministrator((client) =>
        client.add(groupOf(name), { objectClass: ["groupOfNames"], cn: name, member: [dn, LEE.dn] })
      ),
    stop: async () => {
      isStopped = true;
      await stop();
    },
    async [Symbol.asyncDispose]() {
      if (!isStopped) await stop();
      await Deno.remove(folder, { recursive: true });
    },
  };
}
