// covers: S-104
import assert from "node:assert/strict";
import { AppError } from "@/model/errors.ts";
import {
  countSignIn,
  currentDelays,
  forgive,
  type Origin,
  RULES,
  unlockAccount,
} from "@/server/core/accounts/service/sign_in_delay.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { findUserByEmail } from "@/server/core/accounts/storage/users.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { databaseTest, type TestDatabase } from "@/tests/sites/databases.ts";

const EMAIL = "a@x.org", PASSWORD = "right-1-password";
const right = { email: EMAIL, password: PASSWORD },
  wrong = { email: EMAIL, password: "wrong-1-password" };
const START_MS = Date.parse("2026-01-01T00:00:00Z"), MINUTE_MS = 60_000;
const TOO_MANY = { code: "auth.too_many_attempts" };
const DEVICE = "d".repeat(43);

async function withAccount(
  database: TestDatabase,
  body: (services: ServiceContext) => Promise<void>,
) {
  const db = await database.open();
  try {
    await addQuickUser(db, { ...right, name: null, isMaintenance: true });
    await body({ db, log: () => {}, publish: () => {} } as unknown as ServiceContext);
  } finally {
    await db.destroy();
  }
}

/** A sign-in without the slow comparison: what is counted before it, and forgiven after a right password. */
async function login(
  { db }: ServiceContext,
  { email, password }: { email: string; password: string },
  from: string | Origin,
  nowMs: number,
): Promise<"in"> {
  const origin = typeof from === "string" ? { address: from } : from;
  const user = await findUserByEmail(db, email),
    counted = await countSignIn(db, { email, user, origin, nowMs });
  if (user === null || password !== PASSWORD) throw new AppError("auth.invalid", "Cannot sign in");
  await forgive(db, counted, { userId: user.id, origin, nowMs });
  return "in";
}

/** Guesses as fast as they are let, for a time. @returns how many were compared. */
async function attack(
  services: ServiceContext,
  guess: (n: number) => { email: string; address: string },
  { fromMs, forMs, everyMs = 1000 }: { fromMs: number; forMs: number; everyMs?: number },
): Promise<number> {
  let compared = 0;
  for (let n = 0; n * everyMs < forMs; n++) {
    const { email, address } = guess(n);
    await login(
      services,
      { email, password: "wrong-1-password" },
      { address },
      fromMs + n * everyMs,
    ).catch(
      (error) => {
        if (error.code === "auth.invalid") compared++;
        else assert.equal(error.code, TOO_MANY.code);
      },
    );
  }
  return compared;
}

databaseTest(
  "the delay after wrong passwords grows, says how long it is, and ends",
  (database) =>
    withAccount(database, async (services) => {
      const address = "10.0.0.9";
      let nowMs = START_MS;
      for (let n = 0; n < RULES.place.free; n++) {
        await assert.rejects(login(services, wrong, address, nowMs), { code: "auth.invalid" });
      }
      for (const seconds of [5, 10, 20, 40, 80, 160, 320, 640, 900]) {
        await assert.rejects(login(services, right, address, nowMs + 1), {
          ...TOO_MANY,
          details: { seconds },
        });
        nowMs += seconds * 1000;
        if (seconds < 900) {
          await assert.rejects(login(services, wrong, address, nowMs), { code: "auth.invalid" });
        }
      }
      assert.ok(await login(services, right, address, nowMs));
      // and is forgotten then
      await assert.rejects(login(services, wrong, address, nowMs), { code: "auth.invalid" });
      assert.ok(await login(services, right, address, nowMs));
    }),
);

