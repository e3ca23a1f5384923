import { lazy, Suspense, type ComponentType } from 'react';
import { Skeleton } from '@mantine/core';
import { useExtensions } from '../api/queries.js';
import { BoolInput } from './bool-input.js';
import { extendedType } from '../extensions/extended-type.js';
import { DateInput } from './date-input.js';
import { FieldFrame } from './field-frame.js';
import type { FieldInputProps } from './field-input-props.js';
import { FileInput } from './file-input.js';
import { JsonInput } from './json-input.js';
import { NumberInput } from './number-input.js';
import { PasswordInput } from './password-input.js';
import { RelationInput } from './relation-input.js';
import { SelectInput } from './select-input.js';
import { TextInput } from './text-input.js';
import { UrlInput } from './url-input.js';

const INPUTS: Readonly<Record<string, ComponentType<FieldInputProps>>> = {
  text: TextInput,
  email: TextInput,
  url: UrlInput,
  number: NumberInput,
  bool: BoolInput,
  date: DateInput,
  select: SelectInput,
  json: JsonInput,
  password: PasswordInput,
  file: FileInput,
  relation: RelationInput,
  editor: lazy(async () => ({ default: (await import('./editor-input.js')).EditorInput })),
  geoPoint: lazy(async () => ({ default: (await import('./geo-point-input.js')).GeoPointInput })),
};

const ExtensionInput = lazy(async () => ({
  default: (await import('../extensions/extension-input.js')).ExtensionInput,
}));

/** Roughly what an input that is still loading will take, so that nothing below it jumps. */
const HEIGHTS: Readonly<Record<string, number>> = { editor: 242, geoPoint: 36 };

/**
 * The input for a field, by its type, which may be that of a module; a type nobody has an input for is edited as JSON.
 */
export function FieldInput(props: FieldInputProps) {
  const extension = extendedType(props.field.type, useExtensions());
  const Input = INPUTS[props.field.type] ?? JsonInput;
  return (
    <Suspense
      fallback={
        <FieldFrame field={props.field}>
          <Skeleton height={HEIGHTS[props.field.type]} />
        </FieldFrame>
      }
    >
      {extension?.input ? (
        <ExtensionInput {...props} script={extension.script} name={extension.input} />
      ) : (
        <Input {...props} />
      )}
    </Suspense>
  );
}
