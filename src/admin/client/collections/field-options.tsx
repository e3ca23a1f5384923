import { NumberInput, Select, Switch, TagsInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { FieldModel } from '../api/collection-model.js';
import { useCollections } from '../api/queries.js';
import type { FieldErrors } from '../api/use-field-errors.js';
import { MIME_TYPES } from './mime-types.js';
import classes from './collection-panel.module.css';

interface FieldOptionsProps {
  readonly field: FieldModel;
  readonly errors: FieldErrors;
  readonly path: string;
  readonly onChange: (options: Partial<FieldModel>) => void;
}

type OptionProps = FieldOptionsProps & { readonly name: string; readonly label: string; readonly about?: ReactNode };

function NumberOption({
  field,
  errors,
  path,
  onChange,
  name,
  label,
  about,
  empty = 0,
  decimals,
}: OptionProps & { readonly empty?: 0 | null; readonly decimals?: boolean }) {
  const value = field[name] as number | null;
  return (
    <NumberInput
      label={label}
      description={about}
      value={value === null || (empty === 0 && value === 0) ? '' : value}
      placeholder={empty === 0 ? 'Default' : 'No limit'}
      allowDecimal={decimals ?? false}
      error={errors.at(`${path}.${name}`)}
      onChange={(next) => onChange({ [name]: next === '' ? empty : Number(next) })}
    />
  );
}

function TextOption({
  field,
  errors,
  path,
  onChange,
  name,
  label,
  about,
  placeholder,
}: OptionProps & { readonly placeholder?: string }) {
  return (
    <TextInput
      label={label}
      description={about}
      classNames={{ input: 'mono' }}
      spellCheck={false}
      placeholder={placeholder}
      value={String(field[name] ?? '')}
      error={errors.at(`${path}.${name}`)}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
    />
  );
}

function SwitchOption({
  field,
  errors,
  path,
  onChange,
  name,
  label,
  about,
  disabled,
}: OptionProps & { readonly disabled?: boolean }) {
  return (
    <Switch
      className={classes.wide}
      label={label}
      description={about}
      disabled={disabled}
      checked={Boolean(field[name])}
      error={errors.at(`${path}.${name}`)}
      onChange={(event) => onChange({ [name]: event.currentTarget.checked })}
    />
  );
}

function ListOption({
  field,
  errors,
  path,
  onChange,
  name,
  label,
  about,
  data,
  placeholder,
}: OptionProps & { readonly data?: string[]; readonly placeholder?: string }) {
  const values = (field[name] as string[] | null) ?? [];
  const failed = errors.under(`${path}.${name}`);
  return (
    <TagsInput
      className={classes.wide}
      label={label}
      description={about}
      placeholder={placeholder}
      splitChars={[',', ' ']}
      data={data}
      value={values}
      error={
        failed
          ? (errors.at(`${path}.${name}`) ??
            values.map((_, index) => errors.at(`${path}.${name}.${index}`)).find(Boolean) ??
            'A value is not valid.')
          : undefined
      }
      onChange={(next) => onChange({ [name]: next })}
    />
  );
}

function Multiplicity(props: FieldOptionsProps) {
  const many = Number(props.field.maxSelect) > 1;
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
          props.onChange(
            value === 'multiple'
              ? {
                  maxSelect:
                    props.field.type === 'select'
                      ? Math.max(2, ((props.field.values as string[] | null) ?? []).length)
                      : 99,
                }
              : { maxSelect: 1, ...(props.field.type === 'relation' ? { minSelect: 0 } : {}) },
          )
        }
      />
      {many && props.field.type === 'relation' ? (
        <NumberOption {...props} name="minSelect" label="At least" about="0: none is enough" />
      ) : null}
      {many ? <NumberOption {...props} name="maxSelect" label="At most" /> : null}
    </>
  );
}

function RelationOptions(props: FieldOptionsProps) {
  const { data: collections = [] } = useCollections();
  const { field, errors, path, onChange } = props;
  return (
    <>
      <Select
        className={classes.wide}
        label="Collection"
        description={field.id ? 'Cannot be changed later.' : 'Whose records it points to. Cannot be changed later.'}
        searchable
        disabled={Boolean(field.id)}
        value={(field.collectionId as string) || null}
        data={collections.filter((each) => each.type !== 'view').map((each) => ({ value: each.id, label: each.name }))}
        error={errors.at(`${path}.collectionId`)}
        onChange={(value) => onChange({ collectionId: value ?? '' })}
      />
      <Multiplicity {...props} />
      <SwitchOption
        {...props}
        name="cascadeDelete"
        label="Cascade delete"
        about="Deleting the related record deletes this one too. Otherwise it is only taken out of the field."
      />
    </>
  );
}

