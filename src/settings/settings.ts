import { Transform, Type } from 'class-transformer';
import { ApiProperty, ApiPropertyOptional } from '../http/dto/api-decorators.js';
import {
  AreIpsOrSubnets,
  HasExactLength,
  HasLength,
  HasPattern,
  IsAppAddress,
  IsAtLeast,
  IsAtMost,
  IsColor,
  IsCron,
  IsEmailAddress,
  IsHost,
  IsNested,
  IsOneOf,
  IsRequired,
  IsRequiredWhen,
  IsWebAddress,
} from '../http/dto/validators.js';

const LABEL = /^(\w+ \/[\w/-]*|\/[\w/-]*|\w+:\w+|\*:\w+|\w+)$/;

const AUTH_METHODS = ['', 'PLAIN', 'LOGIN'] as const;
const AUDIENCES = ['', '@guest', '@auth'] as const;

const IsRequiredWhenEnabled = () => IsRequiredWhen<{ readonly enabled: boolean }>(({ enabled }) => enabled);

/** How mails and pages name the installation. */
export class MetaSettings {
  @ApiProperty()
  @IsRequired()
  @HasLength(1, 255)
  readonly appName: string;

  @ApiProperty()
  @IsRequired()
  @IsAppAddress()
  readonly appURL: string;

  @ApiProperty()
  @IsRequired()
  @HasLength(1, 255)
  readonly senderName: string;

  @ApiProperty()
  @IsRequired()
  @IsEmailAddress()
  readonly senderAddress: string;

  @ApiProperty()
  readonly hideControls: boolean;

  @ApiProperty()
  @HasExactLength(7)
  @IsColor()
  readonly accentColor: string;
}

/** What is logged, and for how long. */
export class LogsSettings {
  @ApiProperty({ type: 'integer' })
  @IsAtLeast(0)
  readonly maxDays: number;

  @ApiProperty({ type: 'integer' })
  readonly minLevel: number;

  @ApiProperty()
  readonly logIP: boolean;

  @ApiProperty()
  readonly logAuthId: boolean;
}

/** How mails are sent. */
export class SmtpSettings {
  @ApiProperty()
  readonly enabled: boolean;

  @ApiProperty()
  @IsRequiredWhenEnabled()
  @IsHost()
  readonly host: string;

  @ApiProperty({ type: 'integer' })
  @IsRequiredWhenEnabled()
  @IsAtLeast(0)
  @IsAtMost(65535)
  readonly port: number;

  @ApiProperty()
  readonly username: string;

  /** Never answered. */
  @ApiPropertyOptional({ format: 'password' })
  readonly password: string;

  @ApiProperty({ enum: AUTH_METHODS })
  @IsOneOf(...AUTH_METHODS)
  readonly authMethod: string;

  @ApiProperty()
  readonly tls: boolean;

  @ApiProperty()
  @IsHost()
  readonly localName: string;
}

/** Access to an S3-compatible store. */
export class S3Settings {
  @ApiProperty()
  readonly enabled: boolean;

  @ApiProperty()
  @IsRequiredWhenEnabled()
  readonly bucket: string;

  @ApiProperty()
  @IsRequiredWhenEnabled()
  readonly region: string;

  @ApiProperty()
  @IsRequiredWhenEnabled()
  @IsWebAddress()
  readonly endpoint: string;

  @ApiProperty()
  @IsRequiredWhenEnabled()
  readonly accessKey: string;

  /** Never answered. */
  @ApiPropertyOptional({ format: 'password' })
  @IsRequiredWhenEnabled()
  readonly secret: string;

  @ApiProperty()
  readonly forcePathStyle: boolean;
}

/** When backups are made, how many are kept, and where. */
export class BackupsSettings {
  @ApiProperty()
  @IsCron()
  readonly cron: string;

  @ApiProperty({ type: 'integer' })
  @IsRequiredWhen<BackupsSettings>(({ cron }) => cron !== '')
  @IsAtLeast(0)
  readonly cronMaxKeep: number;

  @ApiProperty()
  @IsNested()
  @Type(() => S3Settings)
  readonly s3: S3Settings;
}

/** Whose word on the address of a client is taken. */
export class TrustedProxySettings {
  @ApiProperty({ type: [String] })
  @Transform(({ value }) => (value as string[]).map((name) => name.trim()).filter((name) => name !== ''))
  readonly headers: readonly string[];

  @ApiProperty()
  readonly useLeftmostIP: boolean;
}

/** How often a label may be asked for by an audience. */
export class RateLimitRule {
  @ApiProperty()
  @IsRequired()
  @HasPattern(LABEL)
  readonly label: string;

  @ApiProperty({ enum: AUDIENCES })
  @IsOneOf(...AUDIENCES)
  readonly audience: (typeof AUDIENCES)[number];

