import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useRef } from 'react';
import { api } from '../api/api.js';
import { messageOf } from '../api/failure.js';
import { useCollection, useCollections } from '../api/queries.js';
import { RecordCell } from './record-cell.js';
import { recordLabel } from './record-label.js';
import { expandOf, listFields } from './record-query.js';
import classes from './records.module.css';

const FIELDS = 8;
const GAP = 6;

/** What is in a related record, beside what stands for it. */
export function RecordPeek({ target }: { target: HTMLElement }) {
  const [collectionId, id] = target.dataset.peek!.split('/') as [string, string];
  const collection = useCollection(collectionId);
  const { data: collections = [] } = useCollections();
  const card = useRef<HTMLDivElement>(null);
  const record = useQuery({
    queryKey: ['peek', collectionId, id],
    queryFn: ({ signal }) =>
      api.collection(collectionId).getOne(id, {
        expand: expandOf(collection!, collections),
        fields: listFields(collection!),
        signal,
      }),
    enabled: collection !== undefined,
    staleTime: 10_000,
    retry: false,
  });
  useLayoutEffect(() => {
    const element = card.current;
    if (!element) return;
    const { left, top, bottom } = target.getBoundingClientRect();
    const own = element.getBoundingClientRect();
    const x = Math.max(8, Math.min(left, window.innerWidth - own.width - 8));
    const below = bottom + GAP + own.height <= window.innerHeight - 8;
    element.style.transform = `translate(${Math.round(x)}px, ${Math.round(below ? bottom + GAP : Math.max(8, top - own.height - GAP))}px)`;
  });
  if (!collection || record.isPending) return null;
  const fields = collection.fields.filter((field) => field.type !== 'password' && field.name !== 'tokenKey');
  const filled = record.data
    ? fields.filter(({ name }) => ![null, undefined, ''].includes(record.data[name] as never)).slice(0, FIELDS)
    : [];
  return (
    <div ref={card} className={classes.peek} role="tooltip" data-peek-card>
      {record.isError ? <p className="hint">{messageOf(record.error)}</p> : null}
      {record.data ? (
        <>
          <div className={classes.peekTitle} dir="auto">
            {recordLabel(record.data, collection, collections)} <span className="hint">{collection.name}</span>
          </div>
          <dl>
            {filled.map((field) => (
              <div key={field.id}>
                <dt className="truncate">{field.name}</dt>
                <dd>
                  <RecordCell record={record.data} field={field} collections={collections} />
                </dd>
              </div>
            ))}
          </dl>
        </>
      ) : null}
    </div>
  );
}
