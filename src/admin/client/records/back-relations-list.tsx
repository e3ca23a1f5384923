import { Button } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import type { CollectionModel } from '../api/collection-model.js';
import { useCollections } from '../api/queries.js';
import { CollectionIcon } from '../collections/collection-icon.js';
import { CutName } from '../design/cut-name.js';
import { backRelations, pointsTo } from './back-relations.js';
import classes from './records.module.css';
import { totalQuery } from './use-records.js';

/** Each of them is counted. */
const SHOWN = 8;

/** The relations that point to a record, with how many do and the way to them (UI-76). */
export function BackRelationsList({ collection, id }: { collection: CollectionModel; id: string }) {
  const { data: collections = [] } = useCollections();
  const [all, setAll] = useState(false);
  const relations = backRelations(collection, collections);
  const shown = all ? relations : relations.slice(0, SHOWN);
  const totals = useQueries({
    queries: shown.map((each) => ({
      ...totalQuery(each.collection, pointsTo(each, id)),
      placeholderData: undefined,
      staleTime: 0,
      retry: false,
    })),
  });
  if (!relations.length) return null;
  return (
    <section className={classes.backRelations} aria-label="Records that point here">
      <h3>Records that point here</h3>
      <ul>
        {shown.map((each, at) => {
          const total = totals[at]!;
          return (
            <li key={each.collection.id + each.field.id}>
              <a
                href={`#/collections/${each.collection.name}?filter=${encodeURIComponent(pointsTo(each, id))}`}
                aria-label={`${each.collection.name} by ${each.field.name}`}
              >
                <CollectionIcon type={each.collection.type} size={15} />
                <CutName name={each.collection.name} /> <span className="hint">by {each.field.name}</span>
              </a>
              <span className="hint tabular">
                {total.isError
                  ? 'could not be counted'
                  : total.data === undefined
                    ? '…'
                    : `${total.data.toLocaleString('en')} ${total.data === 1 ? 'record' : 'records'}`}
              </span>
            </li>
          );
        })}
      </ul>
      {relations.length > shown.length ? (
        <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setAll(true)}>
          Show {relations.length - shown.length} more
        </Button>
      ) : null}
    </section>
  );
}
