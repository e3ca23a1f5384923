import { defineConfig } from 'vitest/config';

/** Makes the pictures of the README anew: `npm run screenshots`, after `npm run build`. */
export default defineConfig({
  root: new URL('../../..', import.meta.url).pathname,
  test: { include: ['test/admin/screenshots/*.shots.ts'], testTimeout: 60_000, hookTimeout: 120_000 },
});
