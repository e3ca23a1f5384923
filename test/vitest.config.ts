import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['src/**/*.spec.ts', 'test/**/*.spec.ts'],
    exclude: ['**/node_modules/**', 'dist/**', 'test/extending/shop/**'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
