// What a team may import from 'roost', by subject. Whatever is not listed here or in 'roost/testing' may change on any
// day.

// Starting
export { createRoost } from './create-roost.js';
export { RoostModule } from './roost.module.js';
export type { RoostImport, RoostOptions } from './roost-options.js';
export { runRoost } from './run-roost.js';

// Commands
export {
  ChoicesFor,
  Command,
  type CommandOption,
  type CommandOptions,
  CommandRunner,
  DefaultFor,
  Help,
  InjectCommander,
  InquirerService,
  MessageFor,
  type NamedOptions,
  Option,
  OptionChoiceFor,
  Question,
  type QuestionOptions,
  QuestionSet,
  SubCommand,
  TransformFor,
  ValidateFor,
  WhenFor,
} from './cli/commands.js';

// Modules to import
export { AdminExtensionsModule } from './admin/extensions/admin-extensions.module.js';
export { AuthModule } from './auth/auth.module.js';
export { OAuth2Module } from './auth/oauth2/oauth2.module.js';
export { SignInModule } from './auth/sign-in.module.js';
export { CollectionsModule } from './collections/collections.module.js';
export { FieldTypesModule } from './collections/field-types.module.js';
export { FilesModule } from './files/files.module.js';
export { LogsModule } from './logs/logs.module.js';
export { MailModule } from './mail/mail.module.js';
export { RateLimitsModule } from './rate-limits/rate-limits.module.js';
export { RealtimeModule } from './realtime/realtime.module.js';
export { RecordsModule } from './records/records.module.js';
export { SettingsModule } from './settings/settings.module.js';
export { StorageModule } from './storage/storage.module.js';
export { TokensModule } from './tokens/tokens.module.js';

// Services to inject
export type { AuthResult } from './auth/auth-results.js';
export { type SignInAttempt, type SignInOptions, SignInService } from './auth/sign-in.service.js';
export type { ImportOptions } from './collections/collection-importer.js';
export type { SignInMethod } from './collections/sign-in-methods.js';
export { CollectionsService } from './collections/collections.service.js';
export { type CompiledSql, Database } from './database/database.js';
export { FilesService, type FileUrlOptions } from './files/files.service.js';
export type { LogEntry, LogHour, NewLogEntry } from './logs/log-entry.js';
export { type LogListQuery, LogsService } from './logs/logs.service.js';
export type { MailAttachment } from './mail/mail-transport.js';
export { type MailMessage, MailService, type TemplateMail } from './mail/mail.service.js';
export type { RealtimeClient } from './realtime/realtime-client.js';
export { RealtimeService } from './realtime/realtime.service.js';
export type { ActOptions } from './records/acting-caller.js';
export {
  type CreateOptions,
  type EachOptions,
  type FindOptions,
  type PickOptions,
  RecordsService,
  type SaveOptions,
  type ShowOptions,
  type UpdateOptions,
} from './records/records.service.js';
export { type Settings } from './settings/settings.js';
export { SettingsService } from './settings/settings.service.js';
export type { TokenClaims, TokenType } from './tokens/token-claims.js';
export { type IssueOptions, TokensService } from './tokens/tokens.service.js';

// Who is calling, and what a route wants
export { AuthRoute, type AuthRouteOptions } from './auth/auth-route.decorator.js';
export { AuthGuard } from './auth/auth.guard.js';
export { SuperuserGuard } from './auth/superuser.guard.js';
export { callerOf, runAs } from './http/request/caller-of.js';
export type { BodyLimit, BodyLimits, PartLimits } from './http/body/body-limit.js';
export type { JsonLimits } from './http/body/json-outline.js';
export { CurrentAuth } from './http/request/caller.decorators.js';
export { CurrentBody } from './http/body/current-body.decorator.js';
export { CurrentCaller } from './http/request/caller.decorators.js';
export { CurrentCollection } from './http/request/collection.decorators.js';
export { DtoPipe } from './http/dto/dto.pipe.js';
export { PicksFields } from './http/answer/picks-fields.decorator.js';
export { RateLimitTag } from './http/request/rate-limit.decorators.js';
export { ReadsBody } from './http/body/reads-body.decorators.js';
export { type RawBodyOptions, ReadsRawBody } from './http/body/reads-body.decorators.js';
export type { RequestBody } from './http/body/request-body.js';
export { RequireAuth, RequireSuperuser } from './http/request/require-auth.decorator.js';
export type { RoostRequest } from './http/request/roost-request.js';
export { RuleGuard } from './records/rule.guard.js';
export type { RuleKind } from './records/rule-kind.js';

