import { Button, SegmentedControl, Switch, Tabs } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { RULE_NAMES, type RuleName } from '../api/collection-model.js';
import { useCollections } from '../api/queries.js';
import { Dialog } from '../design/dialog.js';
import { EmptyState, LoadingLines } from '../design/states.js';
import { CollectionIcon } from './collection-icon.js';
import classes from './overview.module.css';

const Diagram = lazy(async () => ({ default: (await import('./diagram.js')).Diagram }));

const KINDS: { value: RuleName; label: string }[] = RULE_NAMES.map((value) => ({
  value,
  label: `${value[0]!.toUpperCase()}${value.slice(1).replace('Rule', '')}`,
}));

function RulesOverview({ system }: { system: boolean }) {
  const { data: collections = [] } = useCollections();
  const [rule, setRule] = useState<RuleName>('listRule');
  return (
    <div className={classes.rules}>
      <SegmentedControl
        size="xs"
        value={rule}
        onChange={(value) => setRule(value as RuleName)}
        data={KINDS}
        aria-label="Kind of rule"
        mb={12}
      />
      {collections
        .filter(
          (each) => (system || !each.system) && !(each.type === 'view' && !['listRule', 'viewRule'].includes(rule)),
        )
        .map((each) => (
          <div key={each.id} className={classes.ruleRow}>
            <span className={classes.ruleName}>
              <CollectionIcon type={each.type} size={15} /> <span className="truncate">{each.name}</span>
            </span>
            {each[rule] === null ? (
              <span className={classes.locked}>Superusers only</span>
            ) : each[rule] === '' ? (
              <span className={classes.public}>Public</span>
            ) : (
              <code className={classes.expression}>{each[rule]}</code>
            )}
          </div>
        ))}
    </div>
  );
}

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
          <Suspense fallback={<LoadingLines />}>{none ? empty : <Diagram system={system} />}</Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="rules" className={classes.panel} tabIndex={0}>
          {none ? empty : <RulesOverview system={system} />}
        </Tabs.Panel>
      </Tabs>
    </Dialog>
  );
}
