import { createContext, useContext } from 'react';
import type { CollectionModel } from '../api/collection-model.js';

type NewCollection = ((onMade: (collection: CollectionModel) => void) => void) | undefined;

const NewCollectionContext = createContext<NewCollection>(undefined);

export const NewCollectionProvider = NewCollectionContext.Provider;

/** Opens a panel for a new collection over the one that is open; undefined where that is not to be had. */
export function useNewCollection(): NewCollection {
  return useContext(NewCollectionContext);
}
