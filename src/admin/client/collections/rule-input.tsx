import { Button } from '@mantine/core';
import { IconAlertTriangle, IconFlask, IconLock, IconLockOpen, IconWorld } from '@tabler/icons-react';
import { useId, useMemo, useRef } from 'react';
import type { CollectionModel } from '../api/collection-model.js';
import { CodeInput } from '../code/code-input.js';
import { useFilterCompletion } from '../code/use-filter-completion.js';
import classes from './collection-panel.module.css';

interface RuleInputProps {
  readonly label: string;
  readonly about?: string;
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
  readonly error?: string;
  readonly disabled?: boolean;
  /** Rules that may be locked or say something, but not be empty. */
  readonly nonEmpty?: boolean;
  readonly lockedText: string;
  /** What had better be looked at, though it can be saved. */
  readonly warnings?: readonly string[];
  readonly collection: CollectionModel;
  readonly collections: readonly CollectionModel[];
  /** Tries the rule as somebody; absent where there are no records to try it on yet. */
  readonly onTest?: () => void;
}

/** A rule: locked for superusers, empty for everyone, or an expression. */
export function RuleInput({
  label,
  about,
  value,
  onChange,
  error,
  disabled,
  nonEmpty,
  lockedText,
  warnings = [],
  collection,
  collections,
  onTest,
}: RuleInputProps) {
  const id = useId();
  // What was written comes back when a rule is unlocked again.
  const before = useRef(value ?? '');
  if (value !== null) before.current = value;
  // Button and editor take each other's place: the focus goes along.
  const turned = useRef(false);
  const turn = (next: string | null) => {
    turned.current = true;
    onChange(next);
  };
  // The names in sight change with the draft, the completion with them; its texts do not.
  const shape = JSON.stringify(
    collection.fields.map((field) => [field.name, field.type, field.collectionId, field.maxSelect]),
  );
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const scope = useMemo(() => ({ collections, collection }), [collections, shape]);
  const completion = useFilterCompletion(scope);
  return (
    <div className={classes.rule} role="group" aria-label={`${label} rule`}>
      <div className={classes.ruleHead}>
        <span style={{ fontWeight: 500 }}>{label}</span>
        {value === null ? (
          <span className={classes.mark}>{lockedText}</span>
        ) : value === '' && !nonEmpty ? (
          <span className={classes.mark} style={{ color: 'var(--warning)' }}>
            <IconWorld size={11} style={{ verticalAlign: -1 }} aria-hidden /> Everyone
          </span>
        ) : null}
        <span style={{ marginLeft: 'auto' }} />
        {value !== null && onTest ? (
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            leftSection={<IconFlask size={13} />}
            onClick={onTest}
            aria-label={`Test as …: the ${label} rule`}
          >
            Test as …
          </Button>
        ) : null}
        {value !== null && !disabled ? (
          <Button
            data-tip="Only superusers"
            size="compact-xs"
            variant="subtle"
            color="gray"
            leftSection={<IconLock size={13} />}
            onClick={() => turn(null)}
            aria-label={`Lock the ${label} rule`}
          >
            Lock
          </Button>
        ) : null}
      </div>
      {value === null ? (
        <button
          type="button"
          className={classes.ruleLocked}
          disabled={disabled}
          autoFocus={turned.current}
          onClick={() => turn(before.current)}
          aria-label={disabled ? `Cannot be changed: ${label}` : `Unlock and set a rule: ${label}`}
        >
          {disabled ? <IconLock size={15} aria-hidden /> : <IconLockOpen size={15} aria-hidden />}
          {disabled ? 'Cannot be changed' : 'Unlock and set a rule'}
        </button>
      ) : (
        <CodeInput
          language="filter"
          lint
          label={`${label} rule`}
          placeholder={nonEmpty ? 'Needs a condition' : 'Empty: everyone'}
          value={value}
          readOnly={disabled}
          autoFocus={turned.current}
          onChange={onChange}
          completion={completion}
          invalid={Boolean(error)}
          minHeight={36}
          maxHeight={220}
          describedBy={error ? id : undefined}
        />
      )}
      {error ? (
        <p role="alert" id={id} style={{ margin: '4px 0 0', color: 'var(--danger)', fontSize: 12 }}>
          {error}
        </p>
      ) : null}
      {warnings.map((warning) => (
        <p key={warning} role="status" style={{ margin: '4px 0 0', color: 'var(--warning)', fontSize: 12 }}>
          <IconAlertTriangle size={12} style={{ verticalAlign: -1 }} aria-hidden /> {warning}
        </p>
      ))}
      {about ? (
        <p className="hint" style={{ margin: '4px 0 0' }}>
          {about}
        </p>
      ) : null}
    </div>
  );
}
