import { defineConfig } from 'vitest/config';

/**
 * Pictures of every screen for somebody to look at, none of which is kept:
 * `npx vitest run --config test/admin/gallery/vitest.config.ts`, after `npm run build`.
 */
export default defineConfig({
  root: new URL('../../..', import.meta.url).pathname,
  test: { include: ['test/admin/gallery/*.shots.ts'], testTimeout: 600_000, hookTimeout: 180_000, maxWorkers: 1 },
});
