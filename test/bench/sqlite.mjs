import { createRequire } from 'node:module';

const isNew = Number.parseInt(process.versions.node) >= 24;

/** What Roost's default driver is on this Node.js. */
export const Database = createRequire(import.meta.url)(isNew ? 'better-sqlite3-13' : 'better-sqlite3');