// Values
export type { CollectionBody } from './kernel/collections/collection-body.js';
export { Collection, type CollectionData, type CollectionType } from './kernel/collections/collection.js';
export type { Upload } from './kernel/files/upload.js';
export type { FilterValue } from './kernel/sql/filter-value.js';
export type { FilterParameters } from './kernel/filter/filter-parameters.js';
export type { ListPage, Page } from './kernel/query/page.js';
export { Caller, GUEST } from './kernel/records/caller.js';
export { RecordModel } from './kernel/records/record-model.js';
export type { CollectionName, NewValuesOf, RecordOf, TypedRecord, ValuesOf } from './kernel/records/typed-record.js';
export type { RequestContext, RequestInfo } from './kernel/records/request-info.js';

// Hooks
export { BeforeServe, type ServeEvent } from './cli/serve.hooks.js';
export { AfterAuth, type AuthenticatedEvent, type AuthEvent, type AuthMethod, BeforeAuth } from './auth/auth.hooks.js';
export {
  type AuthResponseEvent,
  BeforeAuthResponse,
  BeforeAuthWithOAuth2,
  BeforeAuthWithOtp,
  BeforeAuthWithPassword,
  type OAuth2AuthEvent,
  type OtpAuthEvent,
  type PasswordAuthEvent,
} from './auth/sign-in.hooks.js';
export {
  type AccountConfirmedEvent,
  type AccountConfirmEvent,
  type AccountMailRequestEvent,
  type AccountMailSentEvent,
  AfterConfirmEmailChange,
  AfterConfirmPasswordReset,
  AfterConfirmVerification,
  AfterRequestEmailChange,
  AfterRequestPasswordReset,
  AfterRequestVerification,
  BeforeConfirmEmailChange,
  BeforeConfirmPasswordReset,
  BeforeConfirmVerification,
  BeforeRequestEmailChange,
  BeforeRequestOtp,
  BeforeRequestPasswordReset,
  BeforeRequestVerification,
  type EmailChangeEvent,
  type PasswordResetEvent,
} from './auth/emails/account.hooks.js';
export {
  AfterBackup,
  AfterRestore,
  type BackupEvent,
  type BackupMadeEvent,
  BeforeBackup,
  BeforeRestore,
  type RestoreEvent,
} from './backups/backup.hooks.js';
export { type BatchEvent, BeforeBatch } from './batch/batch.hooks.js';
export type { BatchRequest } from './batch/batch.dto.js';
export {
  AfterCollectionCreate,
  AfterCollectionCreateFailed,
  AfterCollectionDelete,
  AfterCollectionDeleteFailed,
  AfterCollectionUpdate,
  AfterCollectionUpdateFailed,
  BeforeCollectionCreate,
  BeforeCollectionDelete,
  BeforeCollectionImport,
  BeforeCollectionUpdate,
  type CollectionCreatedEvent,
  type CollectionCreateEvent,
  type CollectionDeletedEvent,
  type CollectionDeleteEvent,
  type CollectionFailedEvent,
  type CollectionImportEvent,
  type CollectionUpdatedEvent,
  type CollectionUpdateEvent,
  ValidateCollection,
  type ValidateCollectionEvent,
} from './collections/collection.hooks.js';
export { BeforeCronRun, type CronRunEvent } from './crons/cron.hooks.js';
export {
  BeforeFileDownload,
  BeforeFileToken,
  type FileDownloadEvent,
  type FileTokenEvent,
} from './files/file.hooks.js';
export { createHook, type Hook, type HookOptions } from './hooks/create-hook.js';
export { HookRegistry } from './hooks/hook-registry.js';
export { BeforeMailSend, type MailKind, type MailSendEvent } from './mail/mail.hooks.js';
export {
  AfterRealtimeDisconnect,
  BeforeRealtimeConnect,
  BeforeRealtimeMessage,
  BeforeRealtimeSubscribe,
  type RealtimeConnectEvent,
  type RealtimeDisconnectEvent,
  type RealtimeMessageEvent,
  type RealtimeSubscribeEvent,
} from './realtime/realtime.hooks.js';
export {
  AfterRecordCreate,
  AfterRecordCreateFailed,
  AfterRecordDelete,
  AfterRecordDeleteFailed,
  AfterRecordUpdate,
  AfterRecordUpdateFailed,
  BeforeRecordCreate,
  BeforeRecordCreateCommit,
  BeforeRecordDelete,
  BeforeRecordDeleteCommit,
  BeforeRecordUpdate,
  BeforeRecordUpdateCommit,
  EnrichRecord,
  type EnrichRecordEvent,
  type RecordCreatedEvent,
  type RecordCreateEvent,
  type RecordDeletedEvent,
  type RecordDeleteEvent,
  type RecordFailedEvent,
  type RecordUpdatedEvent,
  type RecordUpdateEvent,
  ValidateRecord,
  type ValidateRecordEvent,
} from './records/record.hooks.js';
export {
  AfterRecordList,
  BeforeRecordList,
  BeforeRecordView,
  type RecordListedEvent,
  type RecordListEvent,
  type RecordViewEvent,
} from './records/read/reading.hooks.js';
export {
  AfterSettingsUpdate,
  BeforeSettingsUpdate,
  type SettingsUpdatedEvent,
  type SettingsUpdateEvent,
} from './settings/settings.hooks.js';

