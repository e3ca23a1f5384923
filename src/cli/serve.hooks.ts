import type { RoostConfig } from '../config/roost-config.js';
import { createHook } from '../hooks/create-hook.js';

/** The server is about to serve. */
export interface ServeEvent {
  readonly config: RoostConfig;
}

/**
 * Once at every start of the server: the data directory is open and migrated, and nobody can ask for anything yet. The
 * place to fill caches or to see to it that something exists. A throw stops the start. Commands do not run it.
 */
export const BeforeServe = createHook<ServeEvent>('BeforeServe');