function TypeOptions(props: FieldOptionsProps) {
  const { field } = props;
  switch (field.type) {
    case 'text':
      return (
        <>
          <NumberOption {...props} name="min" label="Shortest" about="Characters; empty: no limit" />
          <NumberOption {...props} name="max" label="Longest" about="Characters; empty: 5000" />
          <TextOption
            {...props}
            name="pattern"
            label="Pattern"
            about="Regular expression (RE2) the value must match"
            placeholder="^[a-z]+$"
          />
          <TextOption
            {...props}
            name="autogeneratePattern"
            label="Generate"
            about="Pattern to make a value from when it is left empty"
            placeholder="[a-z0-9]{10}"
          />
        </>
      );
    case 'editor':
      return (
        <>
          <NumberOption {...props} name="maxSize" label="Largest size" about="Bytes; empty: 5 MiB" />
          <SwitchOption
            {...props}
            name="convertURLs"
            label="Make addresses relative"
            about="Links and media that point to this server are stored without its domain."
          />
        </>
      );
    case 'number':
      return (
        <>
          <NumberOption {...props} name="min" label="Least" empty={null} decimals />
          <NumberOption {...props} name="max" label="Greatest" empty={null} decimals />
          <SwitchOption {...props} name="onlyInt" label="Whole numbers only" />
        </>
      );
    case 'email':
    case 'url':
      return (
        <>
          <ListOption
            {...props}
            name="onlyDomains"
            label="Only these domains"
            about="Empty: all. Not together with the other list."
            placeholder="example.com"
          />
          <ListOption {...props} name="exceptDomains" label="Not these domains" placeholder="example.com" />
        </>
      );
    case 'date':
      return (
        <>
          <TextOption {...props} name="min" label="Earliest" about="UTC" placeholder="2026-01-01 00:00:00.000Z" />
          <TextOption {...props} name="max" label="Latest" about="UTC" placeholder="2027-01-01 00:00:00.000Z" />
        </>
      );
    case 'autodate':
      return (
        <>
          <SwitchOption {...props} name="onCreate" label="Set on create" disabled={field.system} />
          <SwitchOption {...props} name="onUpdate" label="Set on update" disabled={field.system} />
        </>
      );
    case 'select':
      return (
        <>
          <ListOption
            {...props}
            name="values"
            label="Values"
            about="Taking one away does not change stored records."
            placeholder="draft, published"
          />
          <Multiplicity {...props} />
        </>
      );
    case 'file':
      return (
        <>
          <Multiplicity {...props} />
          <NumberOption {...props} name="maxSize" label="Largest file" about="Bytes; empty: 5 MiB" />
          <ListOption
            {...props}
            name="mimeTypes"
            label="Allowed types"
            about="By content, not by name. Empty: all."
            data={MIME_TYPES}
            placeholder="image/png"
          />
          <ListOption
            {...props}
            name="thumbs"
            label="Thumbnail sizes"
            about="WxH, Wx0 and 0xH keep the ratio; t, b at the end crop from top or bottom, f fits."
            placeholder="100x100, 300x0"
          />
          <SwitchOption
            {...props}
            name="protected"
            label="Protected"
            about="Every download needs a short-lived file token besides the view rule."
          />
        </>
      );
    case 'relation':
      return <RelationOptions {...props} />;
    case 'json':
      return <NumberOption {...props} name="maxSize" label="Largest size" about="Bytes; empty: 1 MiB" />;
    case 'password':
      return (
        <>
          <NumberOption {...props} name="min" label="Shortest" about="Characters" />
          <NumberOption {...props} name="max" label="Longest" about="Characters, at most 71" />
          <TextOption {...props} name="pattern" label="Pattern" />
          <NumberOption {...props} name="cost" label="bcrypt cost" about="4 to 31; empty: 10" />
        </>
      );
    default:
      return null;
  }
}

/** All options of a field (chapter 01), first those of its type, then those every field has. */
export function FieldOptions(props: FieldOptionsProps) {
  const { field } = props;
  const fixed = field.system && ['id', 'password', 'tokenKey', 'created', 'updated'].includes(field.name);
  return (
    <div className={classes.options}>
      <TypeOptions {...props} />
      <div className={classes.wide}>
        <TextInput
          label="Help"
          description="Shown at the input. At most 300 characters."
          value={field.help}
          error={props.errors.at(`${props.path}.help`)}
          onChange={(event) => props.onChange({ help: event.currentTarget.value })}
        />
      </div>
      {field.type === 'autodate' ? null : (
        <SwitchOption
          {...props}
          name="required"
          label="Required"
          about={
            field.type === 'bool' ? 'Must be true.' : field.type === 'number' ? 'Must not be 0.' : 'Must not be empty.'
          }
          disabled={fixed}
        />
      )}
      <SwitchOption
        {...props}
        name="hidden"
        label="Hidden"
        about="Not returned to, filtered or written by anyone but superusers."
        disabled={fixed && field.type !== 'autodate'}
      />
      {field.type === 'password' ? null : (
        <SwitchOption
          {...props}
          name="presentable"
          label="Presentable"
          about="Stands for the record in lists and relation inputs."
        />
      )}
    </div>
  );
}
