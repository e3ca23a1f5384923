import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TooManyRequestsError } from '../../src/kernel/errors/too-many-requests.error.js';
import { MemoryRateLimitStore } from '../../src/rate-limits/memory-rate-limit-store.js';
import { type LimitedAction, tagLabels } from '../../src/rate-limits/rate-limit-labels.js';
import { RateLimitRules } from '../../src/rate-limits/rate-limit-rules.js';
import type { RateLimitStore } from '../../src/rate-limits/rate-limit-store.js';
import { RateLimiter } from '../../src/rate-limits/rate-limiter.js';
import type { RateLimitRule } from '../../src/settings/settings.js';
import { callerOf } from '../support/callers.js';
import { FakeSettings } from '../support/fake-settings.js';

const posts = { id: 'pbc_posts', name: 'posts' };
const users = { id: 'pbc_users', name: 'users' };
const CREATE: LimitedAction = {
  tags: ['create'],
  collection: posts,
  method: 'POST',
  url: '/api/collections/posts/records',
};
const HEALTH: LimitedAction = { tags: [], collection: null, method: 'GET', url: '/api/health' };

const rule = (
  label: string,
  maxRequests = 1,
  audience: RateLimitRule['audience'] = '',
  duration = 10,
): RateLimitRule => ({
  label,
  audience,
  duration,
  maxRequests,
});

describe('the labels of a request', () => {
  it('OPS-21 come from the special to the general', () => {
    expect(tagLabels(CREATE.tags, 'posts')).toEqual(['posts:create', '*:create', 'create']);
    expect(tagLabels(['authWithPassword', 'auth'], 'users')).toEqual([
      'users:authWithPassword',
      'users:auth',
      '*:authWithPassword',
      '*:auth',
      'authWithPassword',
      'auth',
    ]);
    expect(tagLabels(['export'], undefined)).toEqual(['export']);
    expect(tagLabels([], 'posts')).toEqual([]);
  });
});

