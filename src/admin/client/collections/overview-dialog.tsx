import { Button, Switch, Tabs } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useCollections } from '../api/queries.js';
import { Dialog } from '../design/dialog.js';
import { EmptyState, LoadingLines } from '../design/states.js';
import classes from './overview.module.css';
import { RulesOverview } from './rules-overview.js';

const Diagram = lazy(async () => ({ default: (await import('./diagram.js')).Diagram }));

/** All collections at once: how they are related, and who may do what (UI-16). */
export function OverviewDialog({ onClose }: { onClose: () => void }) {
  const [tab, setTab] = useState<string | null>('diagram');
  const { data: collections = [] } = useCollections();
  const [system, setSystem] = useState(false);
  const none = !collections.some((each) => system || !each.system);
  const empty = (
    <EmptyState
      title="No collections yet"
      action={
        <Button variant="default" size="xs" onClick={() => setSystem(true)}>
          Show system collections
        </Button>
      }
    >
      There are only those that the server keeps for itself.
    </EmptyState>
  );
  return (
    <Dialog opened onClose={onClose} title="Overview" size="94vw" flush>
      <Tabs value={tab} onChange={setTab} className={classes.tabs} keepMounted={false}>
        <Tabs.List px={16}>
          <Tabs.Tab value="diagram">Diagram</Tabs.Tab>
          <Tabs.Tab value="rules">Rules</Tabs.Tab>
        </Tabs.List>
        <Switch
          className={classes.system}
          size="xs"
          label="System collections"
          checked={system}
          onChange={(event) => setSystem(event.currentTarget.checked)}
        />
        <Tabs.Panel value="diagram" className={classes.panel}>
          <Suspense fallback={<LoadingLines />}>{none ? empty : <Diagram system={system} onOpen={onClose} />}</Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="rules" className={classes.panel} tabIndex={0}>
          {none ? empty : <RulesOverview system={system} />}
        </Tabs.Panel>
      </Tabs>
    </Dialog>
  );
}
