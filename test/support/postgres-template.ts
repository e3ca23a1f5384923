import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where the first server of a run leaves its empty data directory for the others. */
const PLACE = 'ROOST_TEST_POSTGRES_TEMPLATE';

/** For a run of specs: a place for what all their servers begin with, taken away with what is there. */
export default function setup(): () => void {
  const place = mkdtempSync(join(tmpdir(), 'roost-postgres-template-'));
  process.env[PLACE] = place;
  return () => rmSync(place, { recursive: true, force: true });
}

/**
 * Makes an empty data directory of PostgreSQL. The first one of a run is made by `initialise` and kept; others are copies
 * of it with owners and modes, which take a tenth of the processor time of `initdb`.
 */
export function makeDataDirectory(data: string, initialise: (data: string) => void): void {
  const place = process.env[PLACE];
  if (place === undefined) return initialise(data);
  const template = join(place, 'data');
  if (existsSync(template)) return void copy(template, data);
  initialise(data);
  const unfinished = `${template}.${process.pid}`;
  copy(data, unfinished);
  // Specs that run beside this one see all of it or nothing.
  try {
    renameSync(unfinished, template);
  } catch (error) {
    // One of them was first.
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
  }
}

const copy = (from: string, to: string): Buffer => execFileSync('cp', ['-a', from, to]);
