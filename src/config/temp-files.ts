import { join } from 'node:path';
import { LOWER_ALPHANUMERIC, randomText } from '../kernel/ids.js';
import type { RoostConfig } from './roost-config.js';

/** The name of this process among those that work in one data directory; no other process ever had it. */
export const PROCESS_NAME = `p_${randomText(16, LOWER_ALPHANUMERIC)}`;

const OWNED = /^(p_[a-z0-9]{16})\./;

/** What decides where temporary files are, and whether other processes may have theirs beside them. */
export type TempPlace = Pick<RoostConfig, 'dir' | 'databaseUrl'>;

/** The directory of temporary files. */
export function tempDirOf({ dir }: Pick<RoostConfig, 'dir'>): string {
  return join(dir, '.temp');
}

/** A path for a new temporary file. */
export function newTempPath(place: TempPlace, kind: string): string {
  return join(tempDirOf(place), newTempName(place.databaseUrl !== null, kind));
}

/** A name for a new temporary file, which tells whose it is where processes share the directory. */
export function newTempName(isShared: boolean, kind: string): string {
  return `${isShared ? `${PROCESS_NAME}.` : ''}${kind}-${randomText(20, LOWER_ALPHANUMERIC)}`;
}

/** What the names of this process's temporary files begin with. */
export function tempPrefixOf({ databaseUrl }: Pick<RoostConfig, 'databaseUrl'>): string {
  return databaseUrl === null ? '' : `${PROCESS_NAME}.`;
}

/** The name of the process that made a temporary file; undefined where that does not matter. */
export function ownerOf(name: string): string | undefined {
  return OWNED.exec(name)?.[1];
}
