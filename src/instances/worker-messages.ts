/** What a worker says to its parent. `id` tells the replies apart. */
export type FromWorker =
  | { readonly kind: 'ready' }
  /** The data is damaged: nobody is to go on with it. */
  | { readonly kind: 'damaged' }
  | { readonly kind: 'broadcast'; readonly topic: string; readonly payload: unknown }
  /** Patiently: however long the answers take. */
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

/** What a parent says to a worker. */
export type ToWorker =
  | { readonly kind: 'stop' }
  | { readonly kind: 'lead' }
  | { readonly kind: 'broadcast'; readonly topic: string; readonly payload: unknown }
  | { readonly kind: 'question'; readonly id: number; readonly question: string; readonly payload: unknown }
  | { readonly kind: 'reply'; readonly id: number; readonly value?: unknown; readonly error?: string }
  /** The worker may write; others wait already when `isWanted`. */
  | { readonly kind: 'turn'; readonly isWanted: boolean }
  | { readonly kind: 'turnWanted' };
