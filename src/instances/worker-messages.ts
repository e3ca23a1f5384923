/** Messages of a worker to its parent. `id` identifies replies. */
export type FromWorker =
  | { readonly kind: 'ready' }
  /** The data are damaged, and no worker may go on. */
  | { readonly kind: 'damaged' }
  | { readonly kind: 'broadcast'; readonly topic: string; readonly payload: unknown }
  /** `withoutTimeout`: see AskOptions. */
  | {
      readonly kind: 'ask';
      readonly id: number;
      readonly question: string;
      readonly payload: unknown;
      readonly withoutTimeout: boolean;
    }
  | { readonly kind: 'answer'; readonly id: number; readonly value?: unknown }
  | { readonly kind: 'request'; readonly id: number; readonly name: string; readonly payload: unknown }
  | { readonly kind: 'lock'; readonly id: number; readonly name: string; readonly waits: boolean }
  | { readonly kind: 'release'; readonly name: string }
  | { readonly kind: 'wantTurn' }
  | { readonly kind: 'passTurn' }
  | { readonly kind: 'runAlone'; readonly id: number }
  | { readonly kind: 'beTogether' };

/** Messages of a parent to a worker. */
export type ToWorker =
  | { readonly kind: 'stop' }
  | { readonly kind: 'lead' }
  | { readonly kind: 'broadcast'; readonly topic: string; readonly payload: unknown }
  | { readonly kind: 'question'; readonly id: number; readonly question: string; readonly payload: unknown }
  | { readonly kind: 'reply'; readonly id: number; readonly value?: unknown; readonly error?: string }
  /** The worker may write; others wait already when `isWanted`. */
  | { readonly kind: 'turn'; readonly isWanted: boolean }
  | { readonly kind: 'turnWanted' };
