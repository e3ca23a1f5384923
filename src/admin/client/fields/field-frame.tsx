import { IconEyeOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { FieldModel } from '../api/collection-model.js';
import { FieldIcon } from './field-icon.js';
import classes from './fields.module.css';

interface FieldFrameProps {
  readonly field: FieldModel;
  readonly error?: string;
  /** The id of the input the label belongs to; without it the frame is a named group. */
  readonly inputId?: string;
  readonly aside?: ReactNode;
  readonly hint?: ReactNode;
  readonly children: ReactNode;
}

/** What stands behind the name of a field that is required or hidden. */
export function FieldMarks({ field }: { field: FieldModel }) {
  return (
    <>
      {field.required ? (
        <span className={classes.required} aria-label="required">
          *
        </span>
      ) : null}
      {field.hidden ? (
        <IconEyeOff data-tip="Hidden from everyone but superusers" size={13} role="img" aria-label="hidden field" />
      ) : null}
    </>
  );
}

/** Label, help and error around the input of a field. */
export function FieldFrame({ field, error, inputId, aside, hint, children }: FieldFrameProps) {
  const label = (
    <>
      <FieldIcon type={field.type} name={field.name} />
      <span className="truncate">{field.name}</span>
      <FieldMarks field={field} />
    </>
  );
  return (
    <div
      className={classes.field}
      data-field={field.name}
      data-invalid={error ? true : undefined}
      role={inputId ? undefined : 'group'}
      aria-label={inputId ? undefined : field.name}
    >
      <div className={classes.head}>
        {inputId ? (
          <label className={classes.label} htmlFor={inputId}>
            {label}
          </label>
        ) : (
          <span className={classes.label}>{label}</span>
        )}
        {aside}
      </div>
      {children}
      {error ? (
        <p className={classes.error} role="alert" id={inputId ? `${inputId}-error` : undefined}>
          {error}
        </p>
      ) : null}
      {hint ? <p className={classes.help}>{hint}</p> : null}
      {field.help ? (
        <p className={classes.help} dir="auto">
          {field.help}
        </p>
      ) : null}
    </div>
  );
}