describe('the rule for a request', () => {
  const find = (labels: readonly string[], action: LimitedAction) =>
    RateLimitRules.byAudience(labels.map((label) => rule(label))).guests.find(action)?.label;

  it('OPS-22 is the most special one, whatever the order in which they are stored', () => {
    const order = [
      'posts:create',
      '*:create',
      'create',
      'POST /api/collections/posts/records',
      'POST /api/collections/',
      'POST /api/',
      '/api/collections/posts/records',
      '/api/collections/posts/',
      '/api/collections/',
      '/api/',
    ];
    for (let first = 0; first < order.length; first++) {
      const present = order.slice(first);
      expect(find(present, CREATE)).toBe(order[first]);
      expect(find(present.toReversed(), CREATE)).toBe(order[first]);
    }
    expect(find([], CREATE)).toBeUndefined();
  });

  it('OPS-22 a label matches below a path only when it ends in a slash, and the path itself then too', () => {
    expect(find(['/api'], HEALTH)).toBeUndefined();
    expect(find(['/api/health/'], HEALTH)).toBe('/api/health/');
    expect(find(['/api/heal/'], HEALTH)).toBeUndefined();
    expect(find(['POST /api/'], HEALTH)).toBeUndefined();
    expect(find(['posts:list', '*:list', 'list'], CREATE)).toBeUndefined();
  });

  it('OPS-21 a rule for GET holds for HEAD, after one for HEAD itself', () => {
    const head = { ...HEALTH, method: 'HEAD' };
    expect(find(['GET /api/health', '/api/health'], head)).toBe('GET /api/health');
    expect(find(['GET /api/health', 'HEAD /api/'], head)).toBe('HEAD /api/');
    expect(find(['HEAD /api/health', '/api/'], HEALTH)).toBe('/api/');
  });

  it('OPS-21 OPS-22 OPS-23 is the one that its definition names', () => {
    /** The definition word for word: label by label, an equal one first, then the longest one above it. */
    function defined(
      rules: readonly RateLimitRule[],
      action: LimitedAction & { path: string },
      isGuest: boolean,
    ): RateLimitRule | undefined {
      const { method, path } = action;
      const methods = method === 'HEAD' ? ['HEAD', 'GET'] : [method];
      const labels = [
        ...tagLabels(action.tags, action.collection?.name),
        ...methods.map((each) => `${each} ${path}`),
        path,
      ];
      const fitting = rules.filter(({ audience }) => audience === '' || (audience === '@guest') === isGuest);
      for (const label of labels) {
        const equal = fitting.find((each) => each.label === label);
        if (equal) return equal;
        if (!label.includes('/')) continue;
        const above = fitting.filter((each) => each.label.endsWith('/') && `${label}/`.startsWith(each.label));
        if (above.length > 0)
          return above.reduce((one, other) => (other.label.length > one.label.length ? other : one));
      }
      return undefined;
    }
    const path = fc
      .array(fc.constantFrom('a', 'ab', 'b'), { maxLength: 3 })
      .chain((parts) => fc.constantFrom(`/${parts.join('/')}`, `/${parts.join('/')}/`));
    const spelling = fc.constantFrom(
      (place: string) => place,
      (place: string) => place.replaceAll('a', '%61'),
      (place: string) => place.replace('b', '%62'),
      (place: string) => `${place}?to=/a/b`,
      (place: string) => `${place}#/b`,
    );
    const method = fc.constantFrom('GET', 'HEAD', 'POST');
    const tags = fc.constantFrom(['list'], ['create', 'auth'], []);
    const label = fc.oneof(
      path,
      fc.tuple(method, path).map(([verb, place]) => `${verb} ${place}`),
      fc.constantFrom('list', 'create', 'auth', '*:list', '*:auth', 'posts:list', 'posts:auth', 'users:create'),
    );
    const audience = fc.constantFrom<RateLimitRule['audience'][]>('', '@guest', '@auth');
    const stored = fc.tuple(label, audience).map(([name, whose]) => rule(name, 1, whose));
    const collection = fc.constantFrom(posts, users, null);
    const action = fc
      .record({ tags, collection, method, path, spelling })
      .map(({ spelling: spelled, ...each }) => ({ ...each, url: spelled(each.path) }));
    const property = fc.property(
      fc.uniqueArray(stored, { maxLength: 12, selector: (each) => `${each.audience} ${each.label}` }),
      fc.array(action, { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      (rules, actions, isGuest) => {
        const { guests, identities } = RateLimitRules.byAudience(rules);
        // Twice: what was found once is remembered.
        for (const each of [...actions, ...actions]) {
          const expected = defined(rules, each, isGuest);
          const found = (isGuest ? guests : identities).find(each);
          expect(found && [found.label, found.audience]).toEqual(expected && [expected.label, expected.audience]);
        }
      },
    );
    fc.assert(property, { numRuns: 2000 });
  });

  it('OPS-22 is that of the path, however the request before was spelled', () => {
    const { guests } = RateLimitRules.byAudience([rule('/a/'), rule('/ab')]);
    const labels = ['/a%2563', '/a%62', '/a/%25', '/ab?x'].map((url) => guests.find({ ...HEALTH, url })?.label);
    expect(labels).toEqual([undefined, '/ab', '/a/', '/ab']);
  });

  it('OPS-23 passes over rules for another audience', () => {
    const { guests, identities } = RateLimitRules.byAudience([
      rule('posts:create', 1, '@auth'),
      rule('*:create', 1, '@guest'),
      rule('/api/'),
    ]);
    expect(guests.find(CREATE)?.label).toBe('*:create');
    expect(identities.find(CREATE)?.label).toBe('posts:create');
    expect(guests.find(HEALTH)?.label).toBe('/api/');
    const both = RateLimitRules.byAudience([rule('/api/', 1, '@guest'), rule('/api/', 2, '@auth')]);
    expect(both.identities.find(HEALTH)?.window.tokens).toBe(2);
  });
});

describe('counting', () => {
  let now: number;
  let settings: FakeSettings;
  let limiter: RateLimiter;

  function limit(rules: readonly RateLimitRule[], excludedIPs: readonly string[] = [], enabled = true): void {
    settings.set({ rateLimits: { enabled, excludedIPs, rules } });
  }

  /** How many of so many requests pass. */
  function passing(count: number, action: LimitedAction, caller = callerOf('guest')): number {
    let passed = 0;
    for (let index = 0; index < count; index++) {
      try {
        void limiter.require(action, caller);
        passed++;
      } catch (error) {
        expect(error).toBeInstanceOf(TooManyRequestsError);
      }
    }
    return passed;
  }

  beforeEach(() => {
    now = 1_700_000_000_000;
    settings = new FakeSettings();
    limiter = new RateLimiter(settings.asService(), new MemoryRateLimitStore({ now: () => now }), { now: () => now });
  });

  afterEach(() => limiter.onModuleDestroy());

  it('OPS-20 nothing is counted unless it is switched on', () => {
    limit([rule('/api/')], [], false);
    expect(passing(5, HEALTH)).toBe(5);
    limit([rule('/api/')]);
    expect(passing(5, HEALTH)).toBe(1);
  });

  it('OPS-20 superusers and excluded addresses are never counted', () => {
    limit([rule('/api/')], ['10.0.0.0/8', '2001:db8::1']);
    expect(passing(3, HEALTH, callerOf('superuser'))).toBe(3);
    expect(passing(3, HEALTH, callerOf('user', '10.1.2.3'))).toBe(3);
    expect(passing(3, HEALTH, callerOf('guest', '2001:0db8:0000:0000:0000:0000:0000:0001'))).toBe(3);
    expect(passing(3, HEALTH, callerOf('user', '11.1.2.3'))).toBe(1);
  });

  it('OPS-24 counts per rule and address', () => {
    limit([rule('/api/', 2), rule('/api/health', 1, '@auth')]);
    expect(passing(5, HEALTH, callerOf('guest', '1.1.1.1'))).toBe(2);
    expect(passing(5, HEALTH, callerOf('guest', '2.2.2.2'))).toBe(2);
    expect(passing(5, HEALTH, callerOf('user', '1.1.1.1'))).toBe(1);
    expect(passing(5, { ...HEALTH, url: '/api/other' }, callerOf('guest', '1.1.1.1'))).toBe(0);
  });

  it('OPS-24 two rules under one label count for themselves', () => {
    limit([rule('/api/', 1, '@guest'), rule('/api/', 2, '@auth')]);
    expect(passing(5, HEALTH, callerOf('guest', '1.1.1.1'))).toBe(1);
    expect(passing(5, HEALTH, callerOf('user', '1.1.1.1'))).toBe(2);
  });

  it('OPS-24 endpoints with tags have a counter for each collection and action, also under one rule', () => {
    limit([rule('/api/', 1)]);
    expect(passing(3, CREATE)).toBe(1);
    expect(passing(3, { ...CREATE, collection: users })).toBe(1);
    expect(passing(3, { ...CREATE, tags: ['list'], method: 'GET' })).toBe(1);
    expect(passing(3, { ...CREATE, url: '/api/collections/pbc_posts/records' })).toBe(0);
    expect(passing(3, HEALTH)).toBe(1);
  });

  it('OPS-25 says when to come again, in whole seconds and at least one', () => {
    limit([rule('/api/', 1, '', 10)]);
    void limiter.require(HEALTH, callerOf('guest'));
    const headers = (): unknown => {
      try {
        return void limiter.require(HEALTH, callerOf('guest'));
      } catch (error) {
        expect((error as TooManyRequestsError).toBody()).toMatchObject({ code: 429, data: {} });
        return (error as TooManyRequestsError).headers;
      }
    };
    expect(headers()).toEqual({ 'retry-after': '10' });
    now += 8_500;
    expect(headers()).toEqual({ 'retry-after': '2' });
    now += 1_499;
    expect(headers()).toEqual({ 'retry-after': '1' });
    now += 1;
    expect(headers()).toBeUndefined();
  });

  it('OPS-6 every change of the settings begins all counters anew', () => {
    limit([rule('/api/')]);
    expect(passing(3, HEALTH)).toBe(1);
    settings.set({ batch: { ...settings.get().batch, enabled: true } });
    expect(passing(3, HEALTH)).toBe(1);
    limit([rule('/api/', 2)]);
    expect(passing(3, HEALTH)).toBe(2);
  });
});

describe('a store that is shared', () => {
  const limiterOver = (store: Partial<RateLimitStore>, now = () => 0) => {
    const settings = new FakeSettings();
    const full = { take: () => 0, clear: () => {}, prune: () => {}, ...store };
    const limiter = new RateLimiter(settings.asService(), full, { now });
    settings.set({ rateLimits: { enabled: true, excludedIPs: [], rules: [rule('/api/')] } });
    return limiter;
  };

  afterEach(() => vi.restoreAllMocks());

  it('OPS-26 may answer later', async () => {
    const waits = [0, 1500];
    const limiter = limiterOver({ take: async () => waits.shift()! });
    await limiter.require(HEALTH, callerOf('guest'));
    await expect(limiter.require(HEALTH, callerOf('guest'))).rejects.toMatchObject({ status: 429, retryAfter: 1.5 });
  });

  it('OPS-26 lets everybody pass when it fails, and says so once a minute', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    let now = 0;
    const gone = () => Promise.reject(new Error('gone'));
    const limiter = limiterOver({ take: gone, prune: gone }, () => now);
    for (let count = 0; count < 5; count++) await limiter.require(HEALTH, callerOf('guest'));
    await limiter.prune();
    expect(warn).toHaveBeenCalledTimes(1);
    now += 60_000;
    await limiter.require(HEALTH, callerOf('guest'));
    expect(warn).toHaveBeenCalledTimes(2);
  });

  it('OPS-26 a failure that is thrown at once does no harm either', async () => {
    vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    const limiter = limiterOver({
      take: () => {
        throw new Error('gone');
      },
    });
    expect(limiter.require(HEALTH, callerOf('guest'))).toBeUndefined();
  });
});
