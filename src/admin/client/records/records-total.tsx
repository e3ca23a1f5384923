import { useQuery } from '@tanstack/react-query';
import type { CollectionModel } from '../api/collection-model.js';
import { FooterTotal } from '../app/footer.js';
import { totalQuery } from './use-records.js';

/** How many records a list has, in the footer. Counting takes its time, and the list is not drawn again for it. */
export function RecordsTotal({ collection, filter }: { collection: CollectionModel; filter: string }) {
  const { data: total } = useQuery(totalQuery(collection, filter));
  return (
    <FooterTotal>
      {total === undefined ? '' : `${total.toLocaleString('en')} ${total === 1 ? 'record' : 'records'}`}
    </FooterTotal>
  );
}
