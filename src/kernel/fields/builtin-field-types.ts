import { AutodateField } from './autodate-field.js';
import { BoolField } from './bool-field.js';
import { DateField } from './date-field.js';
import { EditorField } from './editor-field.js';
import { EmailField } from './email-field.js';
import type { FieldType } from './field-type.js';
import { FileField } from './file-field.js';
import { GeoPointField } from './geo-point-field.js';
import { JsonField } from './json-field.js';
import { NumberField } from './number-field.js';
import { PasswordField } from './password-field.js';
import { RelationField } from './relation-field.js';
import { SelectField } from './select-field.js';
import { TextField } from './text-field.js';
import { UrlField } from './url-field.js';

/** The field types every Roost has, a fresh set for each application, in the order in which they are offered. */
export function builtinFieldTypes(): FieldType[] {
  return [
    new TextField(),
    new EditorField(),
    new NumberField(),
    new BoolField(),
    new EmailField(),
    new UrlField(),
    new DateField(),
    new SelectField(),
    new JsonField(),
    new FileField(),
    new RelationField(),
    new AutodateField(),
    new PasswordField(),
    new GeoPointField(),
  ];
}
