import { Logger } from '@nestjs/common';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { RateLimiter } from '../../src/rate-limits/rate-limiter.js';
import { RATE_LIMIT_STORE, type RateLimitStore } from '../../src/rate-limits/rate-limit-store.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import type { TestRequest, TestRoost } from '../../src/testing/index.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { Redis } from '../support/redis.js';
import { startRoost } from '../support/roost.js';

const MEMBERS = {
  name: 'members',
  type: 'auth',
  createRule: '',
  otp: { enabled: true, duration: 180, length: 8 },
};
const PASSWORD = 'ann-password';

describe.skipIf(PostgresCluster.programs === undefined).each(['Redis', 'PostgreSQL alone'])(
  'two instances that share %s',
  (what) => {
    let cluster: PostgresCluster;
    let redis: Redis;
    let parent: string;
    let instances: TestRoost[];
    let token: string;

    beforeAll(async () => {
      parent = mkdtempSync(join(tmpdir(), 'roost-several-'));
      [cluster, redis] = await Promise.all([PostgresCluster.start(), Redis.start()]);
      const url = await cluster.newDatabase();
      const shares = what === 'Redis' ? { REDIS_URL: redis.url } : { ROOST_SHARED: true };
      const start = (name: string) => startRoost({ dir: join(parent, name), config: { DATABASE_URL: url, ...shares } });
      instances = [await start('one')];
      token = await instances[0]!.createSuperuser();
      await instances[0]!.createCollections(MEMBERS);
      instances.push(await start('two'));
    });
    afterEach(() => void vi.restoreAllMocks());
    afterAll(async () => {
      for (const roost of instances) await roost.close();
      await cluster.stop();
      await redis.stop();
      rmSync(parent, { recursive: true, force: true });
    });

    /** Sends requests to both in turn, as a proxy would. */
    let turn = 0;
    const inject = (request: TestRequest) => instances[turn++ % 2]!.inject(request);
    const post = (path: string, body: object, remoteAddress = '10.0.0.1') =>
      inject({ url: `/api/collections/members/${path}`, body, remoteAddress });
    const signUp = (email: string) => post('records', { email, password: PASSWORD, passwordConfirm: PASSWORD });
    const mailsTo = (email: string) =>
      instances.flatMap(({ mails }) => mails).filter(({ to }) => JSON.stringify(to).includes(email));
    const limit = async (maxRequests: number) => {
      const rules = [{ label: '/api/health', audience: '', duration: 3_600, maxRequests }];
      const body = { rateLimits: { enabled: true, rules } };
      await instances[0]!.inject({ method: 'PATCH', url: '/api/settings', token, body });
      const limitOf = (roost: TestRoost) =>
        roost.app.get(SettingsService, { strict: false }).get().rateLimits.rules[0]?.maxRequests;
      await expect.poll(() => instances.map(limitOf)).toEqual([maxRequests, maxRequests]);
      // Without a link between them each takes itself for the one that has to clear.
      for (const { app } of instances) await app.get(RateLimiter, { strict: false }).settingsUpdated();
    };

    it('SCALE-24 let as many requests through as one of them would, exactly', async () => {
      await limit(70);
      const ask = () => inject({ url: '/api/health', remoteAddress: '10.1.0.1' });
      const statuses = (await Promise.all(Array.from({ length: 300 }, ask))).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(70);
      expect(statuses.filter((status) => status === 429)).toHaveLength(230);
      expect((await inject({ url: '/api/health', remoteAddress: '10.1.0.2' })).status).toBe(200);
    });

    it('SCALE-24 answer a change of rules when the windows are empty, so that nothing counted by them is cleared', async () => {
      const store = instances[0]!.app.get<RateLimitStore>(RATE_LIMIT_STORE, { strict: false });
      const clear = store.clear.bind(store);
      let isCleared = false;
      vi.spyOn(store, 'clear').mockImplementation(async () => {
        await sleep(100);
        await clear();
        isCleared = true;
      });
      const body = { rateLimits: { enabled: false, rules: [] } };
      await instances[0]!.inject({ method: 'PATCH', url: '/api/settings', token, body });
      expect(isCleared).toBe(true);
    });

    it('SCALE-24 let a client guess a password as often as one of them would', async () => {
      await signUp('ann@x.test');
      const guess = (password: string, from: string) =>
        post('auth-with-password', { identity: 'ann@x.test', password }, from);
      const statuses: number[] = [];
      for (let count = 0; count < 12; count++) statuses.push((await guess(`wrong ${count}`, '10.2.0.1')).status);
      expect(statuses).toEqual([...Array<number>(10).fill(400), 429, 429]);
      expect((await guess(PASSWORD, '10.2.0.1')).status).toBe(429);
      expect((await guess(PASSWORD, '10.2.0.2')).status).toBe(200);
    });

    it('SCALE-24 send a mail once, whichever of them is asked for it', async () => {
      await signUp('bob@x.test');
      const asked = await Promise.all(
        Array.from({ length: 6 }, () => post('request-verification', { email: 'bob@x.test' })),
      );
      expect(asked.map(({ status }) => status)).toEqual(Array(6).fill(204));
      await expect.poll(() => mailsTo('bob@x.test')).toHaveLength(1);
      await post('request-password-reset', { email: 'bob@x.test' });
      await expect.poll(() => mailsTo('bob@x.test')).toHaveLength(2);
    });

    it('SCALE-24 take ids for addresses without an account from each other, as those of codes that were mailed', async () => {
      await signUp('cy@x.test');
      const tries = async (email: string, from: string) => {
        const { body } = await post('request-otp', { email });
        const statuses: number[] = [];
        for (let count = 0; count < 6; count++) {
          const { status } = await post('auth-with-otp', { otpId: body.otpId, password: '00000000' }, from);
          statuses.push(status);
        }
        return statuses;
      };
      const expected = [400, 400, 400, 400, 400, 429];
      expect([await tries('cy@x.test', '10.3.0.1'), await tries('nobody@x.test', '10.3.0.2')]).toEqual([
        expected,
        expected,
      ]);
    });

    it('SCALE-24 are tried as often at the setup as one of them would be', async () => {
      const attempt = () => inject({ url: '/api/setup', body: { token: 'x' }, remoteAddress: '10.4.0.1' });
      const statuses = (await Promise.all(Array.from({ length: 14 }, attempt))).map(({ status }) => status);
      expect(statuses.filter((status) => status === 429)).toHaveLength(4);
    });

    if (what === 'Redis') {
      it('OPS-26 SCALE-24 let requests pass while it is gone, throttle guesses each for itself, and are well when it is back', async () => {
        const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
        await limit(3);
        await redis.crash();
        const ask = async () => (await inject({ url: '/api/health', remoteAddress: '10.5.0.1' })).status;
        const statuses: number[] = [];
        for (let count = 0; count < 10; count++) statuses.push(await ask());
        expect(statuses).toEqual(Array(10).fill(200));
        const guess = async (password: string) =>
          (
            await instances[0]!.inject({
              url: '/api/collections/members/auth-with-password',
              body: { identity: 'ann@x.test', password },
              remoteAddress: '10.5.0.2',
            })
          ).status;
        expect(await guess(PASSWORD)).toBe(200);
        for (let count = 0; count < 10; count++) expect(await guess('wrong')).toBe(400);
        expect(await guess('wrong')).toBe(429);
        const said = warn.mock.calls.map(([message]) => String(message));
        expect(said.filter((message) => message.startsWith('The rate limit store fails'))).toHaveLength(2);
        await redis.restart();
        await expect
          .poll(async () => (await Promise.all(Array.from({ length: 8 }, ask))).includes(429), { timeout: 20_000 })
          .toBe(true);
      });
    }

    if (what === 'PostgreSQL alone') {
      it('SCALE-24 list the job that deletes what is over', async () => {
        const { body } = await inject({ url: '/api/crons', token });
        expect((body as { id: string }[]).map(({ id }) => id)).toContain('__pbEphemeralCleanup__');
        expect((await inject({ method: 'POST', url: '/api/crons/__pbEphemeralCleanup__', token })).status).toBe(204);
      });
    }
  },
);
