import type { CollectionModel } from '../api/collection-model.js';

/** What the collection panel is open for. */
export type PanelTarget =
  { readonly kind: 'new'; readonly from?: CollectionModel } | { readonly kind: 'edit'; readonly id: string };
