import { isMultiple, type CollectionModel, type FieldModel } from '../api/collection-model.js';
import { valueHint } from '../fields/value-hint.js';
import { sizeText } from '../files/file-kind.js';

/** One value of a request's body, as the API preview lists it. */
export interface BodyParameter {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly about: string;
}

const TYPES: Readonly<Record<string, string>> = {
  number: 'Number',
  bool: 'Boolean',
  date: 'Date',
  json: 'JSON',
  geoPoint: '{ lon, lat }',
  file: 'File',
  relation: 'Record id',
};

function typeOf(field: FieldModel): string {
  const type = TYPES[field.type] ?? 'String';
  return isMultiple(field) ? `${type}[]` : type;
}

function aboutOf(field: FieldModel): string {
  const many = isMultiple(field) ? `max ${String(field.maxSelect)}` : '';
  const list = (value: unknown) => ((value as string[] | null) ?? []).join(', ');
  switch (field.type) {
    case 'text':
    case 'number':
      return valueHint(field) ?? '';
    case 'select':
      return [`one of ${list(field.values)}`, many].filter(Boolean).join('; ');
    case 'file':
      return [field.maxSize ? `up to ${sizeText(Number(field.maxSize))}` : '', list(field.mimeTypes), many]
        .filter(Boolean)
        .join('; ');
    case 'date':
      return [field.min ? `from ${String(field.min)}` : '', field.max ? `until ${String(field.max)}` : '']
        .filter(Boolean)
        .join(' ');
    case 'editor':
      return 'HTML';
    default:
      return many;
  }
}

function sentence(text: string): string {
  return text ? `${text[0]!.toUpperCase()}${text.slice(1)}` : '';
}

/** What the server demands only when a record is made, and what it gives by itself. */
function isAlways(field: FieldModel): boolean {
  return Boolean(field.required) && !field.autogeneratePattern;
}

/** The values a record can be made from, or be changed by: then none of them has to be sent. */
export function recordParameters(collection: CollectionModel, isNew: boolean): BodyParameter[] {
  const isAuth = collection.type === 'auth';
  const parameters = collection.fields
    .filter((field) => field.type !== 'autodate' && !field.hidden && (isNew || field.name !== 'id'))
    .filter((field) => !(isAuth && ['password', 'tokenKey'].includes(field.name)))
    .map((field) => ({
      name: field.name,
      type: typeOf(field),
      required: isNew && isAlways(field),
      about: sentence([aboutOf(field), field.help].filter(Boolean).join('. ')),
    }));
  if (!isAuth) return parameters;
  const password = (name: string, about: string, required: boolean) => ({ name, type: 'String', required, about });
  return [
    ...parameters,
    ...(isNew
      ? []
      : [password('oldPassword', 'With a new password, unless the manage rule allows to go without', false)]),
    password('password', isNew ? '' : 'A new one ends all sessions of the account', isNew),
    password('passwordConfirm', 'The same again', isNew),
  ];
}

const ABOUT: Readonly<Record<string, string>> = {
  identity: 'What stands in one of the identity fields, such as the e-mail',
  provider: 'The name of the provider',
  code: 'What the provider has sent back',
  codeVerifier: 'As listAuthMethods gave it',
  redirectURL: 'The one the code was asked for with',
  otpId: 'As requestOTP gave it',
};

/** The values of a request whose example says it all: they are texts, and all needed. */
export function exampleParameters(body: object): BodyParameter[] {
  return Object.entries(body).map(([name, value]) => ({
    name,
    type: Array.isArray(value) ? 'Object[]' : 'String',
    required: true,
    about: ABOUT[name] ?? '',
  }));
}
