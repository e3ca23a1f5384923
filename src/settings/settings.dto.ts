import { Transform, Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import {
  atLeast,
  atMost,
  cron,
  email,
  exactLength,
  hexColor,
  host,
  ipOrSubnet,
  length,
  oneOf,
  pattern,
  required,
  urlOrHostPort,
  urlOrHost,
} from '../kernel/validation/rules.js';
import { each } from '../kernel/validation/validate-object.js';
import { Fulfils, where } from './fulfils.decorator.js';

const LABEL = /^(\w+ \/[\w/-]*|\/[\w/-]*|\w+:\w+|\*:\w+|\w+)$/;

const requiredWhenEnabled = where((section: { readonly enabled: boolean }) => section.enabled, required);

const requiredWhenScheduled = where((section: { readonly cron: string }) => section.cron !== '', required);

/** How mails and pages name the installation. */
export class MetaDto {
  @Fulfils(required, length(1, 255))
  appName: string;

  @Fulfils(required, urlOrHostPort)
  appURL: string;

  @Fulfils(required, length(1, 255))
  senderName: string;

  @Fulfils(required, email)
  senderAddress: string;

  @Fulfils(exactLength(7), hexColor)
  accentColor: string;
}

/** What is logged, and for how long. */
export class LogsDto {
  @Fulfils(atLeast(0))
  maxDays: number;
}

/** How mails are sent. */
export class SmtpDto {
  enabled: boolean;

  @Fulfils(requiredWhenEnabled, host)
  host: string;

  @Fulfils(requiredWhenEnabled, atLeast(0), atMost(65535))
  port: number;

  @Fulfils(oneOf('', 'PLAIN', 'LOGIN'))
  authMethod: string;

  @Fulfils(host)
  localName: string;
}

/** Access to an S3-compatible store. */
export class S3Dto {
  enabled: boolean;

  @Fulfils(requiredWhenEnabled)
  bucket: string;

  @Fulfils(requiredWhenEnabled)
  region: string;

  @Fulfils(requiredWhenEnabled, urlOrHost)
  endpoint: string;

  @Fulfils(requiredWhenEnabled)
  accessKey: string;

  @Fulfils(requiredWhenEnabled)
  secret: string;
}

/** When backups are made, how many are kept, and where. */
export class BackupsDto {
  @Fulfils(cron)
  cron: string;

  @Fulfils(requiredWhenScheduled, atLeast(0))
  cronMaxKeep: number;

  @ValidateNested()
  @Type(() => S3Dto)
  s3: S3Dto;
}

/** Whose word on the address of a client is taken. */
export class TrustedProxyDto {
  @Transform(({ value }) => (value as string[]).map((name) => name.trim()).filter((name) => name !== ''))
  headers: string[];
}

/** How often a label may be asked for by an audience. */
export class RateLimitRuleDto {
  @Fulfils(required, pattern(LABEL))
  label: string;

  @Fulfils(oneOf('', '@guest', '@auth'))
  audience: string;

  @Fulfils(required, atLeast(1))
  duration: number;

  @Fulfils(required, atLeast(1))
  maxRequests: number;
}

/** How often who may ask. That rules do not contradict each other is checked beside this. */
export class RateLimitsDto {
  enabled: boolean;

  @Fulfils(requiredWhenEnabled)
  @ValidateNested({ each: true })
  @Type(() => RateLimitRuleDto)
  rules: RateLimitRuleDto[];

  @Fulfils(each(required, ipOrSubnet))
  excludedIPs: string[];
}

/** How much a batch may hold. */
export class BatchDto {
  @Fulfils(atLeast(0))
  maxRequests: number;

  @Fulfils(atLeast(0))
  timeout: number;

  @Fulfils(atLeast(0))
  maxBodySize: number;
}

export class RealtimeDto {
  @Fulfils(atLeast(0))
  maxStreamsPerIP: number;

  @Fulfils(atLeast(0))
  maxStreamsPerAccount: number;
}

/** The settings as they have to be (OPS-5). What has no mark here may be anything of its type. */
export class SettingsDto {
  @ValidateNested()
  @Type(() => MetaDto)
  meta: MetaDto;

  @ValidateNested()
  @Type(() => LogsDto)
  logs: LogsDto;

  @ValidateNested()
  @Type(() => SmtpDto)
  smtp: SmtpDto;

  @ValidateNested()
  @Type(() => S3Dto)
  s3: S3Dto;

  @ValidateNested()
  @Type(() => BackupsDto)
  backups: BackupsDto;

  @Type(() => TrustedProxyDto)
  trustedProxy: TrustedProxyDto;

  @ValidateNested()
  @Type(() => RateLimitsDto)
  rateLimits: RateLimitsDto;

  @ValidateNested()
  @Type(() => BatchDto)
  batch: BatchDto;

  @ValidateNested()
  @Type(() => RealtimeDto)
  realtime: RealtimeDto;

  @Fulfils(each(required, ipOrSubnet))
  superuserIPs: string[];
}
