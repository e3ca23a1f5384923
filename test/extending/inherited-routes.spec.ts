import { Controller, Get, Module } from '@nestjs/common';
import { RateLimitTag, RequireAuth, RequireSuperuser } from 'roost';
import type { TestRoost } from 'roost/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';

/** Nest gives every controller below this the same function as its handler. */
abstract class ThingsController {
  @Get('things')
  things(): string[] {
    return ['thing'];
  }

  @Get('mine')
  @RequireAuth()
  mine(): string[] {
    return [];
  }
}

@Controller('api/open')
class OpenController extends ThingsController {}

@Controller('api/closed')
@RequireSuperuser()
@RateLimitTag('closed')
class ClosedController extends ThingsController {}

@Controller('api/members')
@RequireAuth('members')
class MembersController extends ThingsController {}

@Module({ controllers: [OpenController, ClosedController, MembersController] })
class ThingsModule {}

let roost: TestRoost;

afterEach(() => roost.close());

const status = async (path: string, token?: string) => (await roost.inject({ url: `/api/${path}`, token })).status;

describe('controllers that inherit their routes', () => {
  it('EXT-10 ask for what stands on each of them, whichever was called first', async () => {
    roost = await startRoost({ imports: [ThingsModule] });
    const superuser = await roost.createSuperuser();
    expect(await status('open/things')).toBe(200);
    expect(await status('closed/things')).toBe(401);
    expect(await status('members/things')).toBe(401);
    expect(await status('members/things', superuser)).toBe(403);
    expect(await status('closed/things', superuser)).toBe(200);
    expect(await status('open/things')).toBe(200);
  });

  it('EXT-10 keep what stands on the inherited method itself', async () => {
    roost = await startRoost({ imports: [ThingsModule] });
    expect(await status('open/mine')).toBe(401);
    expect(await status('closed/mine')).toBe(401);
  });

  it('EXT-10 take accounts of any collection, or of those that are named', async () => {
    roost = await startRoost({ imports: [ThingsModule] });
    const superuser = await roost.createSuperuser();
    await roost.createCollections({ name: 'members', type: 'auth' });
    const signedUp = async (collection: string) => {
      const body = { email: 'ann@example.com', password: 'ann-password', passwordConfirm: 'ann-password' };
      await roost.inject({ url: `/api/collections/${collection}/records`, body, token: superuser });
      return roost.signIn(collection, body.email);
    };
    const callers = [undefined, await signedUp('users'), await signedUp('members'), superuser];
    const statuses = (path: string) => Promise.all(callers.map((token) => status(path, token)));
    expect(await statuses('open/mine')).toEqual([401, 200, 200, 200]);
    expect(await statuses('members/mine')).toEqual([401, 200, 200, 200]);
    expect(await statuses('members/things')).toEqual([401, 403, 200, 403]);
    expect(await statuses('closed/things')).toEqual([401, 403, 403, 200]);
  });

  it('EXT-12 are limited by their own tag only', async () => {
    roost = await startRoost({ imports: [ThingsModule] });
    const token = await roost.createSuperuser();
    const rules = [{ label: 'closed', audience: '', duration: 60, maxRequests: 1 }];
    const limits = { rateLimits: { enabled: true, rules, excludedIPs: [] } };
    expect((await roost.inject({ method: 'PATCH', url: '/api/settings', token, body: limits })).status).toBe(200);
    expect(await status('open/things')).toBe(200);
    expect(await status('open/things')).toBe(200);
    expect(await status('closed/things')).toBe(401);
    expect(await status('closed/things')).toBe(429);
    expect(await status('open/things')).toBe(200);
  });
});
