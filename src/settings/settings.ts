/** Access to an S3-compatible store. */
export interface S3Settings {
  readonly enabled: boolean;
  readonly bucket: string;
  readonly region: string;
  readonly endpoint: string;
  readonly accessKey: string;
  readonly secret: string;
  readonly forcePathStyle: boolean;
}

/** How often a label may be asked for by an audience. */
export interface RateLimitRule {
  readonly label: string;
  readonly audience: '' | '@guest' | '@auth';
  /** Seconds until the tokens of a window are reset. */
  readonly duration: number;
  readonly maxRequests: number;
}

/** What superusers set at run time (OPS-1), secrets included. Immutable: a change makes a new object. */
export interface Settings {
  readonly meta: {
    readonly appName: string;
    readonly appURL: string;
    readonly senderName: string;
    readonly senderAddress: string;
    readonly hideControls: boolean;
    readonly accentColor: string;
  };
  readonly logs: {
    readonly maxDays: number;
    readonly minLevel: number;
    readonly logIP: boolean;
    readonly logAuthId: boolean;
  };
  readonly smtp: {
    readonly enabled: boolean;
    readonly host: string;
    readonly port: number;
    readonly username: string;
    readonly password: string;
    readonly authMethod: string;
    readonly tls: boolean;
    readonly localName: string;
  };
  readonly s3: S3Settings;
  readonly backups: { readonly cron: string; readonly cronMaxKeep: number; readonly s3: S3Settings };
  readonly trustedProxy: { readonly headers: readonly string[]; readonly useLeftmostIP: boolean };
  readonly rateLimits: {
    readonly enabled: boolean;
    readonly excludedIPs: readonly string[];
    readonly rules: readonly RateLimitRule[];
  };
  readonly batch: {
    readonly enabled: boolean;
    readonly maxRequests: number;
    /** Seconds. */
    readonly timeout: number;
    /** Bytes. */
    readonly maxBodySize: number;
  };
  readonly files: { readonly openUnprotected: boolean };
  /** How many streams may be open at once; 0 is no limit. */
  readonly realtime: { readonly maxStreamsPerIP: number; readonly maxStreamsPerAccount: number };
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