// Events
export { CollectionChanged } from './collections/collection-changed.event.js';
export { CollectionDeleted } from './collections/collection-deleted.event.js';
export { OnEvent } from './events/on-event.decorator.js';
export { RecordChanged } from './records/record-changed.event.js';
export { SettingsChanged } from './settings/settings-changed.event.js';

// Parts to replace
export type { Replacement } from './config/replaceable.js';
export { EVENT_BUS, type EventBus, type EventType } from './events/event-bus.js';
export {
  type AttachedFile,
  type Mail,
  MAIL_TRANSPORT,
  type MailAddress,
  type MailTransport,
} from './mail/mail-transport.js';
export {
  EPHEMERAL_STORE,
  type CountedWindow,
  type EphemeralStore,
  type EphemeralValue,
} from './ephemeral/ephemeral-store.js';
export { RATE_LIMIT_STORE, type RateLimitStore, type RateLimitWindow } from './rate-limits/rate-limit-store.js';
export {
  type ByteRange,
  FILE_STORAGE,
  type FileStorage,
  type ListedFile,
  type NewFile,
  type OpenedFile,
  type StoredFile,
} from './storage/file-storage.js';

// The admin UI
export type {
  AdminAction,
  AdminActionContext,
  AdminCellContext,
  AdminElementContext,
  AdminExtension,
  AdminFieldType,
  AdminInputContext,
  AdminPage,
  AdminTheme,
} from './admin/extensions/admin-extension.js';

// Field types and OAuth2 providers
export type { OAuth2Client } from './auth/oauth2/oauth2-client.js';
export type { OAuth2Provider, ProviderUser } from './auth/oauth2/oauth2-provider.js';
export type { OAuth2User } from './auth/oauth2/oauth2-user.js';
export type { OAuth2Session } from './auth/oauth2/oauth2-session.js';
export type { FieldChecks } from './kernel/fields/field-checks.js';
export type { FieldDefinition } from './kernel/fields/field-definition.js';
export type {
  ColumnKind,
  FieldOption,
  FieldOptionsContext,
  FieldType,
  OperandKind,
  OptionKind,
  SqlValue,
  ValueModifier,
  WriteMoment,
} from './kernel/fields/field-type.js';

// Migrations
export type {
  CollectionChange,
  FieldsChange,
  MigrationApp,
  MigrationCollections,
  MigrationImportOptions,
  MigrationOptions,
} from './user-migrations/migration-app.js';

// Time and configuration
export { CLOCK, ROOST_CONFIG, type RoostConfig } from './config/roost-config.js';
export type { Clock } from './kernel/clock.js';

// Errors
export { ErrorFilter } from './http/answer/error.filter.js';
export { ApiError, type ErrorBody } from './kernel/errors/api-error.js';
export { BadRequestError } from './kernel/errors/bad-request.error.js';
export type { FieldError, FieldErrors } from './kernel/errors/field-error.js';
export { ForbiddenError } from './kernel/errors/forbidden.error.js';
export { NotFoundError } from './kernel/errors/not-found.error.js';
export { PayloadTooLargeError } from './kernel/errors/payload-too-large.error.js';
export { ServiceUnavailableError } from './kernel/errors/service-unavailable.error.js';
export { TimeoutError } from './kernel/errors/timeout.error.js';
export { TooManyRequestsError } from './kernel/errors/too-many-requests.error.js';
export { UnauthorizedError } from './kernel/errors/unauthorized.error.js';
export { ValidationError } from './kernel/errors/validation.error.js';