databaseTest(
  "nobody locks out another: known devices, known addresses and the machine itself go on",
  (database) =>
    withAccount(database, async (services) => {
      await login(services, right, { address: "10.0.0.1", device: DEVICE }, START_MS);
      // from one address, from a thousand, and from the person's own
      const later = START_MS + MINUTE_MS;
      await attack(services, () => ({ email: EMAIL, address: "10.9.9.9" }), {
        fromMs: later,
        forMs: MINUTE_MS,
      });
      await attack(services, (n) => ({ email: EMAIL, address: `10.8.${n >> 8}.${n & 255}` }), {
        fromMs: later,
        forMs: 200,
        everyMs: 1,
      });
      const nowMs = later + MINUTE_MS;
      await assert.rejects(login(services, right, "10.7.7.7", later + 201), TOO_MANY);
      assert.ok(
        await login(services, right, { address: "10.0.0.1", device: null }, later + 201),
        "known address",
      );
      assert.ok(
        await login(services, right, { address: "127.0.0.1" }, later + 201),
        "the machine itself",
      );
      await attack(services, () => ({ email: EMAIL, address: "10.0.0.1" }), {
        fromMs: nowMs,
        forMs: MINUTE_MS,
      });
      await assert.rejects(login(services, right, "10.0.0.1", nowMs + MINUTE_MS), TOO_MANY);
      assert.ok(
        await login(services, right, { address: "10.0.0.1", device: DEVICE }, nowMs + MINUTE_MS),
        "known device",
      );
      // a device known by one account opens no door to another
      await addQuickUser(services.db, { email: "b@x.org", password: PASSWORD, name: null });
      const guesses = { fromMs: nowMs, forMs: 20_000 };
      await attack(services, () => ({ email: "b@x.org", address: "10.6.6.6" }), guesses);
      const other = { email: "b@x.org", password: PASSWORD };
      await assert.rejects(
        login(services, other, { address: "10.6.6.6", device: DEVICE }, nowMs + 20_000),
        TOO_MANY,
      );
    }),
);

databaseTest(
  "a ward behind one address works on while somebody there guesses",
  (database) =>
    withAccount(database, async (services) => {
      const address = "10.1.1.1", ward = Array.from({ length: 12 }, (_, n) => `ward${n}@x.org`);
      for (const email of ward) {
        await addQuickUser(services.db, { email, password: PASSWORD, name: null });
      }
      for (const email of ward.slice(1)) {
        await login(services, { email, password: PASSWORD }, address, START_MS);
      }
      const compared = await attack(services, (n) => ({ email: `guess${n}@x.org`, address }), {
        fromMs: START_MS,
        forMs: 5 * MINUTE_MS,
      });
      assert.ok(compared < 50, `${compared} guesses in five minutes`);
      const nowMs = START_MS + 5 * MINUTE_MS - 500;
      for (const email of ward.slice(1)) {
        await assert.rejects(login(services, { email, password: "typo-1-typo" }, address, nowMs), {
          code: "auth.invalid",
        });
        assert.ok(await login(services, { email, password: PASSWORD }, address, nowMs));
      }
      // who was never there before waits a minute at most
      const first = { email: ward[0]!, password: PASSWORD };
      assert.ok(await login(services, first, address, nowMs + MINUTE_MS + 1));
    }),
);

databaseTest(
  "the addresses of one IPv6 network count as one address",
  (database) =>
    withAccount(database, async (services) => {
      const compared = await attack(
        services,
        (n) => ({ email: `guess${n}@x.org`, address: `2001:db8:1:2:${n.toString(16)}::${n}` }),
        { fromMs: START_MS, forMs: 5 * MINUTE_MS },
      );
      assert.ok(compared < 50, `${compared} guesses in five minutes`);
      // another /64 network of the same provider is not delayed
      const first = { email: EMAIL, password: PASSWORD };
      assert.ok(await login(services, first, "2001:db8:1:3::1", START_MS + 5 * MINUTE_MS));
    }),
);

databaseTest(
  "whoever has many addresses gets no more guesses at an account",
  (database) =>
    withAccount(database, async (services) => {
      const compared = await attack(
        services,
        (n) => ({ email: EMAIL, address: `10.${n >> 8 & 255}.${n & 255}.1` }),
        {
          fromMs: START_MS,
          forMs: 60 * MINUTE_MS,
          everyMs: 10_000,
        },
      );
      assert.ok(compared < 130, `${compared} guesses in an hour`);
    }),
);

databaseTest(
  "the operator sees who waits, and lifts it; what was typed for an address is not kept",
  (database) =>
    withAccount(database, async (services) => {
      const { db } = services, options = { fromMs: START_MS, forMs: 10_000 };
      await attack(services, () => ({ email: EMAIL, address: "10.0.0.2" }), options);
      await attack(services, () => ({ email: "My-Password-1", address: "10.0.0.3" }), options);
      const { delays } = await currentDelays(db, START_MS + 10_000);
      const shown = delays.map(({ kind, email, address }) => [kind, email, address].join());
      assert.deepEqual(shown.sort(), ["place,,10.0.0.3", `place,${EMAIL},10.0.0.2`]);
      assert.equal(
        JSON.stringify(await db.selectFrom("sign_in_failures").selectAll().execute()).includes(
          "My-Pass",
        ),
        false,
      );
      await assert.rejects(login(services, right, "10.0.0.2", START_MS + 10_000), TOO_MANY);
      await unlockAccount(db, EMAIL);
      assert.ok(await login(services, right, "10.0.0.2", START_MS + 10_000));
    }),
);
