import type { FieldDefinition } from '../../../kernel/fields/field-definition.js';

/** A field as the editors hold it: the plain data, writable. */
export type FieldModel = { -readonly [Key in keyof FieldDefinition]: FieldDefinition[Key] };

export interface MailTemplateModel {
  subject: string;
  body: string;
}

export interface TokenModel {
  duration: number;
  secret?: string;
}

export interface ProviderModel {
  name: string;
  clientId: string;
  clientSecret?: string;
  authURL: string;
  tokenURL: string;
  userInfoURL: string;
  displayName: string;
  pkce: boolean | null;
  extra: Record<string, unknown> | null;
}

/** What an auth collection has beyond a base collection (COL-4). */
export interface AuthModel {
  authRule: string | null;
  manageRule: string | null;
  authAlert: { enabled: boolean; emailTemplate: MailTemplateModel };
  passwordAuth: { enabled: boolean; identityFields: string[] };
  oauth2: { enabled: boolean; mappedFields: Record<string, string>; providers: ProviderModel[] };
  mfa: { enabled: boolean; duration: number; rule: string };
  otp: { enabled: boolean; duration: number; length: number; emailTemplate: MailTemplateModel };
  authToken: TokenModel;
  passwordResetToken: TokenModel;
  emailChangeToken: TokenModel;
  verificationToken: TokenModel;
  fileToken: TokenModel;
  verificationTemplate: MailTemplateModel;
  resetPasswordTemplate: MailTemplateModel;
  confirmEmailChangeTemplate: MailTemplateModel;
}

/** A collection as the API shows it (COL-1); the parts of auth and view collections are there when its type says so. */
export interface CollectionModel extends Partial<AuthModel> {
  id: string;
  name: string;
  type: 'base' | 'auth' | 'view';
  system: boolean;
  fields: FieldModel[];
  indexes: string[];
  listRule: string | null;
  viewRule: string | null;
  createRule: string | null;
  updateRule: string | null;
  deleteRule: string | null;
  viewQuery?: string;
  created: string;
  updated: string;
}

export const RULE_NAMES = ['listRule', 'viewRule', 'createRule', 'updateRule', 'deleteRule'] as const;
export type RuleName = (typeof RULE_NAMES)[number];

/** Whether the field can hold more than one value. */
export function isMultiple(field: FieldModel): boolean {
  return ['select', 'file', 'relation'].includes(field.type) && Number(field.maxSelect) > 1;
}

/** The field whose value stands for a record in short views: presentable ones first, then usual names. */
export function presentableFields(collection: CollectionModel | undefined): FieldModel[] {
  if (!collection) return [];
  const marked = collection.fields.filter((field) => field.presentable && !field.hidden);
  if (marked.length) return marked;
  for (const name of ['title', 'name', 'label', 'slug', 'username', 'email', 'subject', 'key']) {
    const field = collection.fields.find((each) => each.name === name && !each.hidden);
    if (field) return [field];
  }
  return [];
}
