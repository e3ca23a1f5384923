// Written by `UPDATE_API_TYPES=1 npx vitest run --config test/vitest.config.ts test/openapi/client-types`.
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    MetaSettings: {
      appName: string;
      appURL: string;
      senderName: string;
      senderAddress: string;
      hideControls: boolean;
      accentColor: string;
    };
    LogsSettings: {
      maxDays: number;
      minLevel: number;
      logIP: boolean;
      logAuthId: boolean;
    };
    SmtpSettings: {
      enabled: boolean;
      host: string;
      port: number;
      username: string;
      /** Format: password */
      password?: string;
      /** @enum {string} */
      authMethod: '' | 'PLAIN' | 'LOGIN';
      tls: boolean;
      localName: string;
    };
    S3Settings: {
      enabled: boolean;
      bucket: string;
      region: string;
      endpoint: string;
      accessKey: string;
      /** Format: password */
      secret?: string;
      forcePathStyle: boolean;
    };
    BackupsSettings: {
      cron: string;
      cronMaxKeep: number;
      s3: components['schemas']['S3Settings'];
    };
    TrustedProxySettings: {
      headers: string[];
      useLeftmostIP: boolean;
    };
    RateLimitRule: {
      label: string;
      /** @enum {string} */
      audience: '' | '@guest' | '@auth';
      duration: number;
      maxRequests: number;
    };
    RateLimitsSettings: {
      enabled: boolean;
      excludedIPs: string[];
      rules: components['schemas']['RateLimitRule'][];
    };
    BatchSettings: {
      enabled: boolean;
      maxRequests: number;
      timeout: number;
      maxBodySize: number;
    };
    FilesSettings: {
      openUnprotected: boolean;
    };
    RealtimeSettings: {
      maxStreamsPerIP: number;
      maxStreamsPerAccount: number;
    };
    Settings: {
      meta: components['schemas']['MetaSettings'];
      logs: components['schemas']['LogsSettings'];
      smtp: components['schemas']['SmtpSettings'];
      s3: components['schemas']['S3Settings'];
      backups: components['schemas']['BackupsSettings'];
      trustedProxy: components['schemas']['TrustedProxySettings'];
      rateLimits: components['schemas']['RateLimitsSettings'];
      batch: components['schemas']['BatchSettings'];
      files: components['schemas']['FilesSettings'];
      realtime: components['schemas']['RealtimeSettings'];
      superuserIPs: string[];
    };
    StoredSecrets: {
      smtpPassword: boolean;
      s3Secret: boolean;
      backupsS3Secret: boolean;
    };
    OAuth2ProviderInfo: {
      name: string;
      displayName: string;
      /** @description An SVG image, or nothing. */
      logo: string;
    };
    DryRunDto: {
      query: string;
    };
    Field: {
      id?: string;
      name: string;
      type: string;
      system?: boolean;
      hidden?: boolean;
      presentable?: boolean;
      required?: boolean;
      help?: string;
    } & {
      [key: string]: unknown;
    };
    DryRunResult: {
      fields: components['schemas']['Field'][];
      sample: {
        [key: string]: unknown;
      }[];
    };
    Collection: {
      id: string;
      name: string;
      /** @enum {string} */
      type: 'base' | 'auth' | 'view';
      system: boolean;
      /** @description A filter expression; empty: everyone; null: superusers only. */
      listRule: string | null;
      /** @description A filter expression; empty: everyone; null: superusers only. */
      viewRule: string | null;
      /** @description A filter expression; empty: everyone; null: superusers only. */
      createRule: string | null;
      /** @description A filter expression; empty: everyone; null: superusers only. */
      updateRule: string | null;
      /** @description A filter expression; empty: everyone; null: superusers only. */
      deleteRule: string | null;
      fields: components['schemas']['Field'][];
      indexes: string[];
      created: string;
      updated: string;
    } & {
      [key: string]: unknown;
    };
    ImportDto: {
      collections: components['schemas']['CollectionInput'][];
      deleteMissing?: boolean;
    };
    StorageTestDto: {
      /** @enum {string} */
      filesystem: 'storage' | 'backups';
    };
    RuleTestDto: {
      rule: string;
      /** @enum {string} */
      kind: 'list' | 'view' | 'create' | 'update' | 'delete' | 'auth' | 'manage';
      accountCollection?: string;
      account?: string;
      ids?: string[];
      body?: Record<string, never>;
    };
    RuleTestPart: {
      text: string;
      problem?: string;
    };
    RuleTestRecord: {
      id: string;
      passes: boolean;
      parts: boolean[];
    };
    RuleTestAnswer: {
      /** @enum {string} */
      join: 'and' | 'or' | '';
      parts: components['schemas']['RuleTestPart'][];
      records: components['schemas']['RuleTestRecord'][];
    };
    PasswordMethod: {
      enabled: boolean;
      identityFields: string[];
    };
    AuthProvider: {
      name: string;
      displayName: string;
      /** @description An SVG image, or nothing. */
      logo: string;
      state: string;
      authURL: string;
      /** @deprecated */
      authUrl: string;
      codeVerifier: string;
      codeChallenge: string;
      codeChallengeMethod: string;
    };
    OAuth2Method: {
      enabled: boolean;
      providers: components['schemas']['AuthProvider'][];
    };
    TimedMethod: {
      enabled: boolean;
      duration: number;
    };
    CustomMethod: {
      name: string;
      displayName: string;
    };
    AuthMethods: {
      password: components['schemas']['PasswordMethod'];
      oauth2: components['schemas']['OAuth2Method'];
      mfa: components['schemas']['TimedMethod'];
      otp: components['schemas']['TimedMethod'];
      custom?: components['schemas']['CustomMethod'][];
      /** @deprecated */
      authProviders: components['schemas']['AuthProvider'][];
      /** @deprecated */
      usernamePassword: boolean;
      /** @deprecated */
      emailPassword: boolean;
    };
    PasswordLoginDto: {
      mfaId?: string;
      identity: string;
      /** Format: password */
      password: string;
      identityField?: string;
    };
    EmailDto: {
      email: string;
    };
    RequestedOtp: {
      otpId: string;
    };
    OtpLoginDto: {
      mfaId?: string;
      otpId: string;
      /** Format: password */
      password: string;
    };
    OAuth2LoginDto: {
      mfaId?: string;
      provider: string;
      code: string;
      codeVerifier: string;
      redirectURL: string;
      /** @deprecated */
      redirectUrl?: string;
      createData?: {
        [key: string]: unknown;
      };
    };
    ImpersonateDto: {
      duration?: number;
    };
    VerificationDto: {
      token: string;
    };
    PasswordResetDto: {
      token: string;
      /** Format: password */
      password: string;
      /** Format: password */
      passwordConfirm: string;
    };
    NewEmailDto: {
      newEmail: string;
    };
    EmailChangeDto: {
      token: string;
      /** Format: password */
      password: string;
    };
    SetupStatus: {
      required: boolean;
      tokenRequired: boolean;
    };
    SetupDto: {
      email: string;
      /** Format: password */
      password: string;
      /** Format: password */
      passwordConfirm: string;
      token: string;
    };
    TestEmailDto: {
      email: string;
      /** @enum {string} */
      template: 'verification' | 'password-reset' | 'email-change' | 'otp' | 'login-alert';
      collection?: string;
    };
    AppleClientSecretDto: {
      clientId: string;
      teamId: string;
      keyId: string;
      /** Format: password */
      privateKey: string;
      duration: number;
    };
    AppleClientSecret: {
      secret: string;
    };
    SubscriptionDto: {
      clientId: string;
      subscriptions: string[];
    };
    BatchRequest: {
      /** @enum {string} */
      method: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
      url: string;
      headers?: {
        [key: string]: unknown;
      };
      body?: {
        [key: string]: unknown;
      };
    };
    BatchDto: {
      requests: components['schemas']['BatchRequest'][];
    };
    BatchResult: {
      status: number;
      body: {
        [key: string]: unknown;
      } | null;
    };
    LogEntry: {
      id: string;
      created: string;
      level: number;
      message: string;
      data: {
        [key: string]: unknown;
      };
    };
    LogHour: {
      total: number;
      date: string;
    };
    Backup: {
      key: string;
      size: number;
      modified: string;
    };
    NewBackupDto: {
      name?: string;
    };
    BackupUploadDto: {
      /** Format: binary */
      file: string;
    };
    Cron: {
      id: string;
      expression: string;
    };
    SqlDto: {
      query: string;
    };
    SqlColumn: {
      name: string;
      type: string;
      nullable: boolean;
    };
    SqlAnswer: {
      execTime: number;
      affectedRows: number;
      columns: components['schemas']['SqlColumn'][];
      rows: (string | null)[][];
    };
    SqlSnippet: {
      name: string;
      query: string;
    };
    SqlSnippetDto: {
      name: string;
      query: string;
    };
    LastRestore: {
      time: string;
      backup: string;
      /** @enum {string} */
      outcome: 'restored' | 'failed';
      reason: string;
    };
    HealthDetails: {
      canBackup?: boolean;
      realIP?: string;
      possibleProxyHeader?: string;
      lastRestore?: components['schemas']['LastRestore'];
    };
    Health: {
      code: number;
      message: string;
      data: components['schemas']['HealthDetails'];
    };
    MinuteInsight: {
      time: string;
      requests: number;
      errors: number;
    };
    Percentiles: {
      p50: number | null;
      p95: number | null;
      p99: number | null;
    };
    RouteInsight: {
      route: string;
      requests: number;
      errors: number;
      average: number;
      p95: number;
      slowest: number;
    };
    StatementInsight: {
      sql: string;
      runs: number;
      average: number;
      slowest: number;
    };
    CollectionSize: {
      id: string;
      name: string;
      records: number | null;
      bytes: number | null;
    };
    FilesSize: {
      count: number;
      bytes: number;
      isAll: boolean;
    };
    InsightSizes: {
      collections: components['schemas']['CollectionSize'][];
      files: components['schemas']['FilesSize'] | null;
      database: number | null;
      logs: number | null;
    };
    Advice: {
      /** @enum {string} */
      kind: 'missingIndex' | 'publicRule' | 'backup' | 'logs';
      message: string;
      collection: string;
    };
    Insights: {
      since: string;
      minutes: components['schemas']['MinuteInsight'][];
      latency: components['schemas']['Percentiles'];
      routes: components['schemas']['RouteInsight'][];
      statements: components['schemas']['StatementInsight'][];
      sizes: components['schemas']['InsightSizes'];
      streams: number;
      advice: components['schemas']['Advice'][];
    };
    AdminFieldTypeInfo: {
      type: string;
      label?: string;
      input?: string;
      cell?: string;
    };
    AdminPageInfo: {
      path: string;
      title: string;
      element: string;
    };
    AdminActionInfo: {
      label: string;
      run: string;
      collections?: string[];
      question?: string;
    };
    AdminExtensionInfo: {
      script: string;
      fieldTypes: components['schemas']['AdminFieldTypeInfo'][];
      pages: components['schemas']['AdminPageInfo'][];
      actions: components['schemas']['AdminActionInfo'][];
    };
    ListView: {
      id: string;
      name: string;
      filter: string;
      sort: string;
      /** @description What the admin UI knows of the columns. */
      columns: Record<string, never>;
      shared: boolean;
    };
    ListViewDto: {
      name: string;
      filter?: string;
      sort?: string;
      /** @description What the admin UI knows of the columns. */
      columns?: Record<string, never>;
      shared?: boolean;
    };
    Error: {
      code: number;
      message: string;
      /** @description What is wrong, by the name of the value. */
      data: {
        [key: string]: unknown;
      };
    };
    FieldError: {
      code: string;
      message: string;
      params?: {
        [key: string]: unknown;
      };
    };
    CollectionInput: {
      id?: string;
      name?: string;
      /** @enum {string} */
      type?: 'base' | 'auth' | 'view';
      system?: boolean;
      /** @description A filter expression; empty: everyone; null: superusers only. */
      listRule?: string | null;
      /** @description A filter expression; empty: everyone; null: superusers only. */
      viewRule?: string | null;
      /** @description A filter expression; empty: everyone; null: superusers only. */
      createRule?: string | null;
      /** @description A filter expression; empty: everyone; null: superusers only. */
      updateRule?: string | null;
      /** @description A filter expression; empty: everyone; null: superusers only. */
      deleteRule?: string | null;
      fields?: components['schemas']['Field'][];
      indexes?: string[];
      created?: string;
      updated?: string;
    } & {
      [key: string]: unknown;
    };
    SettingsInput: {
      meta?: {
        appName?: string;
        appURL?: string;
        senderName?: string;
        senderAddress?: string;
        hideControls?: boolean;
        accentColor?: string;
      };
      logs?: {
        maxDays?: number;
        minLevel?: number;
        logIP?: boolean;
        logAuthId?: boolean;
      };
      smtp?: {
        enabled?: boolean;
        host?: string;
        port?: number;
        username?: string;
        /** Format: password */
        password?: string;
        /** @enum {string} */
        authMethod?: '' | 'PLAIN' | 'LOGIN';
        tls?: boolean;
        localName?: string;
      };
      s3?: {
        enabled?: boolean;
        bucket?: string;
        region?: string;
        endpoint?: string;
        accessKey?: string;
        /** Format: password */
        secret?: string;
        forcePathStyle?: boolean;
      };
      backups?: {
        cron?: string;
        cronMaxKeep?: number;
        s3?: {
          enabled?: boolean;
          bucket?: string;
          region?: string;
          endpoint?: string;
          accessKey?: string;
          /** Format: password */
          secret?: string;
          forcePathStyle?: boolean;
        };
      };
      trustedProxy?: {
        headers?: string[];
        useLeftmostIP?: boolean;
      };
      rateLimits?: {
        enabled?: boolean;
        excludedIPs?: string[];
        rules?: components['schemas']['RateLimitRule'][];
      };
      batch?: {
        enabled?: boolean;
        maxRequests?: number;
        timeout?: number;
        maxBodySize?: number;
      };
      files?: {
        openUnprotected?: boolean;
      };
      realtime?: {
        maxStreamsPerIP?: number;
        maxStreamsPerAccount?: number;
      };
      superuserIPs?: string[];
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
