import { Button, Checkbox, Group } from '@mantine/core';
import { IconCopy, IconDownload } from '@tabler/icons-react';
import { useEffect, useMemo, useRef } from 'react';
import { useCollections } from '../api/queries.js';
import { CodeInput } from '../code/code-input.js';
import { CollectionIcon } from '../collections/collection-icon.js';
import { copyText } from '../design/copy-text.js';
import { downloadJson } from '../design/download.js';
import { LoadingList } from '../design/loading-shapes.js';
import { FailedState } from '../design/states.js';
import { useRangeSelection } from '../design/use-range-selection.js';
import { portable } from './import-changes.js';
import classes from './settings.module.css';

/** Collections as JSON, to be kept or imported elsewhere (UI-68). */
export function ExportScreen() {
  const query = useCollections();
  const collections = useMemo(() => query.data ?? [], [query.data]);
  const order = useMemo(() => collections.map((each) => each.id), [collections]);
  const selection = useRangeSelection(order);
  const started = useRef(false);
  useEffect(() => {
    if (started.current || !order.length) return;
    started.current = true;
    selection.setAll(order);
  }, [order, selection]);
  const chosen = useMemo(
    () => collections.filter((each) => selection.selected.has(each.id)).map(portable),
    [collections, selection.selected],
  );
  const text = useMemo(() => JSON.stringify(chosen, null, 2), [chosen]);
  if (query.isPending) return <LoadingList rows={8} rowHeight={35} />;
  if (query.isLoadingError) return <FailedState error={query.error} onRetry={() => void query.refetch()} />;
  const all = selection.selected.size === order.length;
  return (
    <>
      <div
        className={classes.list}
        style={{ maxHeight: 300, overflow: 'auto', marginBottom: 14 }}
        role="group"
        aria-label="Collections to export"
      >
        <div className={classes.listRow} style={{ minHeight: 36 }}>
          <Checkbox
            label={`All (${order.length})`}
            checked={all}
            indeterminate={!all && selection.selected.size > 0}
            onChange={() => (all ? selection.clear() : selection.setAll(order))}
          />
        </div>
        {collections.map((each) => (
          <div key={each.id} className={classes.listRow} style={{ minHeight: 34, padding: '4px 14px' }}>
            <Checkbox
              checked={selection.selected.has(each.id)}
              readOnly
              onClick={(event) => selection.toggle(each.id, event.shiftKey)}
              label={
                <span className={classes.exportName}>
                  <CollectionIcon type={each.type} size={14} /> {each.name}
                </span>
              }
            />
          </div>
        ))}
      </div>
      {chosen.some((each) => each.oauth2?.enabled) ? (
        <p className="hint">OAuth2 providers are left out, because nobody is told their secrets.</p>
      ) : null}
      <CodeInput language="json" label="Collections as JSON" readOnly value={text} maxHeight={420} />
      <Group justify="flex-end" gap={8} mt={14}>
        <Button variant="default" leftSection={<IconCopy size={15} />} onClick={() => void copyText(text)}>
          Copy
        </Button>
        <Button
          leftSection={<IconDownload size={15} />}
          disabled={!chosen.length}
          onClick={() => downloadJson('collections.json', chosen)}
        >
          Download
        </Button>
      </Group>
    </>
  );
}
