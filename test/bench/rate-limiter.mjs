// What a rate limit check costs (OPS-26: under 5 microseconds). Run after `npm run build:server`.
import 'reflect-metadata';

const dist = process.env.ROOST_DIST ?? new URL('../../dist/', import.meta.url).href;
const { MemoryRateLimitStore } = await import(`${dist}rate-limits/memory-rate-limit-store.js`);
const { RateLimiter } = await import(`${dist}rate-limits/rate-limiter.js`);
const { DEFAULT_SETTINGS } = await import(`${dist}settings/settings.js`);

const ROUNDS = 300_000;
const clock = { now: () => Date.now() };
const action = {
  tags: ['list'],
  collection: { id: 'pbc_1', name: 'posts' },
  method: 'GET',
  path: '/api/collections/posts/records',
};
const generous = (rule) => ({ ...rule, maxRequests: 1e9 });
const rules = DEFAULT_SETTINGS.rateLimits.rules.map(generous);
const manyRules = [
  ...rules,
  ...Array.from({ length: 100 }, (_, index) => generous({ label: `/api/x${index}/`, audience: '', duration: 10 })),
];
const callers = (count) =>
  Array.from({ length: count }, (_, index) => ({
    isGuest: true,
    isSuperuser: false,
    ip: `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
  }));

for (const [name, rateLimits, from] of [
  ['one address', { excludedIPs: [], rules }, callers(1)],
  ['50,000 addresses', { excludedIPs: [], rules }, callers(50_000)],
  ['two excluded networks', { excludedIPs: ['192.168.0.0/16', '172.16.0.0/12'], rules }, callers(50_000)],
  ['104 rules', { excludedIPs: [], rules: manyRules }, callers(50_000)],
  ['a full store', { excludedIPs: [], rules }, callers(300_000)],
]) {
  const settings = { rateLimits: { enabled: true, ...rateLimits } };
  const service = { get: () => settings, changes: { subscribe: () => undefined } };
  const limiter = new RateLimiter(service, new MemoryRateLimitStore(clock), clock);
  const rounds = Array.from({ length: 5 }, () => {
    const start = process.hrtime.bigint();
    for (let index = 0; index < ROUNDS; index++) limiter.require(action, from[index % from.length]);
    return Number(process.hrtime.bigint() - start) / ROUNDS / 1000;
  });
  rounds.sort((a, b) => a - b);
  console.log(`${name.padEnd(24)} ${rounds[2].toFixed(2)} µs`);
}
