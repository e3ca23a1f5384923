import { Module } from '@nestjs/common';
import { CollectionsModule } from '../collections/collections.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { AnswerLimits } from './answer-limits.js';
import { AuthEffects } from './auth-effects.js';
import { AuthRecords } from './auth-records.js';
import { ListDelay } from './list-delay.js';
import { RecordActions } from './record-actions.js';
import { RecordBodyLimit } from './record-body-limit.js';
import { RecordCascade } from './record-cascade.js';
import { RecordContents } from './record-contents.js';
import { RecordCompletion } from './record-completion.js';
import { RecordExpander } from './record-expander.js';
import { RecordFiles } from './record-files.js';
import { RecordList } from './record-list.js';
import { RecordPasswords } from './record-passwords.js';
import { ReadHooks } from './read-hooks.js';
import { RecordPresenter } from './record-presenter.js';
import { RecordReferences } from './record-references.js';
import { RecordRows } from './record-rows.js';
import { RecordRules } from './record-rules.js';
import { RecordSave } from './record-save.js';
import { RecordTotals } from './record-totals.js';
import { AnswerAudience } from './answer-audience.js';
import { AnswerCache } from './answer-cache.js';
import { RecordValidator } from './record-validator.js';
import { RecordWriter } from './record-writer.js';
import { RecordsController } from './records.controller.js';
import { RuleTestController } from './rule-test.controller.js';
import { RuleTestService } from './rule-test.service.js';
import { RecordsService } from './records.service.js';
import { SteadyReads } from './steady-reads.js';
import { TruncateController } from './truncate.controller.js';
import { TruncateService } from './truncate.service.js';
import { WideList } from './wide-list.js';
import { WriteTargets } from './write-targets.js';

/** Data under rules (chapter 02). */
@Module({
  imports: [CollectionsModule, PasswordsModule, RateLimitsModule, StorageModule, TokensModule],
  controllers: [RecordsController, RuleTestController, TruncateController],
  providers: [
    AnswerLimits,
    AuthEffects,
    AuthRecords,
    ListDelay,
    RecordActions,
    RecordBodyLimit,
    RecordCascade,
    RecordCompletion,
    RecordContents,
    RecordExpander,
    RecordFiles,
    RecordList,
    RecordPasswords,
    ReadHooks,
    RecordPresenter,
    RecordReferences,
    RecordRows,
    RecordRules,
    RecordSave,
    RecordTotals,
    AnswerAudience,
    AnswerCache,
    RecordValidator,
    RecordWriter,
    RecordsService,
    RuleTestService,
    SteadyReads,
    TruncateService,
    WideList,
    WriteTargets,
  ],
  exports: [
    CollectionsModule,
    AnswerLimits,
    AuthEffects,
    AuthRecords,
    RecordActions,
    RecordBodyLimit,
    RecordExpander,
    RecordPasswords,
    RecordPresenter,
    RecordRows,
    RecordRules,
    RecordSave,
    RecordValidator,
    RecordWriter,
    RecordsService,
    SteadyReads,
    TruncateService,
  ],
})
export class RecordsModule {}