  /** Seconds until the tokens of a window are reset. */
  @ApiProperty({ type: 'integer' })
  @IsRequired()
  @IsAtLeast(1)
  readonly duration: number;

  @ApiProperty({ type: 'integer' })
  @IsRequired()
  @IsAtLeast(1)
  readonly maxRequests: number;
}

/** How often who may ask. That rules do not contradict each other is checked beside this. */
export class RateLimitsSettings {
  @ApiProperty()
  readonly enabled: boolean;

  @ApiProperty({ type: [String] })
  @AreIpsOrSubnets()
  readonly excludedIPs: readonly string[];

  @ApiProperty({ type: [RateLimitRule] })
  @IsRequiredWhenEnabled()
  @IsNested({ each: true })
  @Type(() => RateLimitRule)
  readonly rules: readonly RateLimitRule[];
}

/** How much a batch may hold. */
export class BatchSettings {
  @ApiProperty()
  readonly enabled: boolean;

  @ApiProperty({ type: 'integer' })
  @IsAtLeast(0)
  readonly maxRequests: number;

  /** Seconds. */
  @ApiProperty({ type: 'integer' })
  @IsAtLeast(0)
  readonly timeout: number;

  /** Bytes. */
  @ApiProperty({ type: 'integer' })
  @IsAtLeast(0)
  readonly maxBodySize: number;
}

export class FilesSettings {
  @ApiProperty()
  readonly openUnprotected: boolean;
}

/** How many streams may be open at once; 0 is no limit. */
export class RealtimeSettings {
  @ApiProperty({ type: 'integer' })
  @IsAtLeast(0)
  readonly maxStreamsPerIP: number;

  @ApiProperty({ type: 'integer' })
  @IsAtLeast(0)
  readonly maxStreamsPerAccount: number;
}

/**
 * What superusers set at run time (OPS-1), secrets included, and what it has to be (OPS-5). Immutable: a change makes a
 * new object.
 */
export class Settings {
  @ApiProperty()
  @IsNested()
  @Type(() => MetaSettings)
  readonly meta: MetaSettings;

  @ApiProperty()
  @IsNested()
  @Type(() => LogsSettings)
  readonly logs: LogsSettings;

  @ApiProperty()
  @IsNested()
  @Type(() => SmtpSettings)
  readonly smtp: SmtpSettings;

  @ApiProperty()
  @IsNested()
  @Type(() => S3Settings)
  readonly s3: S3Settings;

  @ApiProperty()
  @IsNested()
  @Type(() => BackupsSettings)
  readonly backups: BackupsSettings;

  @ApiProperty()
  @Type(() => TrustedProxySettings)
  readonly trustedProxy: TrustedProxySettings;

  @ApiProperty()
  @IsNested()
  @Type(() => RateLimitsSettings)
  readonly rateLimits: RateLimitsSettings;

  @ApiProperty()
  @IsNested()
  @Type(() => BatchSettings)
  readonly batch: BatchSettings;

  @ApiProperty()
  readonly files: FilesSettings;

  @ApiProperty()
  @IsNested()
  @Type(() => RealtimeSettings)
  readonly realtime: RealtimeSettings;

  @ApiProperty({ type: [String] })
  @AreIpsOrSubnets()
  readonly superuserIPs: readonly string[];
}

const NO_S3: S3Settings = {
  enabled: false,
  bucket: '',
  region: '',
  endpoint: '',
  accessKey: '',
  secret: '',
  forcePathStyle: false,
};

/** The settings of a new installation. */
export const DEFAULT_SETTINGS: Settings = {
  meta: {
    appName: 'Acme',
    appURL: 'http://localhost:8090',
    senderName: 'Support',
    senderAddress: 'support@example.com',
    hideControls: false,
    accentColor: '#1f6f5c',
  },
  logs: { maxDays: 5, minLevel: 0, logIP: true, logAuthId: false },
  smtp: {
    enabled: false,
    host: 'smtp.example.com',
    port: 587,
    username: '',
    password: '',
    authMethod: '',
    tls: false,
    localName: '',
  },
  s3: NO_S3,
  backups: { cron: '', cronMaxKeep: 3, s3: NO_S3 },
  trustedProxy: { headers: [], useLeftmostIP: false },
  rateLimits: {
    enabled: false,
    excludedIPs: [],
    rules: [
      { label: '*:auth', audience: '', duration: 3, maxRequests: 2 },
      { label: '*:create', audience: '', duration: 5, maxRequests: 20 },
      { label: '/api/batch', audience: '', duration: 1, maxRequests: 3 },
      { label: '/api/', audience: '', duration: 10, maxRequests: 300 },
    ],
  },
  batch: { enabled: false, maxRequests: 10, timeout: 3, maxBodySize: 134217728 },
  files: { openUnprotected: false },
  realtime: { maxStreamsPerIP: 0, maxStreamsPerAccount: 0 },
  superuserIPs: [],
};
