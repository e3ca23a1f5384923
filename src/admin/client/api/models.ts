import type { components } from './api-types.js';

/** What the API takes and answers in fixed shapes, as its OpenAPI document says. */
type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

/** The settings as the API shows them (OPS-1). An absent secret keeps what is stored, '' clears it (OPS-4). */
export type SettingsModel = Schema<'Settings'>;
export type StoredSecrets = Schema<'StoredSecrets'>;
export type S3Model = Schema<'S3Settings'>;
export type RateLimitRuleModel = Schema<'RateLimitRule'>;
export type ExtensionInfo = Schema<'AdminExtensionInfo'>;
export type ProviderInfo = Schema<'OAuth2ProviderInfo'>;
export type Health = Schema<'Health'>;
export type BackupFile = Schema<'Backup'>;
export type LogEntry = Schema<'LogEntry'>;
export type HourCount = Schema<'LogHour'>;
export type InsightsModel = Schema<'Insights'>;
export type SqlAnswer = Schema<'SqlAnswer'>;
export type ListViewInput = Schema<'ListViewDto'>;
export type SqlSnippetModel = Schema<'SqlSnippet'>;
export type ListViewModel = Schema<'ListView'>;
export type RuleTestInput = Schema<'RuleTestDto'>;
export type RuleTest = Schema<'RuleTestAnswer'>;
export type SetupStatus = Schema<'SetupStatus'>;
