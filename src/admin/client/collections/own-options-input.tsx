import { Input } from '@mantine/core';
import { useState } from 'react';
import type { FieldModel } from '../api/collection-model.js';
import type { FieldErrors } from '../api/use-field-errors.js';
import { CodeInput } from '../code/code-input.js';
import classes from './collection-panel.module.css';
import { ownOptions, readOwnOptions } from './own-options.js';

interface OwnOptionsInputProps {
  readonly field: FieldModel;
  readonly errors: FieldErrors;
  readonly path: string;
  readonly onChange: (options: Partial<FieldModel>) => void;
}

/** The options of a field type that this page does not know, as the server shows them. */
export function OwnOptionsInput({ field, errors, path, onChange }: OwnOptionsInputProps) {
  const options = ownOptions(field);
  const [text, setText] = useState(() => JSON.stringify(options, null, 2));
  const [wrong, setWrong] = useState<string>();
  const refused = Object.keys(options).flatMap((name) => {
    const error = errors.at(`${path}.${name}`);
    return error ? [`${name}: ${error}`] : [];
  });
  const error = wrong ?? refused[0];
  const change = (next: string) => {
    setText(next);
    const read = readOwnOptions(field, next);
    setWrong(read.error);
    if (read.change) onChange(read.change as Partial<FieldModel>);
  };
  return (
    <Input.Wrapper
      className={classes.wide}
      label={`Options of ${field.type}`}
      labelElement="div"
      description="As JSON. What is left out has its default."
      error={error}
    >
      <CodeInput
        language="json"
        label={`Options of ${field.type}`}
        value={text}
        onChange={change}
        invalid={Boolean(error)}
        minHeight={64}
        maxHeight={280}
      />
    </Input.Wrapper>
  );
}
