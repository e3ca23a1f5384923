export interface S3Model {
  enabled: boolean;
  bucket: string;
  region: string;
  endpoint: string;
  accessKey: string;
  /** Never in an answer; absent keeps what is stored, '' clears it (OPS-4). */
  secret?: string;
  forcePathStyle: boolean;
}

export interface RateLimitRuleModel {
  label: string;
  audience: '' | '@guest' | '@auth';
  duration: number;
  maxRequests: number;
}

/** The settings as the API shows them (OPS-1). */
export interface SettingsModel {
  meta: {
    appName: string;
    appURL: string;
    senderName: string;
    senderAddress: string;
    hideControls: boolean;
    accentColor: string;
  };
  logs: { maxDays: number; minLevel: number; logIP: boolean; logAuthId: boolean };
  smtp: {
    enabled: boolean;
    host: string;
    port: number;
    username: string;
    /** Never in an answer; absent keeps what is stored, '' clears it (OPS-4). */
    password?: string;
    authMethod: string;
    tls: boolean;
    localName: string;
  };
  s3: S3Model;
  backups: { cron: string; cronMaxKeep: number; s3: S3Model };
  trustedProxy: { headers: string[]; useLeftmostIP: boolean };
  rateLimits: { enabled: boolean; excludedIPs: string[]; rules: RateLimitRuleModel[] };
  batch: { enabled: boolean; maxRequests: number; timeout: number; maxBodySize: number };
  files: { openUnprotected: boolean };
  realtime: { maxStreamsPerIP: number; maxStreamsPerAccount: number };
  superuserIPs: string[];
}
