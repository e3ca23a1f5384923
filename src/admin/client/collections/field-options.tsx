import { Button, NumberInput, Select, Switch, TagsInput, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { FieldModel } from '../api/collection-model.js';
import { useCollections } from '../api/queries.js';
import type { FieldErrors } from '../api/use-field-errors.js';
import { MomentInput } from '../design/moment-input.js';
import { sizeText } from '../files/file-kind.js';
import { withPreset } from './mime-types.js';
import { useNewCollection } from './new-collection.js';
import { hasUnknownOptions } from './own-options.js';
import { OwnOptionsInput } from './own-options-input.js';
import { MAX_SELECT, MIN_SELECT, TYPE_OPTIONS, type FieldOption } from './type-options.js';
import classes from './collection-panel.module.css';

interface FieldOptionsProps {
  readonly field: FieldModel;
  readonly errors: FieldErrors;
  readonly path: string;
  readonly onChange: (options: Partial<FieldModel>) => void;
}

interface OptionProps extends FieldOptionsProps {
  readonly option: FieldOption;
  readonly disabled?: boolean;
}

/** The error of a list, or of the first of its values that has one. */
function listError(errors: FieldErrors, path: string, values: readonly string[]): string | undefined {
  if (!errors.under(path)) return undefined;
  const ofValues = values.map((_, index) => errors.at(`${path}.${index}`));
  return errors.at(path) ?? ofValues.find(Boolean) ?? 'A value is not valid.';
}

function OptionInput({ option, disabled, ...props }: OptionProps) {
  const { field, errors, path, onChange } = props;
  const { name, kind, label, about, placeholder } = option;
  const value = field[name];
  const set = (next: unknown) => onChange({ [name]: next });
  const common = { label, description: about, placeholder, disabled, error: errors.at(`${path}.${name}`) };
  switch (kind) {
    case 'number':
    case 'bytes':
      return (
        <NumberInput
          {...common}
          description={kind === 'bytes' && value ? `Bytes: ${sizeText(Number(value))}` : about}
          placeholder="Default"
          allowDecimal={false}
          value={value ? Number(value) : ''}
          onChange={(next) => set(Number(next))}
        />
      );
    case 'decimal':
      return (
        <NumberInput
          {...common}
          placeholder="No limit"
          value={(value as number | null) ?? ''}
          onChange={(next) => set(next === '' ? null : Number(next))}
        />
      );
    case 'text':
      return (
        <TextInput
          {...common}
          classNames={{ input: 'mono' }}
          spellCheck={false}
          value={String(value ?? '')}
          onChange={(event) => set(event.currentTarget.value)}
        />
      );
    case 'date':
      return <MomentInput {...common} value={String(value ?? '')} onChange={set} />;
    case 'switch':
      return (
        <Switch
          {...common}
          className={classes.wide}
          checked={Boolean(value)}
          onChange={(event) => set(event.currentTarget.checked)}
        />
      );
    case 'list': {
      const values = (value as string[] | null) ?? [];
      return (
        <div className={classes.wide}>
          <TagsInput
            {...common}
            // The values of a select are words for people.
            splitChars={name === 'values' ? [','] : [',', ' ']}
            data={option.suggestions ? [...option.suggestions] : undefined}
            value={values}
            error={listError(errors, `${path}.${name}`, values)}
            onChange={set}
          />
          {option.presets ? (
            <div className={classes.presets} role="group" aria-label={`Presets of ${label.toLowerCase()}`}>
              {option.presets.map((preset) => (
                <button
                  key={preset.label}
                  type="button"
                  className={classes.preset}
                  aria-pressed={preset.values.every((each) => values.includes(each))}
                  onClick={() => set(withPreset(values, preset))}
                >
                  {preset.label}
                </button>
              ))}
            </div>
          ) : null}
          {option.forms ? (
            <dl className={classes.forms}>
              {option.forms.map(([form, meaning]) => (
                <div key={form}>
                  <dt className="mono">{form}</dt>
                  <dd>{meaning}</dd>
                </div>
              ))}
            </dl>
          ) : null}
        </div>
      );
    }
    case 'multiplicity':
      return <Multiplicity {...props} />;
    case 'collection':
      return <Target {...props} />;
  }
}

function Multiplicity(props: FieldOptionsProps) {
  const { field, onChange } = props;
  const many = Number(field.maxSelect) > 1;
  const most = field.type === 'select' ? Math.max(2, ((field.values as string[] | null) ?? []).length) : 99;
  return (
    <>
      <Select
        label="How many"
        allowDeselect={false}
        value={many ? 'multiple' : 'single'}
        data={[
          { value: 'single', label: 'Single' },
          { value: 'multiple', label: 'Multiple' },
        ]}
        onChange={(value) =>
          onChange(
            value === 'multiple'
              ? { maxSelect: most }
              : { maxSelect: 1, ...(field.type === 'relation' ? { minSelect: 0 } : {}) },
          )
        }
      />
      {many && field.type === 'relation' ? <OptionInput {...props} option={MIN_SELECT} /> : null}
      {many ? <OptionInput {...props} option={MAX_SELECT} /> : null}
    </>
  );
}

function Target({ field, errors, path, onChange }: FieldOptionsProps) {
  const { data: collections = [] } = useCollections();
  const makeCollection = useNewCollection();
  const select = (
    <Select
      flex={1}
      label="Collection"
      description={field.id ? 'Cannot be changed later.' : 'Whose records it points to. Cannot be changed later.'}
      searchable
      disabled={Boolean(field.id)}
      value={(field.collectionId as string) || null}
      data={collections.filter((each) => each.type !== 'view').map((each) => ({ value: each.id, label: each.name }))}
      error={errors.at(`${path}.collectionId`)}
      onChange={(value) => onChange({ collectionId: value ?? '' })}
    />
  );
  return (
    <div className={`${classes.wide} ${classes.target}`}>
      {select}
      {makeCollection && !field.id ? (
        <Button
          variant="default"
          leftSection={<IconPlus size={15} />}
          onClick={() => makeCollection((made) => onChange({ collectionId: made.id }))}
        >
          New collection
        </Button>
      ) : null}
    </div>
  );
}

function required({ type }: FieldModel): FieldOption {
  const about = type === 'bool' ? 'Must be true.' : type === 'number' ? 'Must not be 0.' : 'Must not be empty.';
  return { name: 'required', kind: 'switch', label: 'Required', about };
}

const HIDDEN: FieldOption = {
  name: 'hidden',
  kind: 'switch',
  label: 'Hidden',
  about: 'Not returned to, filtered or written by anyone but superusers.',
};

const PRESENTABLE: FieldOption = {
  name: 'presentable',
  kind: 'switch',
  label: 'Presentable',
  about: 'Stands for the record in lists and relation inputs.',
};

/** All options of a field (chapter 01), first those of its type, then those every field has. */
export function FieldOptions(props: FieldOptionsProps) {
  const { field, errors, path, onChange } = props;
  const fixed = field.system && ['id', 'password', 'tokenKey', 'created', 'updated'].includes(field.name);
  return (
    <div className={classes.options}>
      {TYPE_OPTIONS[field.type]?.map((option) => (
        <OptionInput key={option.name} {...props} option={option} disabled={option.fixed && field.system} />
      ))}
      {hasUnknownOptions(field) ? <OwnOptionsInput {...props} /> : null}
      <div className={classes.wide}>
        <TextInput
          label="Help"
          description="Shown at the input. Max 300 characters."
          value={field.help}
          error={errors.at(`${path}.help`)}
          onChange={(event) => onChange({ help: event.currentTarget.value })}
        />
      </div>
      {field.type === 'autodate' ? null : <OptionInput {...props} option={required(field)} disabled={fixed} />}
      <OptionInput {...props} option={HIDDEN} disabled={fixed && field.type !== 'autodate'} />
      {field.type === 'password' ? null : <OptionInput {...props} option={PRESENTABLE} />}
    </div>
  );
}
