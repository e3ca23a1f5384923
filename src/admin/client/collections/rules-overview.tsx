import { SegmentedControl } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { CollectionModel } from '../api/collection-model.js';
import { useCollections } from '../api/queries.js';
import { CutName } from '../design/cut-name.js';
import { CollectionIcon } from './collection-icon.js';
import classes from './overview.module.css';
import { ruleText } from './rule-text.js';
import { RULE_KINDS, rulesOf, ruleWarnings, together, type RuleOf, type RuleWarning } from './rule-warnings.js';

function RuleView({ rule: { kind, rule } }: { rule: RuleOf }) {
  const text = ruleText(rule, kind);
  if (rule === null) return <span className={classes.locked}>{text}</span>;
  return rule === '' ? (
    <span className={classes.open}>{text}</span>
  ) : (
    <code className={classes.expression}>{text}</code>
  );
}

function Warnings({ warnings }: { warnings: readonly RuleWarning[] }) {
  return warnings.map(({ kind, message }) => (
    <div key={`${kind} ${message}`} className={classes.warning}>
      <IconAlertTriangle size={14} role="img" aria-label="Warning" /> {message}
    </div>
  ));
}

interface Row {
  readonly collection: CollectionModel;
  readonly rules: readonly RuleOf[];
  readonly warnings: readonly RuleWarning[];
}

/** The rules of all collections, with what had better be looked at (UI-16, UI-74). */
export function RulesOverview({ system }: { system: boolean }) {
  const { data } = useCollections();
  const [shown, setShown] = useState('all');
  const rows = useMemo<Row[]>(
    () =>
      (data ?? [])
        .filter((each) => system || !each.system)
        .map((collection) => ({
          collection,
          rules: rulesOf(collection),
          warnings: ruleWarnings(collection, data ?? []),
        })),
    [data, system],
  );
  const count = rows.reduce((sum, { warnings }) => sum + warnings.length, 0);
  const fits = ({ kind }: RuleOf, { warnings }: Row) =>
    shown === 'all' || shown === kind || (shown === 'warnings' && warnings.some((each) => each.kind === kind));
  const visible = rows
    .map((row) => ({ ...row, rules: row.rules.filter((rule) => fits(rule, row)) }))
    .filter(({ rules }) => rules.length);
  return (
    <div className={classes.rules}>
      <div className={classes.kinds}>
        <SegmentedControl
          size="xs"
          value={shown}
          onChange={setShown}
          aria-label="Kind of rule"
          data={[
            { value: 'all', label: 'All' },
            { value: 'warnings', label: `Warnings (${count})` },
            ...RULE_KINDS.map(({ kind, label }) => ({ value: kind, label })),
          ]}
        />
      </div>
      {visible.length ? null : <p className="hint">{shown === 'warnings' ? 'No warnings.' : 'No such rules.'}</p>}
      {visible.map(({ collection, rules, warnings }) => (
        <section key={collection.id} className={classes.ruleRow} aria-label={`Rules of ${collection.name}`}>
          <span className={classes.ruleName}>
            <CollectionIcon type={collection.type} size={15} /> <CutName name={collection.name} />
          </span>
          <dl className={classes.ruleList} data-one={rules.length === 1 || undefined}>
            {together(rules, warnings).map((alike) => (
              <div key={alike[0]!.kind}>
                <dt>
                  {alike.map(({ kind, label }) => (
                    <span key={kind}>{label}</span>
                  ))}
                </dt>
                <dd>
                  <RuleView rule={alike[0]!} />
                  <Warnings warnings={warnings.filter(({ kind }) => alike.some((each) => each.kind === kind))} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
