import { Collapse } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useCollections } from '../api/queries.js';
import { FilterHelp } from '../code/filter-help.js';
import { ShowHide } from '../design/show-hide.js';
import { draftRules, type RuleField } from './rule-fields.js';
import type { DraftTabProps } from './draft-tab-props.js';
import { bodyOfDraft } from './collection-draft.js';
import { RuleInput } from './rule-input.js';
import { ruleWarnings } from './rule-warnings.js';

const RuleTestDialog = lazy(async () => ({ default: (await import('./rule-test-dialog.js')).RuleTestDialog }));

/** One editor per rule of the collection (UI-44). */
export function RulesTab({ draft, setDraft, errors }: DraftTabProps) {
  const { data: collections = [] } = useCollections();
  const [help, setHelp] = useState(false);
  const [tested, setTested] = useState<RuleField | null>(null);
  const [more, setMore] = useState(draft.collection.authRule !== '' || draft.collection.manageRule !== null);
  const collection = bodyOfDraft(draft);
  const { main, extra } = draftRules(collection);
  const warnings = ruleWarnings(collection, collections);
  const stored = collections.find(({ id }) => id !== '' && id === collection.id);
  const input = (rule: RuleField) => {
    const { name, label, about } = rule;
    return (
      <RuleInput
        key={name}
        label={label}
        about={about}
        value={collection[name] ?? null}
        error={errors.at(name)}
        disabled={collection.system}
        nonEmpty={name === 'manageRule'}
        lockedText={name === 'authRule' ? 'Nobody can sign in' : 'Superusers only'}
        collection={collection}
        collections={collections}
        warnings={warnings.filter(({ kind }) => kind === name).map(({ message }) => message)}
        onChange={(value) => {
          errors.clear(name);
          setDraft((current) => ({ ...current, collection: { ...current.collection, [name]: value } }));
        }}
        onTest={stored ? () => setTested(rule) : undefined}
      />
    );
  };
  return (
    <>
      <p className="hint" style={{ margin: '0 0 12px' }}>
        A rule is a filter: whoever fits it may do it.{' '}
        <ShowHide what="fields and operators" shown={help} onChange={setHelp} />
      </p>
      <Collapse expanded={help}>
        <FilterHelp
          fields={collection.fields
            .filter((field) => field.type !== 'password' && field.name !== 'tokenKey')
            .map((field) => field.name)}
        />
      </Collapse>
      {main.map(input)}
      {extra.length ? (
        <>
          <p style={{ margin: '0 0 12px' }}>
            <ShowHide what="sign-in and manage rules" shown={more} onChange={setMore} />
          </p>
          {more || errors.under('authRule') || errors.under('manageRule') ? extra.map(input) : null}
        </>
      ) : null}
      {tested && stored ? (
        <Suspense fallback={null}>
          <RuleTestDialog
            collection={stored}
            field={tested}
            rule={collection[tested.name] ?? ''}
            onClose={() => setTested(null)}
          />
        </Suspense>
      ) : null}
    </>
  );
}
